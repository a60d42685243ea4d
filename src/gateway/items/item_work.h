#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "cluster/resources.h"
#include "document/patch.h"
#include "engine/item/document_maker.h"
#include "gateway/items/location.h"
#include "query/plan/plan.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace partita {

enum class ItemVerb { kCreate, kUpsert, kReplace, kRead, kErase, kPatch };

// What a client wants done with one document. The body must live until the outcome is told.
struct ItemOperation {
  ItemVerb verb = ItemVerb::kRead;
  std::string id;  // which document; that of a created one comes from the body, if documents have system properties
  std::optional<PartitionKey> key;  // of the request; a created document's own key must agree with it
  // Whether a key that is undefined in the request is whatever the server computes for the document (query::SyntheticKey): not
  // where the request is limited to that key, or runs in its logical partition with others.
  bool takes_computed_key = false;
  std::variant<std::string_view, Value> body;  // the document or the patch: JSON, or stored form
  std::string if_match;                        // empty: no condition
  Priority priority = Priority::kHigh;         // who gives way when the budget is used up
  Partition::Length length = Partition::Length::kShort;
  size_t stored_bytes_max = SIZE_MAX;  // what is stored is not changed if it has more: see ItemWork::is_left()
};

// kPreconditionFailed unless the condition is empty, * or the version.
Status check_if_match(std::string_view if_match, std::string_view etag, ItemVerb verb);

// Whether the request says nothing about the key of what is written, as SDKs do for a document that has none at the key's paths,
// and may leave it to the server.
bool leaves_key_open(const ItemOperation& operation);

// What operations on a container's documents are made with.
struct ItemWorkshop {
  std::shared_ptr<const Container> container;
  const Clock& clock;
  const DocumentMaker& documents;
  Random& random;
};

// The key that the server computes for a document that is to be created or upserted. REQUIRES: the container has a synthetic key.
Result<PartitionKey> computed_key_of(const ItemWorkshop& workshop, const ItemOperation& operation, std::string_view json);

// ItemWork: one operation on one document. Prepared before any lock is taken, run inside a transaction of its logical partition,
// alone or after others. Not thread-safe.
class ItemWork {
 public:
  // Errors: kInvalidInput, kInvalidQuery, kPartitionKeyMismatch, kTooLarge.
  static Result<ItemWork> prepare(const ItemWorkshop& workshop, const ItemOperation& operation);

  ItemVerb verb() const { return verb_; }
  const Location& at() const { return at_; }

  // Errors: kNotFound, kAlreadyExists, kPreconditionFailed, those of the preparation; after one nothing has
  // changed.
  Status run(Transaction& transaction);

  // After run(): the document as read or written; empty after a deletion.
  const Item& item() const { return item_; }
  bool was_created() const { return was_created_; }
  // run() failed only because the document that is stored is larger than the operation may take on. That is known when it is
  // read, which costs little; to change it costs time for each of its values.
  bool is_left() const { return is_left_; }
  // Of the document that was read, written or deleted.
  size_t bytes() const { return bytes_; }
  // The document, once the LSN that the transaction got is known.
  Item take_item(Lsn lsn);

 private:
  ItemWork(const ItemWorkshop& workshop, ItemVerb verb) : workshop_(workshop), verb_(verb) {}

  Status prepare_put(const ItemOperation& operation);
  Status prepare_patch(const ItemOperation& operation);
  Result<ItemDraft> draft_of(const std::variant<std::string_view, Value>& body, std::string_view id) const;
  Status complete(ItemDraft& draft, const std::optional<PartitionKey>& given) const;
  Status check_stays(const ItemDraft& draft, const Item& stored) const;
  Result<ItemDraft> plain_draft_of(const std::variant<std::string_view, Value>& body, std::string_view name) const;
  Status leave_if_large(const Item& stored);
  Status run_put(Transaction& transaction);
  Status run_patch(Transaction& transaction, const Item& stored);
  Status check_condition(const Item& stored) const;
  Status put(Transaction& transaction, ItemDraft draft, DocumentNumber number);
  Status put_renamed(Transaction& transaction, const Item& stored);

  ItemWorkshop workshop_;
  ItemVerb verb_;
  Location at_;
  std::string old_item_key_;  // where it is when a replace changes its id, else empty
  std::string if_match_;
  std::optional<ItemDraft> draft_;
  Patch patch_;
  std::optional<query::Plan> condition_;  // of the patch
  Item item_;
  size_t stored_bytes_max_ = SIZE_MAX;
  bool was_created_ = false;
  bool is_left_ = false;
  size_t bytes_ = 0;
};

}  // namespace partita
