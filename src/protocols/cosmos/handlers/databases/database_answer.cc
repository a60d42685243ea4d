#include "protocols/cosmos/handlers/databases/database_answer.h"

#include "protocols/cosmos/codec/resource_json.h"

namespace partita::cosmos {

void answer_database(Exchange& exchange, const Result<std::shared_ptr<const Database>>& database, int status) {
  if (!database) return exchange.answer_error(database.error());
  StoredWriter out;
  write_database(out, **database);
  exchange.set_etag((*database)->revision.etag);
  exchange.answer_json(status, out.view());
}

}  // namespace partita::cosmos
