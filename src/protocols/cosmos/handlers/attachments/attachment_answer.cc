#include "protocols/cosmos/handlers/attachments/attachment_answer.h"

#include "document/json/definition_json.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/handlers/items/item_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::array<std::string_view, 10> kMediaTypes = {"application", "audio", "example",   "font", "image",
                                                          "message",     "model", "multipart", "text", "video"};

bool is_upload(const Exchange& exchange) {
  const std::string_view type = exchange.header(header::kContentType);
  return !exchange.header(header::kSlug).empty() || (!type.empty() && !type.starts_with(kJson));
}

int status_of(ItemVerb verb, const AttachmentOutcome& outcome) {
  if (verb == ItemVerb::kErase) return 204;
  return outcome.was_created ? 201 : 200;
}

void answer(const Service& service, Exchange& exchange, ItemVerb verb, const Result<DocumentVisit>& visit,
            const AttachmentOutcome& outcome) {
  if (!visit) return answer_item_error(service, exchange, visit.error());
  set_visit_headers(exchange, *visit);
  if (verb == ItemVerb::kErase) return exchange.answer(204);
  const Attachment& attachment = outcome.attachment;
  exchange.set_etag(attachment.etag());
  const std::string_view if_none_match = exchange.header(header::kIfNoneMatch);
  const bool is_known = verb == ItemVerb::kRead && (if_none_match == "*" || if_none_match == attachment.etag());
  if (is_known) return exchange.answer(304);
  exchange.answer_json(status_of(verb, outcome), attachment.document());
}

// A token that is for one attachment cannot give it another id.
Status check_keeps_id(const ItemWorkshop& workshop, Transaction& transaction, const Item& document,
                      const AttachmentOperation& operation) {
  AttachmentOperation reading = operation;
  reading.verb = ItemVerb::kRead;
  TRY_ASSIGN(const AttachmentOutcome before, run_attachment(workshop, transaction, document, reading));
  TRY_ASSIGN(const std::string body, definition_from_json(operation.json));
  const Value id = Value::view(body).find("id");
  if (id.is_string() && id.string() == before.attachment.id()) return {};
  return fail(ErrorCode::kForbidden, "The resource token does not permit this: it is for one attachment, which keeps its id.");
}

}  // namespace

Status check_media_type(std::string_view content_type) {
  const size_t slash = content_type.find('/');
  const bool has_subtype = slash != std::string_view::npos && slash + 1 < content_type.size();
  const bool is_registered = std::ranges::any_of(
      kMediaTypes, [&](std::string_view known) { return net::equal_without_case(content_type.substr(0, slash), known); });
  const bool is_printable = std::ranges::all_of(content_type, [](char c) { return c >= ' ' && c < 0x7F; });
  if (has_subtype && is_registered && is_printable) return {};
  return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a type of media.", content_type));
}

Result<AttachmentOperation> attachment_operation(const Exchange& exchange, const Container& container, ItemVerb verb) {
  AttachmentOperation operation{.verb = verb,
                                .id = std::string(exchange.path().name()),
                                .number = std::nullopt,
                                .json = exchange.request().body,
                                .media = std::nullopt,
                                .if_match = std::string(exchange.header(header::kIfMatch))};
  if (exchange.path().is_resource_id_shaped()) {
    const auto rid = parse_resource_id_as<AttachmentRid>(operation.id);
    const ContainerRid own{container.database->number, container.number};
    if (rid && rid->container == own) operation.number = AttachmentNumber{rid->attachment};
  }
  const bool is_put = verb == ItemVerb::kCreate || verb == ItemVerb::kUpsert || verb == ItemVerb::kReplace;
  if (!is_put || !is_upload(exchange)) return operation;
  const std::string_view type = exchange.header(header::kContentType);
  TRY(check_media_type(type));
  operation.media = MediaUpload{std::string(type), exchange.request().body};
  if (exchange.path().is_feed()) operation.id = exchange.header(header::kSlug);
  if (well_formed_utf8_bytes(operation.id, Surrogates::kRejected) != operation.id.size()) {
    return fail(ErrorCode::kInvalidInput, "The id of an attachment is not UTF-8.");
  }
  return operation;
}

void set_visit_headers(Exchange& exchange, const DocumentVisit& visit) {
  exchange.set_charge(visit.charge);
  exchange.set_session(*visit.place, visit.lsn);
  exchange.set_owner(*visit.container);
}

void operate_on_attachment(const Service& service, ExchangePtr exchange, ItemVerb verb) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> document = item_name(*exchange, **container);
  if (!document) return exchange->answer_error(document.error());
  Result<AttachmentOperation> operation = attachment_operation(*exchange, **container, verb);
  if (!operation) return exchange->answer_error(operation.error());
  const RequestTerms terms = service.terms(*exchange);
  auto outcome = std::make_shared<AttachmentOutcome>();
  const bool keeps_id = exchange->limits().is_one_resource && verb == ItemVerb::kReplace && !operation->media;
  auto body = [outcome, keeps_id, operation = *std::move(operation)](const ItemWorkshop& workshop, Transaction& transaction,
                                                                     const Item& item) -> Status {
    if (keeps_id) TRY(check_keeps_id(workshop, transaction, item, operation));
    TRY_ASSIGN(*outcome, run_attachment(workshop, transaction, item, operation));
    return {};
  };
  visit_document(service.items(), *container, *document, std::move(body), terms,
                 [&service, exchange = std::move(exchange), verb, outcome](const Result<DocumentVisit>& visit) {
                   answer(service, *exchange, verb, visit, *outcome);
                 });
}

}  // namespace partita::cosmos
