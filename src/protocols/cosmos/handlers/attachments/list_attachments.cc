#include "cluster/tenants.h"
#include "protocols/cosmos/handlers/attachments/attachment_answer.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {
namespace {

// Of one document; a document has few of them.
struct Listed {
  std::string document_rid;
  std::vector<FeedRow> rows;
};

}  // namespace

// All attachments of a document, or those that a query finds.
void list_attachments(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> document = item_name(*exchange, **container);
  if (!document) return exchange->answer_error(document.error());
  const RequestTerms terms = service.terms(*exchange);
  auto listed = std::make_shared<Listed>();
  auto body = [listed](const ItemWorkshop& workshop, Transaction& transaction, const Item& item) -> Status {
    TRY_ASSIGN(std::vector<Attachment> all, partita::list_attachments(transaction, item));
    listed->document_rid = workshop.container->identity.document_rid(item.number);
    listed->rows.clear();
    for (Attachment& attachment : all) listed->rows.push_back({attachment.number.value, std::move(attachment.stored)});
    return {};
  };
  // The document may have to become durable before it is told of; then this is not the worker's thread any more.
  visit_document(
      service.items(), *container, *document, std::move(body), terms,
      [&service, container = *container, exchange = std::move(exchange), listed](const Result<DocumentVisit>& visit) mutable {
        if (!visit) return answer_item_error(service, *exchange, visit.error());
        set_visit_headers(*exchange, *visit);
        service.answer_by_worker(tenant_of(*container), std::move(exchange), [&service, listed](ExchangePtr later, Turn&) {
          answer_metadata_feed(service, *later, listed->document_rid, "Attachments", listing_of(std::move(listed->rows)));
        });
      });
}

}  // namespace partita::cosmos
