#include "query/execute/sort_buffer.h"

#include "query/execute/evaluator.h"

#include <algorithm>

namespace partita::query {
namespace {

// With a limit, surplus rows are dropped when there are this many times as many.
constexpr uint64_t kSurplusFactor = 2;
constexpr uint64_t kLimitedRowsMax = 1 << 20;

}  // namespace

SortBuffer::SortBuffer(const std::vector<SortKey>& order, std::optional<uint64_t> rows_max, Execution& execution)
    : order_(order), rows_max_(rows_max), execution_(execution) {
  if (rows_max_ && *rows_max_ > kLimitedRowsMax) rows_max_.reset();
}

SortBuffer::~SortBuffer() { execution_.release(bytes_); }

size_t SortBuffer::Row::bytes() const {
  size_t bytes = sizeof(Row) + value.bytes();
  for (const KeptDatum& key : keys) bytes += key.bytes();
  return bytes;
}

void SortBuffer::add(const Datum& row) {
  Row added;
  added.keys.reserve(order_.size());
  for (const SortKey& key : order_) added.keys.emplace_back(evaluate(key.scalar, execution_));
  added.value = KeptDatum(row);
  added.sequence = sequence_++;
  bytes_ += added.bytes();
  execution_.buffer(added.bytes());
  rows_.push_back(std::move(added));
  if (rows_max_ && rows_.size() > std::max<uint64_t>(*rows_max_ * kSurplusFactor, 64)) drop_surplus();
}

bool SortBuffer::is_before(const Row& left, const Row& right) const {
  for (size_t i = 0; i < order_.size(); ++i) {
    auto order = compare(left.keys[i].value(), right.keys[i].value());
    if (order != 0) return order_[i].is_descending ? order > 0 : order < 0;
  }
  return order_.front().is_descending ? left.sequence > right.sequence : left.sequence < right.sequence;
}

void SortBuffer::drop_surplus() {
  auto kept = rows_.begin() + static_cast<ptrdiff_t>(*rows_max_);
  std::nth_element(rows_.begin(), kept, rows_.end(),
                   [this](const Row& left, const Row& right) { return is_before(left, right); });
  size_t dropped = 0;
  for (auto row = kept; row != rows_.end(); ++row) dropped += row->bytes();
  rows_.erase(kept, rows_.end());
  bytes_ -= dropped;
  execution_.release(dropped);
}

bool SortBuffer::next(Datum& row) {
  if (!is_sorted_) {
    std::ranges::sort(rows_, [this](const Row& left, const Row& right) { return is_before(left, right); });
    is_sorted_ = true;
  }
  if (next_ == rows_.size()) return false;
  row = rows_[next_++].value.value();
  return true;
}

}  // namespace partita::query
