#pragma once

#include "gateway/items/items.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace partita {

inline constexpr size_t kBatchOperationsMax = 100;
// What the documents of a batch's answer may have together.
inline constexpr size_t kBatchAnswerBytesMax = 4 * 1024 * 1024;

// One operation of a batch.
struct BatchStep {
  ItemOperation operation;
  bool wants_document = true;  // in the answer
  std::string if_none_match;   // of a read: without the document when this is its version; * is every version
};

// What became of one operation: an error, its outcome, or neither because another operation failed.
struct BatchStepOutcome {
  ItemVerb verb = ItemVerb::kRead;
  bool was_run = false;
  std::optional<Error> error;
  Item item;                   // as read or written; empty after a deletion
  bool wants_document = true;  // of its step
  bool was_created = false;
  bool is_unchanged = false;  // a read that found the version its client has
  double charge = 0;
};

struct BatchOutcome {
  std::vector<BatchStepOutcome> steps;  // one for each operation, in their order
  std::shared_ptr<const Container> container;
  const PartitionPlace* place = nullptr;  // of `container`
  Lsn lsn;
  double charge = 0;

  bool has_failed() const;
};

using BatchCallback = std::move_only_function<void(Result<BatchOutcome>)>;

// The bodies of the steps must live until the callback runs.

// Transactional batch: all operations, on documents of one logical partition, in one transaction; when one fails, nothing is
// changed. The callback runs once what it tells is durable.
void run_batch(const Items& items, const Items::ContainerPtr& container, const std::optional<PartitionKey>& key,
               std::vector<BatchStep> steps, BatchCallback callback);

// Bulk: each operation a transaction of its own, on any key. A partition that the request names must own all the keys: those it
// does not own fail with kPartitionGone. Without `continues_on_error` nothing is run behind the first failure.
struct BulkOptions {
  // The rest of the operations, or why they cannot be run.
  using Next = std::move_only_function<void(const Status&)>;
  using OnWorker = std::function<void(Next)>;

  const PartitionPlace* place = nullptr;  // null: any
  bool continues_on_error = true;
  // Calls it on a thread that may take its time: an operation that waits for another is begun where that one became durable.
  // Without it, it is called there.
  OnWorker on_worker = {};
};
void run_bulk(const Items& items, const Items::ContainerPtr& container, const BulkOptions& options, std::vector<BatchStep> steps,
              BatchCallback callback);

}  // namespace partita
