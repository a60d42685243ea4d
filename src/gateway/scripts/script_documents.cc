#include "gateway/scripts/script_documents.h"

#include "cluster/tenants.h"
#include "document/json/json.h"
#include "gateway/query/query_functions.h"
#include "gateway/scripts/script_attachments.h"
#include "gateway/scripts/transaction_rows.h"
#include "partition/charge/request_units.h"
#include "partition/charge/throttling.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>

namespace partita {
namespace {

constexpr size_t kPageItemsMax = 1'000;
constexpr size_t kPageBytesMax = 4 << 20;

// Of an operation: its name, then
//   create, upsert, replace, delete, read: document, etag, "name" or "number", which document
//   feed: continuation, page size        query: specification, continuation, page size
enum Field : size_t { kName, kDocument, kEtag, kAddressing, kAddress };

const std::map<std::string_view, ItemVerb> kVerbs = {{"create", ItemVerb::kCreate},
                                                     {"upsert", ItemVerb::kUpsert},
                                                     {"replace", ItemVerb::kReplace},
                                                     {"delete", ItemVerb::kErase},
                                                     {"read", ItemVerb::kRead}};

Result<size_t> page_size(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::kInvalidInput, "The page size is not a number.");
  return static_cast<size_t>(std::clamp<uint64_t>(number, 1, kPageItemsMax));
}

// When the memory for all scripts is used up: when to come back.
constexpr int64_t kStagingWaitUs = 1'000'000;

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

ScriptDocuments::ScriptDocuments(const ItemWorkshop& workshop, const Catalog& catalog, const ScriptTexts& texts,
                                 const PartitionKey& key, Transaction& transaction, const ScriptBounds& bounds)
    : workshop_(workshop),
      catalog_(catalog),
      texts_(texts),
      key_(key),
      transaction_(transaction),
      bounds_(bounds),
      partition_(locate(*workshop.container, key, {}).place->partition),
      staged_(bounds.staging.memory, tenant_of(*workshop.container).database) {}

Result<script::OperationReply> ScriptDocuments::operate(const script::Message& operation, script::FunctionSession& functions) {
  ++operations_;
  const auto reply = [&]() -> Result<script::OperationReply> {
    TRY(check_room());
    if (operation.field(kName) == "feed") return read_feed(operation);
    if (operation.field(kName) == "query") return run_query(operation, functions);
    if (is_attachment_operation(operation)) return operate_on_attachments(operation);
    TRY_ASSIGN(std::string body, write(operation));
    return script::OperationReply{0, std::move(body), {}};
  };
  Result<script::OperationReply> done = reply();
  // The transaction's end waits for all that it has seen.
  if (!pending_.empty()) transaction_.note_pending();
  pending_.clear();
  if (transaction_.read_bytes() > kScriptReadBytesKept) transaction_.forget_unchanged();
  TRY(settle());
  if (done) return done;
  return script::OperationReply{script::error_number(done.error().code), texts_.message_of(done.error()), {}};
}

Status ScriptDocuments::check_room() const {
  TRY(transaction_.check_room());
  if (transaction_.held_bytes() <= bounds_.staging.bytes_each_max) return {};
  return fail(ErrorCode::kTooLarge, "The transaction is too large for the memory of this server. Do the work in several parts.");
}

Status ScriptDocuments::note_time(uint64_t processor_us) {
  transaction_.work().script_us = earlier_us_ + processor_us;
  return settle();
}

int64_t ScriptDocuments::debt_us() const {
  const int64_t debt_us = partition_->debt_us(workshop_.clock.steady_us());
  if (debt_us == 0) return 0;
  const double own_seconds = transaction_.charged() / partition_->budget_rate();
  return std::min(debt_us, static_cast<int64_t>(own_seconds * static_cast<double>(RequestBudget::kSecondUs)));
}

Status ScriptDocuments::settle() {
  const double units = charge_for(transaction_.work()) - transaction_.charged();
  if (units > 0) {
    partition_->charge(units);
    transaction_.note_charged(units);
  }
  if (bounds_.is_abandoned != nullptr && bounds_.is_abandoned->load(std::memory_order_relaxed)) {
    return fail(ErrorCode::kTimeout, "The client no longer waits for the script.");
  }
  // Once as documents, and once more as the batch that they become.
  if (!staged_.grow_to(2 * transaction_.held_bytes())) return throttled(kStagingWaitUs);
  if (debt_us() <= kScriptDebtMaxUs) return {};
  const Result<int64_t> refused = partition_->admit(Priority::kHigh);
  if (!refused) return std::unexpected(refused.error());
  return {};
}

bool ScriptDocuments::accepts() const {
  return debt_us() <= kScriptDebtAcceptedUs && transaction_.held_bytes() <= bounds_.staging.bytes_each_max / 2 &&
         transaction_.work().writes <= kScriptWritesAccepted;
}

Result<script::ScriptOutcome> ScriptDocuments::run(script::ScriptEngine& engine, script::ScriptCall call) {
  const int64_t left_us = bounds_.deadline_steady_us - workshop_.clock.steady_us();
  if (left_us <= 0) return fail(ErrorCode::kTimeout, "The scripts of this request exceeded their time limit.");
  call.time_left = std::chrono::milliseconds(std::max<int64_t>(left_us / 1'000, 1));
  ++transaction_.work().scripts;
  Result<script::ScriptOutcome> outcome = engine.run(call, *this);
  earlier_us_ = transaction_.work().script_us;
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
    const PartitionKeyDefinition& definition = workshop_.container->definition.partition_key;
    if (stored && PartitionKey::of(stored->document(), definition) == key_) id = stored->id();
  }
  if (!id) return item_not_found();
  return *std::move(id);
}

Result<std::string> ScriptDocuments::named(const script::Message& operation) {
  if (operation.field(kAddressing) != "number") return std::string(operation.field(kAddress));
  const std::optional<DocumentNumber> number = texts_.document_number(operation.field(kAddress), *workshop_.container);
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

Result<script::OperationReply> ScriptDocuments::operate_on_attachments(const script::Message& operation) {
  constexpr size_t kPageSize = 2;  // of a feed; others have something else there
  TRY_ASSIGN(const std::string id, named(operation));
  TRY_ASSIGN(const Item* document, transaction_.find(locate(*workshop_.container, key_, id).item_key));
  if (document == nullptr) return item_not_found();
  const size_t items_max = page_size(operation.field(kPageSize)).value_or(kPageItemsMax);
  return partita::operate_on_attachments(workshop_, texts_, transaction_, *document, operation, items_max, environment());
}

QueryRequest ScriptDocuments::page_request(size_t items_max) const {
  const Container& container = *workshop_.container;
  QueryRequest request;
  request.range = range_of_prefix(key_, container.definition.partition_key);
  if (container.has_partition_key()) request.key = key_;
  request.items_max = items_max;
  request.pauses = false;
  return request;
}

query::Environment ScriptDocuments::environment() const {
  query::Environment environment{.clock = workshop_.clock, .random = workshop_.random};
  environment.deadline_steady_us = bounds_.deadline_steady_us;
  environment.is_cancelled = bounds_.is_abandoned;
  environment.buffered_bytes_max = bounds_.staging.query_bytes_max;
  environment.memory = bounds_.staging.queries;
  environment.tenant = tenant_of(*workshop_.container).database;
  return environment;
}

Result<script::OperationReply> ScriptDocuments::read_feed(const script::Message& operation) {
  const Container& container = *workshop_.container;
  TRY_ASSIGN(const size_t asked, page_size(operation.field(2)));
  QueryRequest request = page_request(asked);
  if (!operation.field(1).empty()) {
    TRY_ASSIGN(const FeedContinuation continuation, texts_.decode_feed(operation.field(1), container));
    request.from.emplace().range = request.range;
    request.from->progress.origin.number = continuation.position.after.value;
  }
  const query::Environment plain = environment();
  TransactionRows rows(container, nullptr, request, plain, transaction_, pending_);
  RowsText page;
  script::OperationReply reply;
  DocumentNumber last;
  while (true) {
    TRY_ASSIGN(const Value row, rows.next());
    if (row.is_undefined()) break;
    if (page.is_full(request.items_max)) {
      reply.continuation = texts_.encode(FeedContinuation{{request.range, last}, request.range}, container);
      break;
    }
    page.add(row);
    last = DocumentNumber{rows.number()};
  }
  transaction_.work() += WorkDone{
      .pages = 1, .documents_loaded = rows.rows(), .loaded_bytes = rows.bytes(), .index_entries_read = rows.entries_read()};
  reply.body = page.take();
  return reply;
}

Result<script::OperationReply> ScriptDocuments::run_query(const script::Message& operation, script::FunctionSession& functions) {
  const Container& container = *workshop_.container;
  TRY_ASSIGN(const std::string body, stored_from_json(operation.field(1)));
  TRY_ASSIGN(const size_t asked, page_size(operation.field(3)));
  TRY_ASSIGN(const query::QuerySpecification specification, query::QuerySpecification::from(Value::view(body)));
  TRY_ASSIGN(const query::Plan plan,
             query::compile(specification, query::Schema::of(Value::view(container.definition.properties_for_queries()))));
  TRY(check_functions_exist(plan, catalog_, container));
  QueryRequest request = page_request(asked);
  if (!operation.field(2).empty()) {
    TRY_ASSIGN(QueryContinuation continuation,
               texts_.decode_query(operation.field(2), query::resumption_text(specification), plan, container));
    request.from = std::move(continuation.position);
  }
  QueryFunctions user_functions(catalog_, container, functions);
  query::Environment with_functions = environment();
  with_functions.user_functions = &user_functions;
  TRY_ASSIGN(const std::unique_ptr<QueryRows> rows,
             open_rows_of(transaction_, container, plan, request, with_functions, pending_));
  TRY_ASSIGN(const QueryPage page, read_page(*rows, plan, request, with_functions));
  transaction_.work() += page.work;
  RowsText text;
  for (const std::string& row : page.rows) text.add(Value::view(row));
  script::OperationReply reply;
  reply.body = text.take();
  if (page.next)
    reply.continuation =
        texts_.encode(QueryContinuation{*page.next, request.range}, query::resumption_text(specification), container);
  return reply;
}

}  // namespace partita
