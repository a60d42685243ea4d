#pragma once

#include "base/result.h"
#include "engine/transaction.h"
#include "gateway/feed.h"
#include "query/query.h"

#include <optional>
#include <vector>

namespace partita {

// TransactionRows: the documents of one logical partition as a transaction of it sees them, in the order of their numbers.
//
// REQUIRES: while it is used, the transaction does not change and nobody else writes to the logical partition.
class TransactionRows final : public query::RowSource {
 public:
  // Documents with a number above `after`.
  TransactionRows(const Container& container, const PartitionKey& key, const Transaction& transaction, DocumentNumber after);

  Result<Value> next() override;
  uint64_t number() const override { return current_.number.value; }
  // What reading has cost so far.
  const WorkDone& work() const { return work_; }

 private:
  // A document that the transaction has written, or (without item) deleted.
  struct Change {
    DocumentNumber number;
    const Item* item;
  };

  Status read_page();
  // The next stored document that the transaction has not changed; null at the end.
  Result<Item*> peek_stored();

  const Container& container_;
  FeedRequest request_;
  std::vector<Change> changes_;  // by number
  size_t next_change_ = 0;
  FeedPage page_;
  size_t at_ = 0;
  bool is_last_page_ = false;
  std::vector<Unsettled> unsettled_;  // not looked at: the transaction's end waits for all it has seen
  Item current_;
  WorkDone work_;
};

}  // namespace partita
