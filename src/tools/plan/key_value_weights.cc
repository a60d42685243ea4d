#include "tools/plan/key_value_weights.h"

#include "partition/heat/heat_history.h"

#include <algorithm>
#include <functional>

namespace partita::tools {
namespace {

constexpr double kSecondsPerMinute = 60;
constexpr size_t kBytesPerRead = 4 << 20;

// Request units per second in the busiest minute of the last hour.
double busiest_minute(const HeatHistory& history) {
  uint64_t most = 0;
  for (const HeatHistory::Period& minute : history.minutes) {
    if (minute.number > history.minute - static_cast<int64_t>(Heat::kMinutes)) most = std::max(most, minute.tally.milli_units);
  }
  return static_cast<double>(most) / 1000 / kSecondsPerMinute;
}

Status for_each_document(const Container& container, const std::function<void(const Item&)>& visit) {
  for (const PartitionPlace& place : container.places) {
    DocumentNumber after{};
    while (true) {
      TRY_ASSIGN(const std::vector<Item> items, place.partition->items_after(after, kBytesPerRead));
      if (items.empty()) break;
      for (const Item& item : items) visit(item);
      after = items.back().number;
    }
  }
  return {};
}

KeyValueWeight& add_document(KeyValueWeights& weights, const Item& item, const PartitionKeyDefinition& definition) {
  const PartitionKey key = PartitionKey::of(item.document(), definition);
  KeyValueWeight& weight = weights[effective_partition_key(key, definition)];
  if (weight.documents++ == 0) weight.key_json = key.to_json();
  const auto is_undefined = [](const PartitionKeyComponent& each) { return std::holds_alternative<UndefinedKey>(each); };
  if (std::ranges::any_of(key.components, is_undefined)) ++weight.documents_without;
  weight.bytes += item.record.size();
  return weight;
}

void spread_load(KeyValueWeights& weights, const PartitionClient& partition) {
  const HeatHistory history = partition.use_history();
  const double whole = busiest_minute(history);
  double rest = whole;
  for (const HotKeys::Entry& hot : history.hot_keys) {
    const auto weight = weights.find(hot.key);
    if (weight == weights.end()) continue;  // its documents are gone
    const double own = whole * static_cast<double>(hot.weight - std::min(hot.weight, hot.excess)) /
                       static_cast<double>(std::max<uint64_t>(history.hot_keys_total, 1));
    weight->second.units_per_second += own;
    rest -= own;
  }
  const auto first = weights.lower_bound(partition.range().min);
  const auto last = weights.lower_bound(partition.range().max);
  uint64_t documents = 0;
  for (auto weight = first; weight != last; ++weight) documents += weight->second.documents;
  for (auto weight = first; weight != last; ++weight) {
    weight->second.units_per_second +=
        std::max(rest, 0.0) * static_cast<double>(weight->second.documents) / static_cast<double>(documents);
  }
}

}  // namespace

Result<KeyValueWeights> weigh_key_values(const Container& container) {
  KeyValueWeights weights;
  TRY(for_each_document(container, [&](const Item& item) { add_document(weights, item, container.definition.partition_key); }));
  for (const PartitionPlace& place : container.places) spread_load(weights, *place.partition);
  return weights;
}

Result<KeyValueWeights> weigh_key_values(const Container& container, const KeyValueWeights& present,
                                         const PartitionKeyDefinition& other) {
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  KeyValueWeights weights;
  TRY(for_each_document(container, [&](const Item& item) {
    const auto before = present.find(effective_partition_key(PartitionKey::of(item.document(), definition), definition));
    KeyValueWeight& weight = add_document(weights, item, other);
    if (before == present.end()) return;  // written since then
    weight.units_per_second += before->second.units_per_second / static_cast<double>(before->second.documents);
  }));
  return weights;
}

}  // namespace partita::tools
