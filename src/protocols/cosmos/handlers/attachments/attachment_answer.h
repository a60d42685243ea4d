#pragma once

#include "gateway/items/attachments.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

#include <memory>

namespace partita::cosmos {

// What the request says about one attachment: properties, or, with a Slug or another content type than JSON, media. kInvalidInput
// when that is no type of media.
Result<AttachmentOperation> attachment_operation(const Exchange& exchange, const Container& container, ItemVerb verb);

// Does it, and answers with the attachment or the error.
void operate_on_attachment(const Service& service, ExchangePtr exchange, ItemVerb verb);

// Headers that every answer about attachments carries.
void set_visit_headers(Exchange& exchange, const DocumentVisit& visit);

// kInvalidInput unless it is type/subtype, with a type that the registry of media types has.
Status check_media_type(std::string_view content_type);

}  // namespace partita::cosmos
