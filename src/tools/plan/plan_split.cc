#include "tools/plan/plan_split.h"

#include "base/encodings.h"
#include "cluster/reshape/key_change.h"
#include "cluster/reshape/split_finder.h"
#include "tools/plan/key_value_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace partita::tools {
namespace {

constexpr size_t kStepsMax = 10'000;
constexpr size_t kKeyValuesShown = 5;
// Others are let in after so many key values.
constexpr size_t kValuesBetweenTurns = 1'000;

Result<PlannedPartition> part_of(const KeyValueWeights& weights, EffectiveKeyRange range, Turn* turn) {
  PlannedPartition part{.range = std::move(range)};
  const auto last = weights.lower_bound(part.range.max);
  for (auto weight = weights.lower_bound(part.range.min); weight != last; ++weight) {
    if (++part.key_values % kValuesBetweenTurns == 0) TRY(go_on(turn));
    part.documents += weight->second.documents;
    part.bytes += weight->second.bytes;
    part.bytes_of_largest = std::max(part.bytes_of_largest, weight->second.bytes);
    part.units_per_second += weight->second.units_per_second;
  }
  return part;
}

Result<std::vector<HashWeight>> hash_weights(const KeyValueWeights& weights, const EffectiveKeyRange& range, Turn* turn) {
  WeightSummary summary;
  size_t values = 0;
  const auto last = weights.lower_bound(range.max);
  for (auto weight = weights.lower_bound(range.min); weight != last; ++weight) {
    if (++values % kValuesBetweenTurns == 0) TRY(go_on(turn));
    summary.add(weight->first, weight->second.bytes);
  }
  return summary.weights();
}

// Splits and merges as the server would, and says what it does.
Result<std::vector<std::string>> reshape(std::vector<PlannedPartition>& parts, const KeyValueWeights& weights,
                                         const PartitionKeyDefinition& definition, int64_t throughput,
                                         const PlanOptions& options) {
  std::vector<std::string> steps;
  for (size_t step = 0; step < kStepsMax; ++step) {
    TRY(go_on(options.turn));
    std::vector<PartitionLoad> loads;
    for (const PlannedPartition& part : parts) loads.push_back({.bytes = part.bytes, .can_split = part.can_split});
    const std::optional<ReshapeStep> next = next_step(loads, throughput, options.limits);
    if (!next) break;
    PlannedPartition& at = parts[next->first];
    const auto behind = parts.begin() + static_cast<ptrdiff_t>(next->first) + 1;
    if (next->kind == ReshapeStep::Kind::kMerge) {
      steps.push_back(fmt::format("merge {} and {} ({})", next->first, next->first + 1, name_of(next->reason)));
      TRY_ASSIGN(at, part_of(weights, {at.range.min, behind->range.max}, options.turn));
      parts.erase(behind);
      continue;
    }
    TRY_ASSIGN(const std::vector<HashWeight> hashes, hash_weights(weights, at.range, options.turn));
    const Result<SplitPoint> point = find_split(at.range, definition, hashes, aim_of(next->reason));
    if (!point) {
      steps.push_back(fmt::format("{} cannot be split ({}): {}", next->first, name_of(next->reason), point.error().message));
      at.can_split = false;
      continue;
    }
    steps.push_back(fmt::format("split {} at {} ({}), {:.0f}% to the left", next->first, hex_upper(point->hash.substr(0, 6)),
                                name_of(next->reason), 100 * point->left_share));
    TRY_ASSIGN(PlannedPartition right, part_of(weights, {point->hash, at.range.max}, options.turn));
    TRY_ASSIGN(at, part_of(weights, {at.range.min, point->hash}, options.turn));
    at.can_split = at.documents == 0 || point->helps;
    right.can_split = right.documents == 0 || point->helps;
    parts.insert(behind, std::move(right));
  }
  return steps;
}

// Those with the most of something.
std::vector<PlannedKeyValue> foremost(const KeyValueWeights& weights, double (*measure)(const KeyValueWeight&)) {
  std::vector<const KeyValueWeight*> sorted;
  for (const auto& [hash, weight] : weights) {
    if (measure(weight) > 0) sorted.push_back(&weight);
  }
  const size_t shown = std::min(kKeyValuesShown, sorted.size());
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<ptrdiff_t>(shown), [&](const auto* a, const auto* b) {
    return measure(*a) != measure(*b) ? measure(*a) > measure(*b) : a->key_json < b->key_json;
  });
  std::vector<PlannedKeyValue> out;
  for (const KeyValueWeight* weight : std::span(sorted).first(shown)) {
    out.push_back({weight->key_json, weight->documents, weight->bytes, weight->units_per_second});
  }
  return out;
}

