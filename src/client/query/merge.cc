#include "client/query/merge.h"

#include "client/query/aggregation.h"
#include "document/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace partita::client {
namespace {

using NextRow = Answer<std::optional<Row>>;

// All rows of the first feed, then those of the second.
class ConcatenatedRows final : public RowSource {
 public:
  explicit ConcatenatedRows(PartitionRows& rows) : rows_(rows) {}

  NextRow next() override {
    while (!rows_.feeds().empty()) {
      const auto feed = rows_.feeds().begin();
      TRY_ASSIGN(const Row* front, rows_.front(feed));
      if (front != nullptr) {
        Row row = *front;
        rows_.pop(feed);
        return row;
      }
      rows_.feeds().erase(feed);
    }
    return std::nullopt;
  }

 private:
  PartitionRows& rows_;
};

// RowOrder: how rows compare that have `orderByItems`.
class RowOrder {
 public:
  explicit RowOrder(const QueryPlan& plan) : is_descending_(plan.is_descending) {}

  std::strong_ordering operator()(const Value& left, const Value& right) const {
    const Value left_items = left.find("orderByItems");
    const Value right_items = right.find("orderByItems");
    for (size_t index = 0; index < is_descending_.size(); ++index) {
      const std::strong_ordering order = compare(item(left_items, index), item(right_items, index));
      if (order != std::strong_ordering::equal) return is_descending_[index] ? 0 <=> order : order;
    }
    return std::strong_ordering::equal;
  }

 private:
  static Value item(const Value& items, size_t index) {
    return items.is_array() && index < items.size() ? items.element(index).find("item") : Value();
  }

  std::vector<bool> is_descending_;
};

// What a row of an ordered query carries; nothing if it is undefined.
std::optional<Row> payload_of(const Row& row) {
  const Value payload = row.value().find("payload");
  if (payload.is_undefined()) return std::nullopt;
  return row.part(payload);
}

// The least of the feeds' first rows; of equal ones that of the first feed.
class OrderedRows final : public RowSource {
 public:
  OrderedRows(PartitionRows& rows, const QueryPlan& plan) : rows_(rows), order_(plan) {}

  NextRow next() override {
    TRY(admit());
    while (!heads_.empty()) {
      std::ranges::pop_heap(heads_, comes_later());
      const PartitionRows::Feeds::iterator feed = heads_.back().feed;
      std::optional<Row> payload = payload_of(heads_.back().row);
      heads_.pop_back();
      rows_.pop(feed);
      seen_.erase(feed->get());
      TRY(admit());
      if (payload) return payload;
    }
    return std::nullopt;
  }

 private:
  struct Head {
    Row row;
    PartitionRows::Feeds::iterator feed;
  };

  // For a heap whose first element is the least; of equal ones that of the first feed.
  struct ComesLater {
    bool operator()(const Head& left, const Head& right) const {
      const std::strong_ordering order = rows(left.row.value(), right.row.value());
      if (order != std::strong_ordering::equal) return order > 0;
      return PartitionRows::hashes_of(**left.feed).min > PartitionRows::hashes_of(**right.feed).min;
    }
    const RowOrder& rows;
  };
  ComesLater comes_later() const { return {order_}; }

  // Takes the first row of each feed of which there is none in the heap.
  Answer<void> admit() {
    for (auto feed = rows_.feeds().begin(); feed != rows_.feeds().end() && seen_.size() < rows_.feeds().size();) {
      if (seen_.contains(feed->get())) {
        ++feed;
        continue;
      }
      TRY_ASSIGN(const Row* front, rows_.front(feed));
      if (front == nullptr) {
        feed = rows_.feeds().erase(feed);
        continue;
      }
      heads_.push_back({.row = *front, .feed = feed});
      std::ranges::push_heap(heads_, comes_later());
      seen_.insert(feed->get());
      ++feed;
    }
    return {};
  }

  PartitionRows& rows_;
  RowOrder order_;
  std::vector<Head> heads_;
  std::unordered_set<const PartitionRows::Feed*> seen_;  // that have a row in the heap
};

// All rows at once, where partitions do not give theirs in order.
class SortedRows final : public RowSource {
 public:
  SortedRows(std::unique_ptr<RowSource> source, const QueryPlan& plan) : source_(std::move(source)), order_(plan) {}

