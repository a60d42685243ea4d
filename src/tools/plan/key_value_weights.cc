#include "tools/plan/key_value_weights.h"

#include "partition/heat/heat_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace partita::tools {
namespace {

constexpr double kSecondsPerMinute = 60;
constexpr size_t kBytesPerRead = 1 << 20;

// Request units per second in the busiest minute of the last hour.
double busiest_minute(const HeatHistory& history) {
  uint64_t most = 0;
  for (const HeatHistory::Period& minute : history.minutes) {
    if (minute.number > history.minute - static_cast<int64_t>(Heat::kMinutes)) most = std::max(most, minute.tally.milli_units);
  }
  return static_cast<double>(most) / 1000 / kSecondsPerMinute;
}

Status for_each_document(const Container& container, Turn* turn, const std::function<Status(const Item&)>& visit) {
  for (const PartitionPlace& place : container.places) {
    DocumentNumber after{};
    while (true) {
      TRY(go_on(turn));
      TRY_ASSIGN(const std::vector<Item> items, place.partition->items_after(after, kBytesPerRead));
      if (items.empty()) break;
      for (const Item& item : items) {
        TRY(visit(item));
        TRY(go_on(turn));
      }
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

Result<KeyValueWeight*> add_converted(Counting& counting, const Item& item, const Transfer::Convert& convert) {
  if (!convert) return counting.add(item);
  TRY_ASSIGN(const Item converted, convert(item));
  return counting.add(converted);
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
    weight->second.known_units += own;
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

// What documents are known to have been asked for, as shares of all that is known: of their key value, and of their partition.
class TouchedDocuments {
 public:
  static Result<TouchedDocuments> of(const Container& container, Turn* turn) {
    TouchedDocuments touched;
    for (const PartitionPlace& place : container.places) {
      for (const DocumentSamples::Request& request : place.partition->document_samples()) {
        for (const DocumentNumber number : request.touched()) {
          touched.units_[number.value] += request.units / static_cast<double>(request.touched().size());
        }
      }
    }
    if (touched.units_.empty()) return touched;
    TRY(for_each_document(container, turn, [&](const Item& item) -> Status {
      const auto units = touched.units_.find(item.number.value);
      if (units == touched.units_.end()) return {};
      const EffectivePartitionKey hash = touched.hash_of(item, container);
      touched.of_key_[hash] += units->second;
      touched.of_partition_[&container.place_of(hash)] += units->second;
      return {};
    }));
    return touched;
  }

  // Of each partition: what is not known to be some key values' own. That of small ones, of which no document is known, counts as
  // the partition's: their documents are not likelier to be asked for than those that are known.
  void gather_rests(const Container& container, const KeyValueWeights& present) {
    std::unordered_map<const PartitionPlace*, double> wholes;
    for (const auto& [hash, weight] : present) wholes[&container.place_of(hash)] += weight.units_per_second;
    for (const auto& [hash, weight] : present) {
      const PartitionPlace* place = &container.place_of(hash);
      rests_[place] += weight.units_per_second - weight.known_units;
      const bool is_large = weight.known_units >= kLargeShare * wholes[place];
      if (is_large || of_key_.contains(hash) || !of_partition_.contains(place)) continue;
      rests_[place] += weight.known_units;
      pooled_.insert(hash);
    }
  }

  // What this one of `weight`'s documents gets of the units that are known to be the value's own, and of the partition's others.
  double load_of(const Item& item, const EffectivePartitionKey& hash, const PartitionPlace& place,
                 const KeyValueWeight& weight) const {
    const auto found = units_.find(item.number.value);
    const double units = found == units_.end() ? 0 : found->second;
    const auto documents = static_cast<double>(weight.documents);
    const auto in_key = of_key_.find(hash);
    double known = in_key == of_key_.end() ? weight.known_units / documents : weight.known_units * units / in_key->second;
    if (pooled_.contains(hash)) known = 0;
    const auto in_partition = of_partition_.find(&place);
    if (in_partition == of_partition_.end()) return known + (weight.units_per_second - weight.known_units) / documents;
    return known + rests_.at(&place) * units / in_partition->second;
  }

 private:
  static constexpr double kLargeShare = 0.2;  // of a partition's units

  static EffectivePartitionKey hash_of(const Item& item, const Container& container) {
    const PartitionKeyDefinition& definition = container.definition.partition_key;
    return effective_partition_key(PartitionKey::of(item.document(), definition), definition);
  }

  std::unordered_map<uint64_t, double> units_;
  std::unordered_map<EffectivePartitionKey, double> of_key_;
  std::unordered_map<const PartitionPlace*, double> of_partition_;
  std::unordered_map<const PartitionPlace*, double> rests_;
  std::unordered_set<EffectivePartitionKey> pooled_;
};

}  // namespace

Status go_on(Turn* turn) {
  if (turn == nullptr) return {};
  turn->give_way();
  if (!turn->is_cancelled()) return {};
  return fail(ErrorCode::kUnavailable, "The plan was given up: nobody waits for it any more, or the server stops.");
}

Result<KeyValueWeights> weigh_key_values(const Container& container, size_t bytes_max, Turn* turn) {
  Counting counting(container.definition.partition_key, bytes_max);
  TRY(for_each_document(container, turn, [&](const Item& item) -> Status {
    TRY(counting.add(item));
    return {};
  }));
  KeyValueWeights weights = counting.take();
  for (const PartitionPlace& place : container.places) spread_load(weights, *place.partition);
  return weights;
}

Result<KeyValueWeights> weigh_key_values(const Container& container, const KeyValueWeights& present,
                                         const PartitionKeyDefinition& other, const Transfer::Convert& convert, size_t bytes_max,
                                         Turn* turn) {
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  TRY_ASSIGN(TouchedDocuments touched, TouchedDocuments::of(container, turn));
  touched.gather_rests(container, present);
  Counting counting(other, bytes_max);
  TRY(for_each_document(container, turn, [&](const Item& item) -> Status {
    const EffectivePartitionKey hash = effective_partition_key(PartitionKey::of(item.document(), definition), definition);
    const auto before = present.find(hash);
    TRY_ASSIGN(KeyValueWeight* const weight, add_converted(counting, item, convert));
    if (before == present.end()) return {};  // written since then
    weight->units_per_second += touched.load_of(item, hash, container.place_of(hash), before->second);
    return {};
  }));
  return counting.take();
}

}  // namespace partita::tools
