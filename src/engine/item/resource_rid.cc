#include "engine/item/resource_rid.h"

#include "base/bytes.h"
#include "base/encodings.h"

#include <algorithm>

namespace partita {
namespace {

constexpr uint32_t kContainerBit = 0x80000000;

}  // namespace

std::string rid_text(std::string_view rid_bytes) {
  std::string text = base64(rid_bytes);
  std::ranges::replace(text, '/', '-');
  return text;
}

std::string database_rid_bytes(uint32_t database) {
  std::string bytes;
  append_big_endian(bytes, database);
  return bytes;
}

std::string container_rid_bytes(uint32_t database, uint32_t container) {
  std::string bytes = database_rid_bytes(database);
  append_big_endian(bytes, container | kContainerBit);
  return bytes;
}

std::string document_rid_bytes(std::string_view container_rid_bytes, DocumentNumber number) {
  std::string bytes(container_rid_bytes);
  append_little_endian(bytes, number.value);
  return bytes;
}

std::string attachment_rid_bytes(std::string_view container_rid_bytes, DocumentNumber number, AttachmentNumber attachment) {
  std::string bytes = document_rid_bytes(container_rid_bytes, number);
  append_big_endian(bytes, attachment.value);
  return bytes;
}

std::string media_rid_bytes(std::string_view attachment_rid_bytes) {
  constexpr char kOnlyStore = 1;
  return std::string(attachment_rid_bytes) + kOnlyStore;
}

std::optional<std::string> bytes_in_rid_text(std::string_view text) {
  if (text.contains('/')) return std::nullopt;
  std::string plain(text);
  std::ranges::replace(plain, '-', '/');
  return from_base64(plain);
}

std::optional<DocumentNumber> document_number_in_rid(std::string_view text, std::string_view container_rid_bytes) {
  const std::optional<std::string> bytes = bytes_in_rid_text(text);
  const size_t prefix = container_rid_bytes.size();
  if (!bytes || bytes->size() != prefix + sizeof(uint64_t) || !bytes->starts_with(container_rid_bytes)) return std::nullopt;
  return DocumentNumber{load_little_endian<uint64_t>(bytes->data() + prefix)};
}

std::optional<AttachmentNumber> attachment_number_in_rid(std::string_view text, std::string_view container_rid_bytes,
                                                         DocumentNumber document) {
  const std::optional<std::string> bytes = bytes_in_rid_text(text);
  const std::string owner = document_rid_bytes(container_rid_bytes, document);
  if (!bytes || bytes->size() != owner.size() + sizeof(uint32_t) || !bytes->starts_with(owner)) return std::nullopt;
  return AttachmentNumber{load_big_endian<uint32_t>(bytes->data() + owner.size())};
}

}  // namespace partita
