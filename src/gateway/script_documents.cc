#include "gateway/script_documents.h"

#include "document/json.h"
#include "engine/resource_rid.h"
#include "gateway/query_functions.h"
#include "gateway/transaction_rows.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace partita {
namespace {

constexpr size_t kPageItemsMax = 1'000;
constexpr size_t kPageBytesMax = 4 << 20;

// Of an operation: its name, then
//   create, upsert, replace, delete, read: document, etag, index action, "name" or "rid", which document
//   feed: continuation, page size        query: specification, continuation, page size
enum Field : size_t { kName, kDocument, kEtag, kIndexAction, kAddressing, kAddress };

const std::map<std::string_view, ItemVerb> kVerbs = {{"create", ItemVerb::kCreate},
                                                     {"upsert", ItemVerb::kUpsert},
                                                     {"replace", ItemVerb::kReplace},
                                                     {"delete", ItemVerb::kErase},
                                                     {"read", ItemVerb::kRead}};

Result<uint64_t> parse_number(std::string_view text, std::string_view what) {
  uint64_t number = 0;
  if (text.empty()) return number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return fail(ErrorCode::kInvalidInput, std::string(what) + " is not one of ours.");
}

size_t page_size(uint64_t asked) { return static_cast<size_t>(std::clamp<uint64_t>(asked, 1, kPageItemsMax)); }

// A page of rows as a JSON array.
class RowsText {
 public:
  void add(const Value& row) {
    text_ += count_++ == 0 ? "[" : ",";
    append_json(text_, row);
  }
  bool is_full(size_t items_max) const { return count_ >= items_max || text_.size() >= kPageBytesMax; }
  std::string take() { return count_ == 0 ? "[]" : std::move(text_) + "]"; }

 private:
  std::string text_;
  size_t count_ = 0;
};

}  // namespace

script::OperationReply ScriptDocuments::operate(const script::Message& operation, script::FunctionSession& functions) {
  ++operations_;
  const auto reply = [&]() -> Result<script::OperationReply> {
    if (operation.field(kName) == "feed") return read_feed(operation);
    if (operation.field(kName) == "query") return run_query(operation, functions);
    TRY_ASSIGN(std::string body, write(operation));
    return script::OperationReply{0, std::move(body), {}};
  };
  Result<script::OperationReply> done = reply();
  if (done) return *std::move(done);
  return {script::error_number(done.error().code), std::move(done.error().message), {}};
}

Result<script::ScriptOutcome> ScriptDocuments::run(script::ScriptEngine& engine, const script::ScriptCall& call) {
  const int64_t started_us = workshop_.clock.steady_us();
  Result<script::ScriptOutcome> outcome = engine.run(call, *this);
  transaction_.work().script_us += static_cast<uint64_t>(workshop_.clock.steady_us() - started_us);
  return outcome;
}

Result<std::string> ScriptDocuments::id_of_number(DocumentNumber number) {
  std::optional<std::string> id;
  bool is_changed = false;
  transaction_.visit_changes([&](DocumentNumber changed, const Item* item) {
    if (changed != number) return;
    is_changed = true;
    if (item != nullptr) id = item->id();
  });
  if (!is_changed) {
    TRY_ASSIGN(const std::optional<Item> stored, transaction_.slice().load(number));
    // A document of another logical partition is not found below, whatever its id.
    if (stored) id = stored->id();
  }
  if (!id) return item_not_found();
  return *std::move(id);
}

Result<std::string> ScriptDocuments::named(const script::Message& operation) {
  if (operation.field(kAddressing) != "rid") return std::string(operation.field(kAddress));
  const std::optional<DocumentNumber> number =
      document_number_in_rid(operation.field(kAddress), workshop_.container->identity.rid_bytes);
  if (!number) return item_not_found();
  return id_of_number(*number);
}

Result<std::string> ScriptDocuments::write(const script::Message& operation) {
  const auto verb = kVerbs.find(operation.field(kName));
  if (verb == kVerbs.end()) return fail(ErrorCode::kInvalidInput, "A script asked for something that does not exist.");
  ItemOperation wanted{.verb = verb->second,
                       .id = {},
                       .key = key_,
                       .body = operation.field(kDocument),
                       .if_match = std::string(operation.field(kEtag))};
  const bool is_new = wanted.verb == ItemVerb::kCreate || wanted.verb == ItemVerb::kUpsert;
  if (!is_new) {
    TRY_ASSIGN(wanted.id, named(operation));
  }
  TRY_ASSIGN(ItemWork work, ItemWork::prepare(workshop_, wanted));
  TRY(work.run(transaction_));
  if (wanted.verb == ItemVerb::kErase) return std::string();
  return to_json(work.item().document());
}

Result<script::OperationReply> ScriptDocuments::read_feed(const script::Message& operation) {
  TRY_ASSIGN(const uint64_t after, parse_number(operation.field(1), "The continuation"));
  TRY_ASSIGN(const uint64_t asked, parse_number(operation.field(2), "The page size"));
  TransactionRows rows(*workshop_.container, key_, transaction_, DocumentNumber{after});
  RowsText page;
  script::OperationReply reply;
  uint64_t last = after;
  while (true) {
    TRY_ASSIGN(const Value row, rows.next());
    if (row.is_undefined()) break;
    if (page.is_full(page_size(asked))) {
      reply.continuation = std::to_string(last);
      break;
    }
    page.add(row);
    last = rows.number();
  }
  transaction_.work() += rows.work();
  reply.body = page.take();
  return reply;
}

// A continuation is the number of rows that were given already; the query runs again without them.
Result<script::OperationReply> ScriptDocuments::run_query(const script::Message& operation, script::FunctionSession& functions) {
  const Container& container = *workshop_.container;
  TRY_ASSIGN(const std::string body, stored_from_json(operation.field(1)));
  TRY_ASSIGN(const uint64_t given, parse_number(operation.field(2), "The continuation"));
  TRY_ASSIGN(const uint64_t asked, parse_number(operation.field(3), "The page size"));
  TRY_ASSIGN(const query::QuerySpecification specification, query::QuerySpecification::from(Value::view(body)));
  TRY_ASSIGN(const query::Plan plan,
             query::compile(specification, query::Schema::of(Value::view(container.definition.properties))));
  QueryFunctions user_functions(catalog_, container, functions);
  query::Environment environment{.clock = workshop_.clock, .random = workshop_.random};
  environment.user_functions = &user_functions;
  environment.deadline_steady_us = deadline_steady_us_;
  TransactionRows rows(container, key_, transaction_, DocumentNumber{});
  query::QueryExecution execution(plan, rows, environment);
  RowsText page;
  script::OperationReply reply;
  uint64_t count = 0;
  while (true) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    if (step == query::QueryExecution::Step::kEnd) break;
    if (count >= given && page.is_full(page_size(asked))) {
      reply.continuation = std::to_string(count);
      break;
    }
    if (count++ >= given) page.add(row);
  }
  transaction_.work() += rows.work();
  reply.body = page.take();
  return reply;
}

}  // namespace partita