// `parts` are those that there are before anything is split or merged.
Result<KeyPlan> plan_key(const KeyValueWeights& weights, const PartitionKeyDefinition& definition,
                         std::vector<PlannedPartition> parts, int64_t throughput, const PlanOptions& options) {
  KeyPlan plan;
  for (const DocumentPath& path : definition.paths) plan.paths.push_back(path.text());
  plan.key_values = weights.size();
  for (const auto& [hash, weight] : weights) {
    plan.documents += weight.documents;
    plan.documents_without += weight.documents_without;
    plan.bytes += weight.bytes;
  }
  plan.largest = foremost(weights, [](const KeyValueWeight& weight) { return static_cast<double>(weight.bytes); });
  plan.busiest = foremost(weights, [](const KeyValueWeight& weight) { return weight.units_per_second; });
  plan.partitions = parts;
  plan.planned = std::move(parts);
  TRY_ASSIGN(plan.steps, reshape(plan.planned, weights, definition, throughput, options));
  return plan;
}

Result<PartitionKeyDefinition> definition_of(const std::vector<std::string>& paths) {
  if (paths.empty() || paths.size() > kPartitionKeyPathsMax) {
    return fail(ErrorCode::kInvalidInput, fmt::format("A partition key has one to {} paths.", kPartitionKeyPathsMax));
  }
  PartitionKeyDefinition definition;
  for (const std::string& text : paths) {
    TRY_ASSIGN(DocumentPath path, DocumentPath::parse(text));
    definition.paths.push_back(std::move(path));
  }
  definition.version = 2;
  if (paths.size() > 1) definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
  return definition;
}

// What documents would get with this key: as when it is changed.
Result<Transfer::Convert> conversion_to(const PartitionKeyDefinition& key, const Container& container,
                                        const PlanOptions& options) {
  const Value wanted = options.computed_properties.empty() ? Value() : Value::view(options.computed_properties);
  Reshape reshape;
  reshape.kind = Reshape::Kind::kRekey;
  reshape.partition_key = key;
  TRY_ASSIGN(reshape.computed_properties, computed_properties_of(key, wanted, container.definition));
  TRY_ASSIGN(const KeyChange change, key_change_of(reshape, container.definition));
  return conversion_of(change, reshape, container.definition);
}

int64_t throughput_of(const Catalog& catalog, const Container& container) {
  std::shared_ptr<const Offer> offer = catalog.offers().of(container.database->number, container.number);
  if (!offer) offer = catalog.offers().of(container.database->number, 0);
  return offer ? offer->throughput.planned() : kThroughputMin;
}

}  // namespace

double partition_budget(const std::vector<PlannedPartition>& partitions, int64_t throughput) {
  return std::min(static_cast<double>(throughput) / static_cast<double>(partitions.size()),
                  static_cast<double>(kThroughputPerPartition));
}

Result<Plan> plan_split(const Catalog& catalog, const PlanOptions& options) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, catalog.container(options.database, options.container));
  if (options.candidates.size() > kCandidatesMax) {
    return fail(ErrorCode::kInvalidInput, fmt::format("At most {} partition keys can be compared.", kCandidatesMax));
  }
  TRY_ASSIGN(const KeyValueWeights weights, weigh_key_values(*container, options.bytes_max, options.turn));
  std::vector<PlannedPartition> parts;
  for (const PartitionPlace& place : container->places) {
    TRY_ASSIGN(PlannedPartition part, part_of(weights, place.range(), options.turn));
    parts.push_back(std::move(part));
  }
  const int64_t present = throughput_of(catalog, *container);
  Plan plan{.present_throughput = present, .throughput = options.throughput.value_or(present), .present = {}, .candidates = {}};
  TRY_ASSIGN(plan.present, plan_key(weights, container->definition.partition_key, std::move(parts), plan.throughput, options));
  for (const std::vector<std::string>& paths : options.candidates) {
    TRY_ASSIGN(const PartitionKeyDefinition definition, definition_of(paths));
    TRY_ASSIGN(const Transfer::Convert convert, conversion_to(definition, *container, options));
    TRY_ASSIGN(const KeyValueWeights others,
               weigh_key_values(*container, weights, definition, convert, options.bytes_max, options.turn));
    parts.clear();
    for (EffectiveKeyRange& range : even_ranges(container->places.size(), definition)) {
      TRY_ASSIGN(PlannedPartition part, part_of(others, std::move(range), options.turn));
      parts.push_back(std::move(part));
    }
    TRY_ASSIGN(KeyPlan candidate, plan_key(others, definition, std::move(parts), plan.throughput, options));
    plan.candidates.push_back(std::move(candidate));
  }
  return plan;
}

}  // namespace partita::tools
