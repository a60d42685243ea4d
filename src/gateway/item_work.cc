#include "gateway/item_work.h"

#include <fmt/format.h>

namespace partita {
namespace {

Status check_if_match(std::string_view if_match, const Item& item) {
  if (if_match.empty() || if_match == "*" || if_match == item.etag()) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "Operation cannot be performed because one of the specified precondition is not met: the document has changed "
              "since the etag in If-Match.");
}

Status check_given_key(const std::optional<PartitionKey>& given, const PartitionKey& own_key,
                       const PartitionKeyDefinition& definition) {
  if (!given) return {};
  TRY_ASSIGN(const PartitionKey whole, complete_key(given, definition));
  if (whole == own_key) return {};
  return fail(ErrorCode::kPartitionKeyMismatch, fmt::format("PartitionKey extracted from document doesn't match the one "
                                                            "specified in the header: the document has {}, the header {}.",
                                                            own_key.to_json(), whole.to_json()));
}

std::unexpected<Error> already_exists() {
  return fail(ErrorCode::kAlreadyExists, "Entity with the specified id already exists in the system.");
}

}  // namespace

Result<ItemWork> ItemWork::prepare(const ItemWorkshop& workshop, const ItemOperation& operation) {
  ItemWork work(workshop, operation.verb);
  work.if_match_ = operation.if_match;
  const bool is_put =
      operation.verb == ItemVerb::kCreate || operation.verb == ItemVerb::kUpsert || operation.verb == ItemVerb::kReplace;
  if (is_put) {
    TRY(work.prepare_put(operation));
    return work;
  }
  TRY_ASSIGN(const PartitionKey key, complete_key(operation.key, workshop.container->definition.partition_key));
  work.at_ = locate(*workshop.container, key, operation.id);
  return work;
}

Result<ItemDraft> ItemWork::draft_of(std::string_view body) const {
  const int64_t now = workshop_.clock.unix_seconds();
  return ItemDraft::from_json(body, workshop_.container->identity, workshop_.etags.next(now), now);
}

Status ItemWork::prepare_put(const ItemOperation& operation) {
  const Container& container = *workshop_.container;
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  TRY_ASSIGN(draft_, draft_of(operation.body));
  const PartitionKey own_key = PartitionKey::of(draft_->document(), definition);
  TRY(check_given_key(operation.key, own_key, definition));
  at_ = locate(container, own_key, draft_->id());
  const bool is_renamed = operation.verb == ItemVerb::kReplace && draft_->id() != operation.id;
  if (is_renamed) old_item_key_ = locate(container, own_key, operation.id).item_key;
  return {};
}

Status ItemWork::run(Transaction& transaction) {
  if (draft_) return run_put(transaction);
  TRY_ASSIGN(const Item* stored, transaction.find(at_.item_key));
  if (stored == nullptr) return item_not_found();
  bytes_ = stored->record.size();
  if (verb_ == ItemVerb::kRead) {
    item_ = *stored;
    return {};
  }
  TRY(check_if_match(if_match_, *stored));
  transaction.erase(at_.item_key);
  return {};
}

Status ItemWork::run_put(Transaction& transaction) {
  TRY_ASSIGN(const Item* stored, transaction.find(at_.item_key));
  const bool is_renamed = !old_item_key_.empty();
  if (stored != nullptr && (verb_ == ItemVerb::kCreate || is_renamed)) return already_exists();
  if (is_renamed) {
    TRY_ASSIGN(stored, transaction.find(old_item_key_));
  }
  if (stored == nullptr && verb_ == ItemVerb::kReplace) return item_not_found();
  if (stored != nullptr) TRY(check_if_match(if_match_, *stored));
  was_created_ = stored == nullptr;
  const DocumentNumber number = was_created_ ? workshop_.container->numbers->next() : stored->number;
  if (is_renamed) transaction.erase(old_item_key_);
  put(transaction, *std::move(draft_), number);
  return {};
}

void ItemWork::put(Transaction& transaction, ItemDraft draft, DocumentNumber number) {
  draft.set_number(number, workshop_.container->identity);
  item_ = Item{number, std::move(draft.record())};
  bytes_ = item_.record.size();
  transaction.put(at_.item_key, item_);
}

Item ItemWork::take_item(Lsn lsn) {
  const bool is_write = verb_ != ItemVerb::kRead && !item_.record.empty();
  if (is_write) set_lsn(item_.record, lsn);
  return std::move(item_);
}

}  // namespace partita
