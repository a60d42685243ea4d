#include "gateway/scripts/script_attachments.h"

#include "document/json/json.h"
#include "gateway/query/listed_query.h"

#include <charconv>
#include <map>

namespace partita {
namespace {

enum Field : size_t { kName, kAttachment, kEtag, kAddressing, kDocument, kWhich };
enum FeedField : size_t { kContinuation = 1, kSpecification = 5 };
constexpr std::string_view kFeed = "attachments";

const std::map<std::string_view, ItemVerb> kVerbs = {{"createAttachment", ItemVerb::kCreate},
                                                     {"upsertAttachment", ItemVerb::kUpsert},
                                                     {"replaceAttachment", ItemVerb::kReplace},
                                                     {"deleteAttachment", ItemVerb::kErase},
                                                     {"readAttachment", ItemVerb::kRead}};

Result<script::OperationReply> read_page(Transaction& transaction, const Item& document, const script::Message& operation,
                                         size_t page_size, const query::Environment& environment) {
  TRY_ASSIGN(std::vector<Attachment> all, list_attachments(transaction, document));
  std::vector<FeedRow> rows;
  for (Attachment& attachment : all) rows.push_back({attachment.number.value, std::move(attachment.stored)});
  ListedRequest request{.after = 0, .items_max = page_size};
  if (const std::string_view text = operation.field(kContinuation); !text.empty()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.after);
    if (error != std::errc() || end != text.data() + text.size()) {
      return fail(ErrorCode::kInvalidInput, "Invalid Continuation Token: it is not one of ours.");
    }
  }
  const Listing listing = listing_of(std::move(rows));
  ListedPage page;
  if (operation.field(kSpecification).empty()) {
    TRY_ASSIGN(page, read_listed(listing, request));
  } else {
    TRY_ASSIGN(const std::string specification, stored_from_json(operation.field(kSpecification)));
    TRY_ASSIGN(page, query_listed(listing, Value::view(specification), environment, request));
  }
  script::OperationReply reply;
  size_t count = 0;
  for (const FeedRow& row : page.rows) {
    reply.body += count++ == 0 ? "[" : ",";
    append_json(reply.body, Value::view(row.stored));
  }
  if (page.has_more) reply.continuation = std::to_string(page.rows.back().number);
  reply.body += count == 0 ? "[]" : "]";
  return reply;
}

}  // namespace

bool is_attachment_operation(const script::Message& operation) {
  return operation.field(kName) == kFeed || kVerbs.contains(operation.field(kName));
}

Result<script::OperationReply> operate_on_attachments(const ItemWorkshop& workshop, const ScriptTexts& texts,
                                                      Transaction& transaction, const Item& document,
                                                      const script::Message& operation, size_t page_size,
                                                      const query::Environment& environment) {
  if (operation.field(kName) == kFeed) return read_page(transaction, document, operation, page_size, environment);
  AttachmentOperation wanted{.verb = kVerbs.at(operation.field(kName)),
                             .id = std::string(operation.field(kWhich)),
                             .number = std::nullopt,
                             .json = operation.field(kAttachment),
                             .media = std::nullopt,
                             .if_match = std::string(operation.field(kEtag))};
  const bool is_named = wanted.verb != ItemVerb::kCreate && wanted.verb != ItemVerb::kUpsert;
  if (is_named && operation.field(kAddressing) == "number") {
    wanted.number = texts.attachment_number(wanted.id, *workshop.container, document.number);
    if (!wanted.number) return item_not_found();
  }
  TRY_ASSIGN(const AttachmentOutcome outcome, run_attachment(workshop, transaction, document, wanted));
  script::OperationReply reply;
  if (wanted.verb != ItemVerb::kErase) reply.body = to_json(outcome.attachment.document());
  return reply;
}

}  // namespace partita
