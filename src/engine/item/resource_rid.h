#pragma once

#include "engine/item/identity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The binary names of resources that documents carry in _rid and _self. ON DISK, and computed by clients: fixed by the service.
//
//   database    database number (4, big-endian)
//   container   database (4), container number (4) with the top bit set
//   document    container (8), document number (8, little-endian)
//   attachment  document (16), attachment number (4, big-endian)
//   media       attachment (20), 01: which of the service's stores has the bytes
//
// As text they are base64 with '/' written as '-'.
namespace partita {

std::string rid_text(std::string_view rid_bytes);
// Nothing when the text has other characters or the wrong length. Several texts may stand for the same bytes.
std::optional<std::string> bytes_in_rid_text(std::string_view text);

std::string database_rid_bytes(uint32_t database);
std::string container_rid_bytes(uint32_t database, uint32_t container);
std::string document_rid_bytes(std::string_view container_rid_bytes, DocumentNumber number);
std::string attachment_rid_bytes(std::string_view container_rid_bytes, DocumentNumber number, AttachmentNumber attachment);
std::string media_rid_bytes(std::string_view attachment_rid_bytes);
// The document of the container that the text names; nothing when it is no such rid.
std::optional<DocumentNumber> document_number_in_rid(std::string_view text, std::string_view container_rid_bytes);
// The same for an attachment of the document.
std::optional<AttachmentNumber> attachment_number_in_rid(std::string_view text, std::string_view container_rid_bytes,
                                                         DocumentNumber document);

}  // namespace partita
