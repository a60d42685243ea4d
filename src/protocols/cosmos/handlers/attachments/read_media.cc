#include "protocols/cosmos/handlers/attachments/attachment_answer.h"
#include "protocols/cosmos/handlers/attachments/media_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

// The bytes of an attachment as they are, with their type.
void read_media(const Service& service, ExchangePtr exchange) {
  const Result<MediaName> name = media_name(service, *exchange);
  if (!name) return exchange->answer_error(name.error());
  const RequestTerms terms = service.terms(*exchange);
  auto media = std::make_shared<Media>();
  auto body = [media, number = name->attachment](const ItemWorkshop&, Transaction& transaction, const Item& item) -> Status {
    TRY_ASSIGN(*media, partita::read_media(transaction, item, number));
    return {};
  };
  visit_document(service.items(), name->container, name->item(), std::move(body), terms,
                 [exchange = std::move(exchange), media](const Result<DocumentVisit>& visit) {
                   if (!visit) return exchange->answer_error(visit.error());
                   set_visit_headers(*exchange, *visit);
                   exchange->answer_bytes(200, media->content_type, std::move(media->bytes));
                 });
}

}  // namespace partita::cosmos
