#include "tools/plan/key_value_weights.h"

#include "partition/heat/heat_history.h"

#include <fmt/format.h>

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

Status for_each_document(const Container& container, const std::function<Status(const Item&)>& visit) {
  for (const PartitionPlace& place : container.places) {
    DocumentNumber after{};
    while (true) {
      TRY_ASSIGN(const std::vector<Item> items, place.partition->items_after(after, kBytesPerRead));
      if (items.empty()) break;
      for (const Item& item : items) TRY(visit(item));
      after = items.back().number;
    }
  }
  return {};
}

// Counting: adds documents to the weights, within so many bytes of memory.
class Counting {
 public:
  Counting(const PartitionKeyDefinition& definition, size_t bytes_max) : definition_(definition), bytes_max_(bytes_max) {}

  Result<KeyValueWeight*> add(const Item& item) {
    const PartitionKey key = PartitionKey::of(item.document(), definition_);
    const auto [entry, is_new] = weights_.try_emplace(effective_partition_key(key, definition_));
    KeyValueWeight& weight = entry->second;
    if (is_new) {
      weight.key_json = key.to_json();
      bytes_ += kBytesPerKeyValue + entry->first.size() + weight.key_json.size();
      if (bytes_ > bytes_max_) return too_many();
    }
    ++weight.documents;
    const auto is_undefined = [](const PartitionKeyComponent& each) { return std::holds_alternative<UndefinedKey>(each); };
    if (std::ranges::any_of(key.components, is_undefined)) ++weight.documents_without;
    weight.bytes += item.record.size();
    return &weight;
  }
  KeyValueWeights take() { return std::move(weights_); }

 private:
  // A node of the tree, and what the allocator adds.
  static constexpr size_t kBytesPerKeyValue = 192;

  std::unexpected<Error> too_many() const {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("The container has more key values than the server may keep in memory at once ({} and more). Make the "
                    "plan of a copy of its data directory instead: partita plan-split --data DIR",
                    weights_.size()));
  }

  const PartitionKeyDefinition& definition_;
  const size_t bytes_max_;
  size_t bytes_ = 0;
  KeyValueWeights weights_;
};

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

Result<KeyValueWeights> weigh_key_values(const Container& container, size_t bytes_max) {
  Counting counting(container.definition.partition_key, bytes_max);
  TRY(for_each_document(container, [&](const Item& item) -> Status {
    TRY(counting.add(item));
    return {};
  }));
  KeyValueWeights weights = counting.take();
  for (const PartitionPlace& place : container.places) spread_load(weights, *place.partition);
  return weights;
}

Result<KeyValueWeights> weigh_key_values(const Container& container, const KeyValueWeights& present,
                                         const PartitionKeyDefinition& other, size_t bytes_max) {
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  Counting counting(other, bytes_max);
  TRY(for_each_document(container, [&](const Item& item) -> Status {
    const auto before = present.find(effective_partition_key(PartitionKey::of(item.document(), definition), definition));
    TRY_ASSIGN(KeyValueWeight* const weight, counting.add(item));
    if (before == present.end()) return {};  // written since then
    weight->units_per_second += before->second.units_per_second / static_cast<double>(before->second.documents);
    return {};
  }));
  return counting.take();
}

}  // namespace partita::tools
