#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_databases(const Service& service, ExchangePtr exchange) {
  const auto write = [](const Database& database, StoredWriter& out) {
    write_database(out, database);
    return Status();
  };
  answer_metadata_feed(service, *exchange, "", "Databases", listing_of(service.catalog().databases(), write));
}

}  // namespace partita::cosmos
