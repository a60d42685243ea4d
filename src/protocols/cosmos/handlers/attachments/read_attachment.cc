#include "protocols/cosmos/handlers/attachments/attachment_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_attachment(const Service& service, ExchangePtr exchange) {
  operate_on_attachment(service, std::move(exchange), ItemVerb::kRead);
}

}  // namespace partita::cosmos
