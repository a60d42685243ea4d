#include "query/execute/sort_buffer.h"

#include "query/execute/evaluator.h"

#include <algorithm>

namespace partita::query {
namespace {

// With a limit, surplus rows are dropped when there are this many times as many.
constexpr uint64_t kSurplusFactor = 2;
constexpr uint64_t kLimitedRowsMax = 1 << 20;

}  // namespace

std::optional<std::string> sort_key_of_row(const Plan& plan, Execution& execution) {
  std::string order;
  for (const SortKey& key : plan.order) {
    const Datum value = evaluate(key.scalar, execution);
    if (key.drops_undefined && value.is_undefined()) return std::nullopt;
    append_sort_key(order, value, key.is_descending);
  }
  return order;
}

Place place_in_order(const Plan& plan, const std::string& order, const Origin& origin, const Position& position) {
  std::strong_ordering where = order <=> position.order;
  if (where == 0) where = compare_ties(plan, origin, position.origin);
  if (where == 0) return position.is_repeated ? Place::kAtPosition : Place::kSeen;
  return where < 0 ? Place::kSeen : Place::kBehind;
}

SortBuffer::SortBuffer(const Plan& plan, std::optional<uint64_t> rows_max, const Position* after, Execution& execution)
    : plan_(plan), rows_max_(rows_max), after_(after), execution_(execution) {
  if (rows_max_ && *rows_max_ > kLimitedRowsMax) rows_max_.reset();
}

SortBuffer::~SortBuffer() { execution_.release(bytes_); }

size_t SortBuffer::Row::bytes() const { return sizeof(Row) + order.size() + origin.group.size() + value.bytes(); }

bool SortBuffer::is_wanted(const Row& row) const {
  return after_ == nullptr || place_in_order(plan_, row.order, row.origin, *after_) != Place::kSeen;
}

void SortBuffer::add(const Datum& row, Origin origin) {
  if (auto order = sort_key_of_row(plan_, execution_)) add_in_order(row, std::move(origin), *std::move(order));
}

void SortBuffer::add_in_order(const Datum& row, Origin origin, std::string order) {
  Row added{.order = std::move(order), .origin = std::move(origin), .value = {}};
  if (!is_wanted(added)) return;
  ++wanted_;
  added.value = KeptDatum(row);
  bytes_ += added.bytes();
  execution_.buffer(added.bytes());
  rows_.push_back(std::move(added));
  if (rows_max_ && rows_.size() > std::max<uint64_t>(*rows_max_ * kSurplusFactor, 64)) drop_surplus();
}

bool SortBuffer::is_before(const Row& left, const Row& right) const {
  if (auto order = left.order <=> right.order; order != 0) return order < 0;
  return compare_ties(plan_, left.origin, right.origin) < 0;
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
