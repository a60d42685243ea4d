#include "gateway/scripts/transaction_rows.h"

#include <algorithm>

namespace partita {

TransactionRows::TransactionRows(const Container& container, const query::Plan* plan, const QueryRequest& request,
                                 const query::Environment& environment, const Transaction& transaction,
                                 std::vector<PendingDurability>& pending)
    : range_(request.range), stored_(container, plan, request, environment, DocumentRows::Use::kEach, pending) {
  transaction.visit_changes([&](DocumentNumber number, const Item* item) { changes_.push_back({number, item}); });
  std::ranges::sort(changes_, {}, &Change::number);
  const auto first = std::ranges::upper_bound(changes_, stored_.begins_after(), {}, &Change::number);
  next_change_ = static_cast<size_t>(first - changes_.begin());
}

Status TransactionRows::find_stored() {
  while (!has_stored_row_) {
    TRY_ASSIGN(stored_row_, stored_.next());
    const bool is_changed = std::ranges::binary_search(changes_, DocumentNumber{stored_.number()}, {}, &Change::number);
    has_stored_row_ = stored_row_.is_undefined() || !is_changed;
  }
  return {};
}

Result<Value> TransactionRows::give(DocumentNumber number, const Value& document) {
  note_row(number, document.bytes().size());
  return document;
}

Result<Value> TransactionRows::next() {
  TRY(find_stored());
  while (next_change_ < changes_.size()) {
    const Change& change = changes_[next_change_];
    if (!stored_row_.is_undefined() && stored_.number() < change.number.value) break;
    ++next_change_;
    if (change.item != nullptr) return give(change.number, change.item->document());
  }
  if (stored_row_.is_undefined()) {
    note_end();
    return Value();
  }
  has_stored_row_ = false;
  return give(DocumentNumber{stored_.number()}, stored_row_);
}

Result<std::unique_ptr<QueryRows>> open_rows_of(const Transaction& transaction, const Container& container,
                                                const query::Plan& plan, const QueryRequest& request,
                                                const query::Environment& environment, std::vector<PendingDurability>& pending) {
  bool has_changes = false;
  transaction.visit_changes([&](DocumentNumber, const Item*) { has_changes = true; });
  if (!has_changes) return open_rows(container, plan, request, environment, pending);
  return std::make_unique<TransactionRows>(container, &plan, request, environment, transaction, pending);
}

}  // namespace partita
