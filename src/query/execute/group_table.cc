#include "query/execute/group_table.h"

#include "query/execute/evaluator.h"

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

void GroupTable::add_row() {
  Group& group = group_of_row();
  for (size_t i = 0; i < group.aggregators.size(); ++i) {
    group.aggregators[i].add(evaluate(grouping_.aggregates[i].argument, execution_), execution_);
  }
}

bool GroupTable::next_group() {
  if (groups_.empty() && grouping_.keys.empty()) {
    Group& group = groups_.emplace_back();
    for (const Aggregate& aggregate : grouping_.aggregates) group.aggregators.emplace_back(aggregate.kind);
  }
  if (next_ == groups_.size()) return false;
  Group& group = groups_[next_++];
  for (size_t i = 0; i < group.keys.size(); ++i) execution_.slot(grouping_.keys[i].slot) = group.keys[i].value();
  for (size_t i = 0; i < group.aggregators.size(); ++i) {
    execution_.slot(grouping_.aggregates[i].slot) = group.aggregators[i].result();
  }
  return true;
}

}  // namespace partita::query
