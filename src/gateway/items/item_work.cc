#include "gateway/items/item_work.h"

#include "document/json/json.h"
#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

// A condition is about one document and is asked while others wait to write: what takes longer is no condition.
constexpr int64_t kConditionMicrosecondsMax = 20'000;

std::unexpected<Error> would_move(const PartitionKey& from, const PartitionKey& to) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("The partition key value of a document cannot change: it is {}, and what the document has now gives {}. "
                  "Delete the document and create it.",
                  from.to_json(), to.to_json()));
}

Status check_given_key(const std::optional<PartitionKey>& given, const PartitionKey& own_key,
                       const PartitionKeyDefinition& definition, bool is_of_stored = false) {
  if (!given) return {};
  TRY_ASSIGN(const PartitionKey whole, complete_key(given, definition));
  if (whole == own_key) return {};
  if (is_of_stored) return would_move(whole, own_key);
  return fail(ErrorCode::kPartitionKeyMismatch,
              fmt::format("The document has another partition key value than the request. The document has {}, the header {}.",
                          own_key.to_json(), whole.to_json()),
              ErrorDetail::kOtherKey);
}

bool is_undefined(const PartitionKeyComponent& component) { return std::holds_alternative<UndefinedKey>(component); }

// Neither what names a document and its place nor what the server gives it can be patched.
Status check_patch_path(const PatchPath& path, const ContainerDefinition& container) {
  const PartitionKeyDefinition& definition = container.partition_key;
  const std::string& root = path.steps.front();
  if ((container.form.has_system_properties && root == "id") || container.form.is_system_property(root)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The property '{}' of a document cannot be patched.", root));
  }
  for (const DocumentPath& key_path : definition.paths) {
    const PatchPath key{key_path.segments};
    if (!path.contains(key) && !key.contains(path)) continue;
    return fail(ErrorCode::kInvalidInput, fmt::format("{} cannot be patched: it belongs to the partition key.", path.text()));
  }
  return {};
}

// Documents with a value at a path of the key for which there is no component would all be in one logical partition, that of
// those without a value.
Status check_has_components(const Value& document, const PartitionKeyDefinition& definition) {
  for (const DocumentPath& path : definition.paths) {
    if (path.resolve(document).type() != ValueType::kExtended) continue;
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("The value at {} cannot be a partition key: that is a string, a number, true, false or null.", path.text()));
  }
  return {};
}

// What the server computes of a document's key; those parts that it has to add.
Result<std::vector<query::SyntheticKey::Addition>> additions_to(const ItemWorkshop& workshop, const Value& document,
                                                                const std::optional<PartitionKey>& given) {
  const ContainerDefinition& definition = workshop.container->definition;
  const auto draw = [&](uint32_t buckets) { return static_cast<uint32_t>(1 + workshop.random.below(buckets)); };
  return definition.synthetic_key->additions_to(document, definition.partition_key, given ? &*given : nullptr, draw);
}

}  // namespace

bool leaves_key_open(const ItemOperation& operation) {
  return operation.takes_computed_key && (!operation.key || std::ranges::all_of(operation.key->components, is_undefined));
}

Result<PartitionKey> computed_key_of(const ItemWorkshop& workshop, const ItemOperation& operation, std::string_view json) {
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  TRY_ASSIGN(const auto additions, additions_to(workshop, Value::view(stored), operation.key));
  const PartitionKeyDefinition& definition = workshop.container->definition.partition_key;
  PartitionKey key = PartitionKey::of(Value::view(stored), definition);
  for (const auto& [name, value] : additions) {
    const auto path = std::ranges::find(definition.paths, DocumentPath{{std::string(name)}});
    key.components[static_cast<size_t>(path - definition.paths.begin())] = value;
  }
  return key;
}

Status check_if_match(std::string_view if_match, std::string_view etag, ItemVerb verb) {
  if (if_match.empty() || if_match == "*" || if_match == etag) return {};
  return fail(ErrorCode::kPreconditionFailed, "The document has another version than the request demands.",
              verb == ItemVerb::kPatch ? ErrorDetail::kOtherPatchVersion : ErrorDetail::kOtherVersion);
}

