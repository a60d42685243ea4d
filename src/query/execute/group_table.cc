#include "query/execute/group_table.h"

#include "base/bytes.h"
#include "document/murmur3.h"
#include "query/execute/evaluator.h"

#include <algorithm>
#include <numeric>

namespace partita::query {

GroupTable::GroupTable(const Grouping& grouping, Execution& execution) : grouping_(grouping), execution_(execution) {}

GroupTable::~GroupTable() { execution_.release(bytes_); }

GroupTable::Group& GroupTable::group_of_row() {
  std::string identity;
  for (const Grouping::Key& key : grouping_.keys) append_identity(identity, evaluate(key.scalar, execution_));
  auto [found, is_new] = indexes_.try_emplace(std::move(identity), groups_.size());
  if (!is_new) return groups_[found->second];
  Group& group = groups_.emplace_back();
  size_t bytes = found->first.size() + sizeof(Group) + grouping_.aggregates.size() * sizeof(Aggregator);
  for (const Grouping::Key& key : grouping_.keys) {
    group.keys.emplace_back(evaluate(key.scalar, execution_));
    bytes += group.keys.back().bytes();
  }
  for (const Aggregate& aggregate : grouping_.aggregates) group.aggregators.emplace_back(aggregate.kind);
  bytes_ += bytes;
  execution_.buffer(bytes);
  return group;
}

void GroupTable::add_row(uint64_t times) {
  Group& group = group_of_row();
  for (size_t i = 0; i < group.aggregators.size(); ++i) {
    group.aggregators[i].add(evaluate(grouping_.aggregates[i].argument, execution_), times, execution_);
  }
}

void GroupTable::add_count(uint64_t rows) {
  for (Aggregator& aggregator : group_of_row().aggregators) aggregator.add_count(rows);
}

void GroupTable::sort() {
  if (groups_.empty() && grouping_.keys.empty()) {
    Group& group = groups_.emplace_back();
    for (const Aggregate& aggregate : grouping_.aggregates) group.aggregators.emplace_back(aggregate.kind);
  }
  for (const auto& [identity, index] : indexes_) {
    Group& group = groups_[index];
    for (const KeptDatum& key : group.keys) append_key_form(group.position, key.value());
    append_big_endian(group.position, murmur3_x64_128(identity).low);
  }
  order_.resize(groups_.size());
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::ranges::sort(order_, {}, [this](size_t index) -> const std::string& { return groups_[index].position; });
}

bool GroupTable::next_group() {
  if (!std::exchange(is_sorted_, true)) sort();
  if (next_ == groups_.size()) return false;
  Group& group = groups_[order_[next_++]];
  for (size_t i = 0; i < group.keys.size(); ++i) execution_.slot(grouping_.keys[i].slot) = group.keys[i].value();
  for (size_t i = 0; i < group.aggregators.size(); ++i) {
    execution_.slot(grouping_.aggregates[i].slot) = group.aggregators[i].result();
  }
  return true;
}

}  // namespace partita::query
