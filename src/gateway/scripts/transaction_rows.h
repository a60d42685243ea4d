#pragma once

#include "base/result.h"
#include "engine/transaction.h"
#include "gateway/query/rows/document_rows.h"

#include <memory>
#include <vector>

namespace partita {

// TransactionRows: the documents of one logical partition as a transaction of it sees them, in the order of their numbers. The
// index leaves out stored documents that the plan cannot need; those that the transaction has written are not in it.
//
// REQUIRES: while it is used, the transaction does not change and nobody else writes to the logical partition.
class TransactionRows final : public QueryRows {
 public:
  // All but the container's parts outlive it, `plan` too; without plan all documents are given.
  TransactionRows(const Container& container, const query::Plan* plan, const QueryRequest& request,
                  const query::Environment& environment, const Transaction& transaction, std::vector<PendingDurability>& pending);

  Result<Value> next() override;
  bool is_seen() const override { return number() <= stored_.seen_up_to().value; }
  EffectiveKeyRange range() const override { return range_; }
  uint64_t entries_read() const override { return stored_.entries_read(); }
  std::string use_text() const override { return stored_.use_text(); }

 private:
  // A document that the transaction has written, or (without item) deleted.
  struct Change {
    DocumentNumber number;
    const Item* item;
  };

  // Moves to the next stored document that the transaction has not changed, unless it stands there already.
  Status find_stored();
  Result<Value> give(DocumentNumber number, const Value& document);

  const EffectiveKeyRange range_;
  DocumentRows stored_;
  Value stored_row_;  // the next stored document, undefined at the end; given when the changes before it were
  bool has_stored_row_ = false;
  std::vector<Change> changes_;  // by number
  size_t next_change_ = 0;
};

// The rows of a page of a query as a transaction sees them: with the index as any query while it has changed nothing.
Result<std::unique_ptr<QueryRows>> open_rows_of(const Transaction& transaction, const Container& container,
                                                const query::Plan& plan, const QueryRequest& request,
                                                const query::Environment& environment, std::vector<PendingDurability>& pending);

}  // namespace partita