Result<ItemWork> ItemWork::prepare(const ItemWorkshop& workshop, const ItemOperation& operation) {
  ItemWork work(workshop, operation.verb);
  work.if_match_ = operation.if_match;
  work.stored_bytes_max_ = operation.stored_bytes_max;
  const bool is_put =
      operation.verb == ItemVerb::kCreate || operation.verb == ItemVerb::kUpsert || operation.verb == ItemVerb::kReplace;
  if (is_put) {
    TRY(work.prepare_put(operation));
    return work;
  }
  TRY_ASSIGN(const PartitionKey key, complete_key(operation.key, workshop.container->definition.partition_key));
  work.at_ = locate(*workshop.container, key, operation.id);
  if (operation.verb == ItemVerb::kPatch) TRY(work.prepare_patch(operation));
  return work;
}

Result<ItemDraft> ItemWork::plain_draft_of(const std::variant<std::string_view, Value>& body, std::string_view name) const {
  const DocumentForm& form = workshop_.container->definition.form;
  const int64_t now = workshop_.clock.unix_seconds();
  if (const Value* value = std::get_if<Value>(&body)) return ItemDraft::plain(name, *value, form, now);
  TRY_ASSIGN(const std::string stored, stored_from_json(std::get<std::string_view>(body)));
  return ItemDraft::plain(name, Value::view(stored), form, now);
}

Result<ItemDraft> ItemWork::draft_of(const std::variant<std::string_view, Value>& body, std::string_view id) const {
  const Container& container = *workshop_.container;
  if (!container.definition.form.has_system_properties) return plain_draft_of(body, id);
  const int64_t now = workshop_.clock.unix_seconds();
  TRY_ASSIGN(ItemDraft draft, workshop_.documents.draft(body, container.definition.form.bytes_max, now));
  TRY(check_time_to_live(draft.document()));
  return draft;
}

Status ItemWork::prepare_put(const ItemOperation& operation) {
  const Container& container = *workshop_.container;
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  TRY_ASSIGN(draft_, draft_of(operation.body, operation.id));
  if (const DocumentPath* path = PartitionKey::repeated_in(draft_->document(), definition)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The document has several properties at {}, which belongs to the partition key.", path->text()));
  }
  if (!container.definition.form.has_system_properties) TRY(check_has_components(draft_->document(), definition));
  if (container.definition.synthetic_key) TRY(complete(*draft_, operation.key));
  const PartitionKey own_key = PartitionKey::of(draft_->document(), definition);
  if (!container.definition.synthetic_key) {
    TRY(check_given_key(operation.key, own_key, definition));
  } else if (!leaves_key_open(operation)) {
    TRY(check_given_key(operation.key, own_key, definition, operation.verb == ItemVerb::kReplace));
  }
  at_ = locate(container, own_key, draft_->id());
  const bool is_renamed = operation.verb == ItemVerb::kReplace && draft_->id() != operation.id;
  if (is_renamed) old_item_key_ = locate(container, own_key, operation.id).item_key;
  return {};
}

// Gives the document the parts of its key that the server computes.
Status ItemWork::complete(ItemDraft& draft, const std::optional<PartitionKey>& given) const {
  const Container& container = *workshop_.container;
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  TRY_ASSIGN(const auto additions, additions_to(workshop_, draft.document(), given));
  if (!additions.empty()) {
    draft.record() = record_with_members(draft.record(), [&](StoredWriter& out) { query::SyntheticKey::write(out, additions); });
  }
  if (std::ranges::any_of(PartitionKey::of(draft.document(), definition).components, is_undefined)) {
    container.lineage->note_undefined_key();
  }
  return {};
}

// A patch of a property that the key is computed from.
Status ItemWork::check_stays(const ItemDraft& draft, const Item& stored) const {
  const PartitionKeyDefinition& definition = workshop_.container->definition.partition_key;
  const PartitionKey before = PartitionKey::of(stored.document(), definition);
  const PartitionKey after = PartitionKey::of(draft.document(), definition);
  return before == after ? Status() : would_move(before, after);
}

Status ItemWork::prepare_patch(const ItemOperation& operation) {
  std::string stored;
  if (const std::string_view* json = std::get_if<std::string_view>(&operation.body)) {
    TRY_ASSIGN(stored, stored_from_json(*json));
  } else {
    stored = std::get<Value>(operation.body).bytes();
  }
  TRY_ASSIGN(patch_, Patch::parse(Value::view(stored)));
  const ContainerDefinition& definition = workshop_.container->definition;
  for (const PatchOperation& change : patch_.operations) {
    TRY(check_patch_path(change.path, definition));
    if (change.kind == PatchOperation::Kind::kMove) TRY(check_patch_path(change.from, definition));
  }
  if (!patch_.condition.empty()) {
    TRY_ASSIGN(condition_, query::compile({.text = "SELECT VALUE true " + patch_.condition, .parameters = {}}));
  }
  return {};
}