  NextRow next() override {
    if (source_ != nullptr) TRY(sort());
    while (position_ < rows_.size()) {
      if (std::optional<Row> payload = payload_of(rows_[position_++].row)) return payload;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kRowsMax = 50'000;
  struct Numbered {
    Row row;
    size_t number;
  };

  Answer<void> sort() {
    while (true) {
      TRY_ASSIGN(std::optional<Row> row, source_->next());
      if (!row) break;
      if (rows_.size() >= kRowsMax) {
        return std::unexpected(
            Failure(Error{ErrorCode::kTooLarge,
                          fmt::format("this order needs all rows at once, and there are more than {}; use TOP", kRowsMax)}));
      }
      rows_.push_back({.row = *std::move(row), .number = rows_.size()});
    }
    source_.reset();
    std::ranges::sort(rows_, [&](const Numbered& left, const Numbered& right) {
      const std::strong_ordering order = order_(left.row.value(), right.row.value());
      return order != std::strong_ordering::equal ? order < 0 : left.number < right.number;
    });
    return {};
  }

  std::unique_ptr<RowSource> source_;
  RowOrder order_;
  std::vector<Numbered> rows_;
  size_t position_ = 0;
};

class DistinctRows final : public RowSource {
 public:
  explicit DistinctRows(std::unique_ptr<RowSource> source) : source_(std::move(source)) {}

  NextRow next() override {
    while (true) {
      TRY_ASSIGN(std::optional<Row> row, source_->next());
      if (!row || seen_.insert(row->value())) return row;
    }
  }

 private:
  std::unique_ptr<RowSource> source_;
  ValueSet seen_;
};

// One row for each group, in the order in which the groups appear; without GROUP BY one row for everything.
class AggregatedRows final : public RowSource {
 public:
  AggregatedRows(std::unique_ptr<RowSource> source, const QueryPlan& plan) : source_(std::move(source)), plan_(plan) {}

  NextRow next() override {
    if (source_ != nullptr) TRY(gather());
    while (position_ < groups_.size()) {
      StoredWriter out;
      if (write(groups_[position_++], out)) return Row::of(out.take());
    }
    return std::nullopt;
  }

 private:
  struct Group {
    Row first;  // the payload that it began with
    std::vector<Accumulator> accumulators;
  };

  Answer<void> gather() {
    while (true) {
      TRY_ASSIGN(const std::optional<Row> row, source_->next());
      if (!row) break;
      const bool has_payload = plan_.has_groups || !plan_.columns.empty();
      const Value payload = has_payload ? row->value().find("payload") : row->value();
      if (!payload.is_undefined()) add(group_of(*row, payload), payload);
    }
    source_.reset();
    return {};
  }

  Group& group_of(const Row& row, const Value& payload) {
    const std::string key = plan_.has_groups ? canonical_form(row.value().find("groupByItems")) : std::string();
    const auto [found, is_new] = places_.emplace(key, groups_.size());
    if (is_new) {
      Group group{.first = row.part(payload), .accumulators = {}};
      if (plan_.value_aggregate) group.accumulators.emplace_back(*plan_.value_aggregate);
      for (const AggregateColumn& column : plan_.columns) {
        if (!plan_.value_aggregate && column.aggregate) group.accumulators.emplace_back(*column.aggregate);
      }
      groups_.push_back(std::move(group));
    }
    return groups_[found->second];
  }

  void add(Group& group, const Value& payload) const {
    if (plan_.value_aggregate) {
      group.accumulators[0].add(payload.is_array() && payload.size() > 0 ? payload.element(0) : Value());
      return;
    }
    size_t next = 0;
    for (const AggregateColumn& column : plan_.columns) {
      if (column.aggregate) group.accumulators[next++].add(payload.find(column.alias));
    }
  }

  // False: the row is undefined.
  bool write(const Group& group, StoredWriter& out) const {
    if (plan_.value_aggregate) return group.accumulators[0].write(out);
    if (plan_.has_select_value || plan_.columns.empty()) {
      out.value(group.first.value());
      return true;
    }
    out.begin_object();
    size_t next = 0;
    for (const AggregateColumn& column : plan_.columns) {
      if (column.aggregate) {
        group.accumulators[next++].write(out, column.alias);
      } else if (const Value value = group.first.value().find(column.alias); !value.is_undefined()) {
        out.key(column.alias);
        out.value(value);
      }
    }
    out.end_object();
    return true;
  }

  std::unique_ptr<RowSource> source_;
  const QueryPlan& plan_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, size_t> places_;  // of groups, by what they have in common
  size_t position_ = 0;
};

// How many rows there are.
class CountedRows final : public RowSource {
 public:
  CountedRows(std::unique_ptr<RowSource> source, std::string alias) : source_(std::move(source)), alias_(std::move(alias)) {}

  NextRow next() override {
    if (source_ == nullptr) return std::nullopt;
    int64_t count = 0;
    while (true) {
      TRY_ASSIGN(const std::optional<Row> row, source_->next());
      if (!row) break;
      ++count;
    }
    source_.reset();
    StoredWriter out;
    if (!alias_.empty()) {
      out.begin_object();
      out.key(alias_);
    }
    out.integer(count);
    if (!alias_.empty()) out.end_object();
    return Row::of(out.take());
  }

 private:
  std::unique_ptr<RowSource> source_;
  std::string alias_;
};

// OFFSET and LIMIT, or TOP.
class SlicedRows final : public RowSource {
 public:
  SlicedRows(std::unique_ptr<RowSource> source, uint64_t skipped, uint64_t rest)
      : source_(std::move(source)), skipped_(skipped), rest_(rest) {}

  NextRow next() override {
    for (; skipped_ > 0; --skipped_) {
      TRY_ASSIGN(const std::optional<Row> row, source_->next());
      if (!row) return std::nullopt;
    }
    if (rest_ == 0) return std::nullopt;
    --rest_;
    return source_->next();
  }

 private:
  std::unique_ptr<RowSource> source_;
  uint64_t skipped_;
  uint64_t rest_;
};

}  // namespace

std::unique_ptr<RowSource> merge(PartitionRows& rows, const QueryPlan& plan) {
  std::unique_ptr<RowSource> source;
  if (plan.has_order() && plan.is_order_streamed) {
    source = std::make_unique<OrderedRows>(rows, plan);
  } else {
    source = std::make_unique<ConcatenatedRows>(rows);
    if (plan.has_order()) source = std::make_unique<SortedRows>(std::move(source), plan);
  }
  if (plan.is_aggregated()) source = std::make_unique<AggregatedRows>(std::move(source), plan);
  if (plan.distinct != QueryPlan::Distinct::kNone) source = std::make_unique<DistinctRows>(std::move(source));
  if (plan.counted_alias) source = std::make_unique<CountedRows>(std::move(source), *plan.counted_alias);
  const std::optional<uint64_t> rest = plan.limit ? plan.limit : plan.top;
  if (rest || plan.offset)
    source = std::make_unique<SlicedRows>(std::move(source), plan.offset.value_or(0), rest.value_or(UINT64_MAX));
  return source;
}

}  // namespace partita::client
