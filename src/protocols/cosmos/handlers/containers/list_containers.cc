#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_containers(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Database>> database = service.catalog().database(exchange->path().database());
  const Result<Catalog::Containers> containers = service.catalog().containers(exchange->path().database());
  if (!database) return exchange->answer_error({ErrorCode::kOwnerNotFound, database.error().message});
  if (!containers) return exchange->answer_error(containers.error());
  const auto write = [is_modern = exchange->speaks_version(kModernVersion)](const Container& container, StoredWriter& out) {
    write_container(out, container, is_modern);
    return Status();
  };
  answer_metadata_feed(service, *exchange, (*database)->rid(), "DocumentCollections", listing_of(*containers, write));
}

}  // namespace partita::cosmos