Status ItemWork::run(Transaction& transaction) {
  if (draft_) return run_put(transaction);
  TRY_ASSIGN(const Item* stored, transaction.find(at_.item_key));
  if (stored == nullptr) return item_not_found();
  bytes_ = stored->record.size();
  if (verb_ == ItemVerb::kRead) {
    item_ = *stored;
    transaction.work().add_lookup(bytes_);
    return {};
  }
  TRY(check_if_match(if_match_, stored->etag(), verb_));
  TRY(leave_if_large(*stored));
  if (verb_ == ItemVerb::kPatch) return run_patch(transaction, *stored);
  transaction.erase(at_.item_key);
  return {};
}

Status ItemWork::leave_if_large(const Item& stored) {
  is_left_ = stored.record.size() > stored_bytes_max_;
  if (!is_left_) return {};
  return fail(ErrorCode::kTimeout, "The document is too large to be changed at once.");
}

Status ItemWork::run_put(Transaction& transaction) {
  TRY_ASSIGN(const Item* stored, transaction.find(at_.item_key));
  const bool is_renamed = !old_item_key_.empty();
  if (stored != nullptr && (verb_ == ItemVerb::kCreate || is_renamed)) return item_already_exists();
  if (is_renamed) {
    TRY_ASSIGN(stored, transaction.find(old_item_key_));
  }
  if (stored == nullptr && verb_ == ItemVerb::kReplace) return item_not_found();
  if (stored != nullptr) {
    TRY(check_if_match(if_match_, stored->etag(), verb_));
    TRY(leave_if_large(*stored));
  }
  if (is_renamed) return put_renamed(transaction, *stored);
  was_created_ = stored == nullptr;
  if (!was_created_) return put(transaction, *std::move(draft_), stored->number);
  TRY_ASSIGN(const DocumentNumber number, workshop_.container->numbers->next());
  return put(transaction, *std::move(draft_), number);
}

Status ItemWork::put_renamed(Transaction& transaction, const Item& stored) {
  Item before = stored;
  transaction.erase(old_item_key_);
  Status outcome = put(transaction, *std::move(draft_), before.number);
  if (!outcome) TRY(transaction.put(old_item_key_, std::move(before)));
  return outcome;
}

Status ItemWork::run_patch(Transaction& transaction, const Item& stored) {
  TRY(check_condition(stored));
  TRY_ASSIGN(const std::string patched, patch_.apply(stored.document()));
  TRY_ASSIGN(ItemDraft draft, draft_of(Value::view(patched), stored.id()));
  if (workshop_.container->definition.synthetic_key) {
    TRY(complete(draft, std::nullopt));
    TRY(check_stays(draft, stored));
  }
  return put(transaction, std::move(draft), stored.number);
}

Status ItemWork::check_condition(const Item& stored) const {
  if (!condition_) return {};
  const std::array<Value, 1> rows = {stored.document()};
  query::ListedRows source(rows);
  query::Environment environment{.clock = workshop_.clock, .random = workshop_.random};
  environment.deadline_steady_us = workshop_.clock.steady_us() + kConditionMicrosecondsMax;
  query::QueryExecution execution(*condition_, source, environment);
  Value row;
  TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
  if (step == query::QueryExecution::Step::kRow) return {};
  return fail(ErrorCode::kPreconditionFailed, "The document does not fulfil the condition of the patch.",
              ErrorDetail::kPatchCondition);
}

Status ItemWork::put(Transaction& transaction, ItemDraft draft, DocumentNumber number) {
  if (draft.has_system_properties()) workshop_.documents.set_number(draft, workshop_.container->own_numbers(), number);
  item_ = Item{number, std::move(draft.record())};
  bytes_ = item_.record.size();
  return transaction.put(at_.item_key, item_);
}

Item ItemWork::take_item(Lsn lsn) {
  const bool is_write = verb_ != ItemVerb::kRead && !item_.record.empty();
  if (is_write) set_lsn(item_.record, lsn);
  return std::move(item_);
}

}  // namespace partita
