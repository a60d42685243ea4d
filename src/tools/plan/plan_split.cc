#include "tools/plan/plan_split.h"

#include "base/encodings.h"
#include "cluster/split_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace partita::tools {
namespace {

constexpr size_t kStepsMax = 10'000;
constexpr size_t kKeyValuesShown = 5;

// All documents of one hash, that is (but for a collision) of one key value.
struct KeyValueWeight {
  uint64_t documents = 0;
  uint64_t bytes = 0;
  std::string key_json;
};
using Weights = std::map<EffectivePartitionKey, KeyValueWeight>;

struct Part {
  EffectiveKeyRange range;
  uint64_t key_values = 0;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  uint64_t bytes_of_largest = 0;
  bool can_split = true;
};

Result<Weights> weigh(const Container& container, const PartitionKeyDefinition& definition) {
  Weights weights;
  for (const PartitionPlace& place : container.places) {
    Cursor cursor = place.partition->slice().cursor(Family::kItems);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      TRY_ASSIGN(const Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
      const PartitionKey key = PartitionKey::of(item.document(), definition);
      KeyValueWeight& weight = weights[effective_partition_key(key, definition)];
      if (weight.documents++ == 0) weight.key_json = key.to_json();
      weight.bytes += item.record.size();
    }
    TRY(cursor.status());
  }
  return weights;
}

Part part_of(const Weights& weights, EffectiveKeyRange range) {
  Part part{.range = std::move(range)};
  const auto last = weights.lower_bound(part.range.max);
  for (auto weight = weights.lower_bound(part.range.min); weight != last; ++weight) {
    ++part.key_values;
    part.documents += weight->second.documents;
    part.bytes += weight->second.bytes;
    part.bytes_of_largest = std::max(part.bytes_of_largest, weight->second.bytes);
  }
  return part;
}

std::string table(const std::vector<Part>& parts, int64_t throughput) {
  std::string out = fmt::format("{:>5}  {:<12} {:>11} {:>11} {:>15} {:>6} {:>12} {:>9}\n", "", "hashes from", "key values",
                                "documents", "bytes", "share", "largest key", "RU/s");
  uint64_t all = 0;
  for (const Part& part : parts) all += part.bytes;
  const auto share = [](uint64_t bytes, uint64_t of) {
    return of == 0 ? 0 : 100 * static_cast<double>(bytes) / static_cast<double>(of);
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    out += fmt::format("{:>5}  {:<12} {:>11} {:>11} {:>15} {:>5.1f}% {:>11.1f}% {:>9.0f}\n", i,
                       hex_upper(part.range.min.substr(0, 6)), part.key_values, part.documents, part.bytes,
                       share(part.bytes, all), share(part.bytes_of_largest, part.bytes),
                       static_cast<double>(throughput) / static_cast<double>(parts.size()));
  }
  return out;
}

std::vector<HashWeight> hash_weights(const Weights& weights, const EffectiveKeyRange& range) {
  WeightSummary summary;
  const auto last = weights.lower_bound(range.max);
  for (auto weight = weights.lower_bound(range.min); weight != last; ++weight) summary.add(weight->first, weight->second.bytes);
  return summary.weights();
}

// Splits and merges as the server would, and says what it does.
std::string reshape(std::vector<Part>& parts, const Weights& weights, const PartitionKeyDefinition& definition,
                    int64_t throughput, const ReshapeLimits& limits) {
  std::string out;
  for (size_t step = 0; step < kStepsMax; ++step) {
    std::vector<PartitionLoad> loads;
    for (const Part& part : parts) loads.push_back({.bytes = part.bytes, .can_split = part.can_split});
    const std::optional<ReshapeStep> next = next_step(loads, throughput, limits);
    if (!next) break;
    Part& at = parts[next->first];
    const auto behind = parts.begin() + static_cast<ptrdiff_t>(next->first) + 1;
    if (next->kind == ReshapeStep::Kind::kMerge) {
      out += fmt::format("merge {} and {} ({})\n", next->first, next->first + 1, name_of(next->reason));
      at = part_of(weights, {at.range.min, behind->range.max});
      parts.erase(behind);
      continue;
    }
    const Result<SplitPoint> point = find_split(at.range, definition, hash_weights(weights, at.range), SplitAim::kHalveBytes);
    if (!point) {
      out += fmt::format("{} cannot be split ({}): {}\n", next->first, name_of(next->reason), point.error().message);
      at.can_split = false;
      continue;
    }
    out += fmt::format("split {} at {} ({}), {:.0f}% to the left\n", next->first, hex_upper(point->hash.substr(0, 6)),
                       name_of(next->reason), 100 * point->left_share);
    Part right = part_of(weights, {point->hash, at.range.max});
    at = part_of(weights, {at.range.min, point->hash});
    parts.insert(behind, std::move(right));
  }
  return out.empty() ? "nothing to split or merge\n" : out;
}

std::string largest_key_values(const Weights& weights) {
  std::vector<const KeyValueWeight*> sorted;
  for (const auto& [hash, weight] : weights) sorted.push_back(&weight);
  const size_t shown = std::min(kKeyValuesShown, sorted.size());
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<ptrdiff_t>(shown), [](const auto* a, const auto* b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->key_json < b->key_json;
  });
  std::string out = fmt::format("{} key values; the largest:\n", weights.size());
  for (size_t i = 0; i < shown; ++i) {
    out += fmt::format("{:>18} bytes {:>9} documents  {}\n", sorted[i]->bytes, sorted[i]->documents, sorted[i]->key_json);
  }
  return out;
}

Result<PartitionKeyDefinition> definition_of(const std::vector<std::string>& paths) {
  PartitionKeyDefinition definition;
  for (const std::string& text : paths) {
    TRY_ASSIGN(DocumentPath path, DocumentPath::parse(text));
    definition.paths.push_back(std::move(path));
  }
  definition.version = 2;
  if (paths.size() > 1) definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
  return definition;
}

int64_t throughput_of(const Catalog& catalog, const Container& container) {
  std::shared_ptr<const Offer> offer = catalog.offer_of(container.database->number, container.number);
  if (!offer) offer = catalog.offer_of(container.database->number, 0);
  return offer ? offer->throughput.planned() : kThroughputMin;
}

}  // namespace

Result<std::string> plan_split(const Catalog& catalog, const PlanOptions& options) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, catalog.container(options.database, options.container));
  PartitionKeyDefinition definition = container->definition.partition_key;
  TRY_ASSIGN(Weights weights, weigh(*container, definition));
  std::vector<Part> parts;
  for (const PartitionPlace& place : container->places) parts.push_back(part_of(weights, place.range()));
  const int64_t present = throughput_of(catalog, *container);
  std::string out = fmt::format("Now, at {} RU/s:\n{}{}\n", present, table(parts, present), largest_key_values(weights));
  const int64_t planned = options.throughput.value_or(present);
  if (!options.partition_key.empty()) {
    TRY_ASSIGN(definition, definition_of(options.partition_key));
    TRY_ASSIGN(weights, weigh(*container, definition));
    parts.clear();
    for (EffectiveKeyRange& range : even_ranges(container->places.size(), definition))
      parts.push_back(part_of(weights, std::move(range)));
    out += fmt::format("With the partition key {}:\n{}{}\n", fmt::join(options.partition_key, ", "), table(parts, planned),
                       largest_key_values(weights));
  }
  const std::string steps = reshape(parts, weights, definition, planned, options.limits);
  out += fmt::format("Planned, at {} RU/s:\n{}{}", planned, steps, table(parts, planned));
  return out;
}

}  // namespace partita::tools
