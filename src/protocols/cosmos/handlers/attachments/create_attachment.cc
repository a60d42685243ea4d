#include "protocols/cosmos/handlers/attachments/attachment_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

// Create or, when the request says so, upsert.
void create_attachment(const Service& service, ExchangePtr exchange) {
  const bool is_upsert = exchange->operation().action == Action::kUpsert;
  operate_on_attachment(service, std::move(exchange), is_upsert ? ItemVerb::kUpsert : ItemVerb::kCreate);
}

}  // namespace partita::cosmos
