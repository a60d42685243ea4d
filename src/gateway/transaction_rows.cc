#include "gateway/transaction_rows.h"

#include <algorithm>

namespace partita {

TransactionRows::TransactionRows(const Container& container, const PartitionKey& key, const Transaction& transaction,
                                 DocumentNumber after)
    : container_(container) {
  request_.range = range_of_prefix(key, container.definition.partition_key);
  if (container.has_partition_key()) request_.key = key;
  if (after.value > 0) request_.from = FeedPosition{request_.range, after};
  transaction.visit_changes([&](DocumentNumber number, const Item* item) {
    changes_.push_back({number, item});
    if (number <= after) ++next_change_;
  });
  std::ranges::sort(changes_, {}, &Change::number);
}

Status TransactionRows::read_page() {
  at_ = 0;
  TRY_ASSIGN(page_, read_feed_page(container_, request_, unsettled_));
  unsettled_.clear();
  work_ += page_.work;
  is_last_page_ = !page_.next.has_value();
  request_.from = page_.next;
  return {};
}

Result<Item*> TransactionRows::peek_stored() {
  while (true) {
    while (at_ == page_.items.size()) {
      if (is_last_page_) return nullptr;
      TRY(read_page());
    }
    Item& item = page_.items[at_];
    if (!std::ranges::binary_search(changes_, item.number, {}, &Change::number)) return &item;
    ++at_;
  }
}

Result<Value> TransactionRows::next() {
  TRY_ASSIGN(Item * stored, peek_stored());
  while (next_change_ < changes_.size()) {
    const Change& change = changes_[next_change_];
    if (stored != nullptr && stored->number < change.number) break;
    ++next_change_;
    if (change.item == nullptr) continue;
    current_ = *change.item;
    return current_.document();
  }
  if (stored == nullptr) return Value();
  current_ = std::move(*stored);
  ++at_;
  return current_.document();
}

}  // namespace partita
