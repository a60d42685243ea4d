#include "tools/plan/plan_split.h"

#include "base/encodings.h"
#include "cluster/reshape/split_finder.h"
#include "tools/plan/key_value_weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::tools {
namespace {

constexpr size_t kStepsMax = 10'000;
constexpr size_t kKeyValuesShown = 5;

struct Part {
  EffectiveKeyRange range;
  uint64_t key_values = 0;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  uint64_t bytes_of_largest = 0;
  double units_per_second = 0;  // in the busiest minute of the last hour
  bool can_split = true;
};

Part part_of(const KeyValueWeights& weights, EffectiveKeyRange range) {
  Part part{.range = std::move(range)};
  const auto last = weights.lower_bound(part.range.max);
  for (auto weight = weights.lower_bound(part.range.min); weight != last; ++weight) {
    ++part.key_values;
    part.documents += weight->second.documents;
    part.bytes += weight->second.bytes;
    part.bytes_of_largest = std::max(part.bytes_of_largest, weight->second.bytes);
    part.units_per_second += weight->second.units_per_second;
  }
  return part;
}

std::string table(const std::vector<Part>& parts, int64_t throughput) {
  std::string out = fmt::format("{:>5}  {:<12} {:>11} {:>11} {:>15} {:>6} {:>12} {:>9} {:>9} {:>5}\n", "", "hashes from",
                                "key values", "documents", "bytes", "share", "largest key", "RU/s", "budget", "used");
  uint64_t all = 0;
  for (const Part& part : parts) all += part.bytes;
  const auto percent = [](auto part, auto whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const double budget =
      std::min(static_cast<double>(throughput) / static_cast<double>(parts.size()), static_cast<double>(kThroughputPerPartition));
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    out += fmt::format("{:>5}  {:<12} {:>11} {:>11} {:>15} {:>5.1f}% {:>11.1f}% {:>9.1f} {:>9.0f} {:>4.0f}%\n", i,
                       hex_upper(part.range.min.substr(0, 6)), part.key_values, part.documents, part.bytes,
                       percent(part.bytes, all), percent(part.bytes_of_largest, part.bytes), part.units_per_second, budget,
                       percent(part.units_per_second, budget));
  }
  return out;
}

std::vector<HashWeight> hash_weights(const KeyValueWeights& weights, const EffectiveKeyRange& range) {
  WeightSummary summary;
  const auto last = weights.lower_bound(range.max);
  for (auto weight = weights.lower_bound(range.min); weight != last; ++weight) summary.add(weight->first, weight->second.bytes);
  return summary.weights();
}

// Splits and merges as the server would, and says what it does.
std::string reshape(std::vector<Part>& parts, const KeyValueWeights& weights, const PartitionKeyDefinition& definition,
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
    const Result<SplitPoint> point = find_split(at.range, definition, hash_weights(weights, at.range), aim_of(next->reason));
    if (!point) {
      out += fmt::format("{} cannot be split ({}): {}\n", next->first, name_of(next->reason), point.error().message);
      at.can_split = false;
      continue;
    }
    out += fmt::format("split {} at {} ({}), {:.0f}% to the left\n", next->first, hex_upper(point->hash.substr(0, 6)),
                       name_of(next->reason), 100 * point->left_share);
    Part right = part_of(weights, {point->hash, at.range.max});
    at = part_of(weights, {at.range.min, point->hash});
    at.can_split = at.documents == 0 || point->helps;
    right.can_split = right.documents == 0 || point->helps;
    parts.insert(behind, std::move(right));
  }
  return out.empty() ? "nothing to split or merge\n" : out;
}

// Those with the most of something, as a list.
std::string foremost(const KeyValueWeights& weights, std::string_view what, double (*measure)(const KeyValueWeight&)) {
  std::vector<const KeyValueWeight*> sorted;
  for (const auto& [hash, weight] : weights) sorted.push_back(&weight);
  const size_t shown = std::min(kKeyValuesShown, sorted.size());
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<ptrdiff_t>(shown), [&](const auto* a, const auto* b) {
    return measure(*a) != measure(*b) ? measure(*a) > measure(*b) : a->key_json < b->key_json;
  });
  std::string out = fmt::format("{}:\n", what);
  for (size_t i = 0; i < shown; ++i) {
    out += fmt::format("{:>18} bytes {:>9} documents {:>9.1f} RU/s  {}\n", sorted[i]->bytes, sorted[i]->documents,
                       sorted[i]->units_per_second, sorted[i]->key_json);
  }
  return out;
}

std::string foremost_key_values(const KeyValueWeights& weights) {
  std::string out = foremost(weights, fmt::format("{} key values; the largest", weights.size()),
                             [](const KeyValueWeight& weight) { return static_cast<double>(weight.bytes); });
  const bool is_used = std::ranges::any_of(weights, [](const auto& entry) { return entry.second.units_per_second > 0; });
  if (!is_used) return out + "Nothing was asked for in the last hour.\n";
  return out + foremost(weights, "the busiest", [](const KeyValueWeight& weight) { return weight.units_per_second; });
}

// What the table does not say by itself.
std::string verdict(const std::vector<Part>& parts, int64_t throughput) {
  const double budget = static_cast<double>(throughput) / static_cast<double>(parts.size());
  const auto overloaded = std::ranges::count_if(parts, [&](const Part& part) { return part.units_per_second > budget; });
  if (overloaded == 0) return "";
  return fmt::format(
      "In {} of {} partitions, what was used in the busiest minute is more than the budget: requests would be refused there.\n",
      overloaded, parts.size());
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
  TRY_ASSIGN(KeyValueWeights weights, weigh_key_values(*container));
  std::vector<Part> parts;
  for (const PartitionPlace& place : container->places) parts.push_back(part_of(weights, place.range()));
  const int64_t present = throughput_of(catalog, *container);
  std::string out = fmt::format("Now, at {} RU/s:\n{}{}\n", present, table(parts, present), foremost_key_values(weights));
  const int64_t planned = options.throughput.value_or(present);
  if (!options.partition_key.empty()) {
    TRY_ASSIGN(definition, definition_of(options.partition_key));
    TRY_ASSIGN(weights, weigh_key_values(*container, weights, definition));
    parts.clear();
    for (EffectiveKeyRange& range : even_ranges(container->places.size(), definition))
      parts.push_back(part_of(weights, std::move(range)));
    out += fmt::format("With the partition key {}:\n{}{}\n", fmt::join(options.partition_key, ", "), table(parts, planned),
                       foremost_key_values(weights));
  }
  const std::string steps = reshape(parts, weights, definition, planned, options.limits);
  out += fmt::format("Planned, at {} RU/s:\n{}{}{}", planned, steps, table(parts, planned), verdict(parts, planned));
  return out;
}

}  // namespace partita::tools
