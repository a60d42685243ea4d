#include "protocols/cosmos/handlers/attachments/attachment_answer.h"
#include "protocols/cosmos/handlers/attachments/media_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

// Other bytes for an attachment that has some.
void replace_media(const Service& service, ExchangePtr exchange) {
  const Result<MediaName> name = media_name(service, *exchange);
  if (!name) return exchange->answer_error(name.error());
  const MediaUpload upload{std::string(exchange->header(header::kContentType)), exchange->request().body};
  if (const Status known = check_media_type(upload.content_type); !known) return exchange->answer_error(known.error());
  const RequestTerms terms = service.terms(*exchange);
  auto body = [upload, number = name->attachment](const ItemWorkshop& workshop, Transaction& transaction, const Item& item) {
    return write_media(workshop, transaction, item, number, upload);
  };
  visit_document(service.items(), name->container, name->item(), std::move(body), terms,
                 [exchange = std::move(exchange)](const Result<DocumentVisit>& visit) {
                   if (!visit) return exchange->answer_error(visit.error());
                   set_visit_headers(*exchange, *visit);
                   exchange->answer(200);
                 });
}

}  // namespace partita::cosmos
