#include "query/execute/group_table.h"

#include "base/bytes.h"
#include "document/key/murmur3.h"
#include "query/execute/evaluator.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace partita::query {

namespace {

constexpr size_t kPlacesMin = 16;

}  // namespace

GroupTable::GroupTable(const Grouping& grouping, Execution& execution)
    : grouping_(grouping), execution_(execution), places_(kPlacesMin) {}

GroupTable::~GroupTable() { execution_.release(bytes_); }

GroupTable::Group& GroupTable::group_of_row() {
  keys_.clear();
  for (const Grouping::Key& key : grouping_.keys) keys_.push_back(evaluate(key.scalar, execution_));
  return group_of(keys_);
}

GroupTable::Group& GroupTable::group_of(std::span<const Datum> keys) {
  identity_.clear();
  for (const Datum& key : keys) append_identity(identity_, key);
  const uint64_t hash = std::hash<std::string_view>()(identity_);
  const Place& place = find_place(hash);
  return place.group == kNone ? add_group(keys, hash) : groups_[place.group];
}

GroupTable::Place& GroupTable::find_place(uint64_t hash) {
  size_t at = hash & (places_.size() - 1);
  while (places_[at].group != kNone && (places_[at].hash != hash || groups_[places_[at].group].identity != identity_))
    at = (at + 1) & (places_.size() - 1);
  return places_[at];
}

GroupTable::Group& GroupTable::add_group(std::span<const Datum> keys, uint64_t hash) {
  if (2 * (groups_.size() + 1) > places_.size()) grow();
  find_place(hash) = {hash, groups_.size()};
  Group& group = groups_.emplace_back();
  group.identity = identity_;
  size_t bytes = identity_.size() + sizeof(Group) + 2 * sizeof(Place) + grouping_.aggregates.size() * sizeof(Aggregator);
  for (const Datum& key : keys) {
    group.keys.emplace_back(key);
    bytes += group.keys.back().bytes();
  }
  for (const Aggregate& aggregate : grouping_.aggregates) group.aggregators.emplace_back(aggregate.kind);
  bytes_ += bytes;
  execution_.buffer(bytes);
  return group;
}

void GroupTable::grow() {
  const std::vector<Place> before = std::exchange(places_, std::vector<Place>(2 * places_.size()));
  for (const Place& place : before) {
    if (place.group == kNone) continue;
    size_t at = place.hash & (places_.size() - 1);
    while (places_[at].group != kNone) at = (at + 1) & (places_.size() - 1);
    places_[at] = place;
  }
}

void GroupTable::add_row(uint64_t times) {
  Group& group = group_of_row();
  for (size_t i = 0; i < group.aggregators.size(); ++i) {
    group.aggregators[i].add(evaluate(grouping_.aggregates[i].argument, execution_), times, execution_);
  }
}

void GroupTable::add_row(std::span<const Datum> values, uint64_t times) {
  const size_t keys = grouping_.keys.size();
  Group& group = group_of(values.first(keys));
  for (size_t i = 0; i < group.aggregators.size(); ++i) group.aggregators[i].add(values[keys + i], times, execution_);
}

void GroupTable::add_count(uint64_t rows) {
  for (Aggregator& aggregator : group_of_row().aggregators) aggregator.add_count(rows);
}

void GroupTable::add_values(std::span<const double> values) {
  Group& group = group_of_row();
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_sum = grouping_.aggregates[i].kind == AggregateKind::kSum;
    is_sum ? group.aggregators[i].add(Datum::number(values[i]), 1, execution_)
           : group.aggregators[i].add_count(static_cast<uint64_t>(values[i]));
  }
}

void GroupTable::sort() {
  if (groups_.empty() && grouping_.keys.empty()) {
    Group& group = groups_.emplace_back();
    for (const Aggregate& aggregate : grouping_.aggregates) group.aggregators.emplace_back(aggregate.kind);
  }
  for (Group& group : groups_) {
    for (const KeptDatum& key : group.keys) append_key_form(group.position, key.value());
    append_big_endian(group.position, murmur3_x64_128(group.identity).low);
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
