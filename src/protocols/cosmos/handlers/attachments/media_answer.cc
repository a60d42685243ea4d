#include "protocols/cosmos/handlers/attachments/media_answer.h"

#include "engine/item/resource_rid.h"
#include "protocols/cosmos/codec/resource_id.h"

namespace partita::cosmos {

Result<MediaName> media_name(const Service& service, const Exchange& exchange) {
  const std::string_view name = exchange.path().name();
  std::optional<std::string> bytes = bytes_in_rid_text(name);
  std::optional<AttachmentRid> rid;
  if (bytes && !bytes->empty()) {
    const std::string whole = *bytes;
    bytes->pop_back();
    if (media_rid_bytes(*bytes) == whole) rid = parse_resource_id_as<AttachmentRid>(partita::rid_text(*bytes));
  }
  if (!rid) return item_not_found();
  TRY_ASSIGN(std::shared_ptr<const Container> container,
             service.container(exchange, rid_text(DatabaseRid{rid->container.database}), rid_text(rid->container)));
  return MediaName{std::move(container), DocumentNumber{rid->item_ordinal}, AttachmentNumber{rid->attachment}};
}

}  // namespace partita::cosmos
