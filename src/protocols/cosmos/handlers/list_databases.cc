#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_databases(const Service& service, ExchangePtr exchange) {
  std::vector<FeedRow> rows;
  for (const std::shared_ptr<const Database>& database : service.catalog().databases()) {
    StoredWriter out;
    write_database(out, *database);
    rows.push_back({database->number, out.take()});
  }
  answer_metadata_feed(service, *exchange, "", "Databases", std::move(rows));
}

}  // namespace partita::cosmos
