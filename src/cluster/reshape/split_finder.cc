#include "cluster/reshape/split_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace partita {
namespace {

double weight_of(const HashWeight& entry, SplitAim aim) {
  return aim == SplitAim::kHalveLoad ? entry.units_per_second : static_cast<double>(entry.bytes);
}

// The shortest and roundest of the hashes behind `low` up to `high`. REQUIRES: low < high.
EffectivePartitionKey roundest_between(std::string_view low, std::string_view high) {
  const auto differing = static_cast<size_t>(std::ranges::mismatch(low, high).in2 - high.begin());
  const unsigned low_byte = differing < low.size() ? static_cast<uint8_t>(low[differing]) : 0;
  unsigned byte = static_cast<uint8_t>(high[differing]);
  for (unsigned bits = 7; bits > 0; --bits) {
    const unsigned rounded = byte >> bits << bits;
    if (rounded <= low_byte) continue;
    byte = rounded;
    break;
  }
  return std::string(high.substr(0, differing)) + static_cast<char>(byte);
}

std::string_view name_of(SplitAim aim) { return aim == SplitAim::kHalveLoad ? "load" : "bytes"; }

// Of the weight, up to and including each entry but the last. Without any weight, of the entries.
std::vector<double> left_shares(const std::vector<HashWeight>& weights, SplitAim aim) {
  double total = 0;
  for (const HashWeight& entry : weights) total += weight_of(entry, aim);
  const bool has_weight = total > 0;
  if (!has_weight) total = static_cast<double>(weights.size());
  std::vector<double> shares;
  double left = 0;
  for (size_t i = 0; i + 1 < weights.size(); ++i) {
    left += has_weight ? weight_of(weights[i], aim) : 1;
    shares.push_back(left / total);
  }
  return shares;
}

// The one whose left share comes nearest to `best`, if any is near.
std::optional<SplitPoint> nearest_known(const std::vector<EffectivePartitionKey>& cuts, const std::vector<HashWeight>& weights,
                                        const std::vector<double>& shares, double best) {
  std::optional<SplitPoint> nearest;
  double least = kKnownShareTolerance;
  for (const EffectivePartitionKey& cut : cuts) {
    const auto right = std::ranges::lower_bound(weights, cut, {}, &HashWeight::hash) - weights.begin();
    if (right == 0 || static_cast<size_t>(right) == weights.size()) continue;  // one side would be empty
    const double share = shares[static_cast<size_t>(right) - 1];
    if (std::abs(share - best) > least) continue;
    least = std::abs(share - best);
    nearest = {cut, share};
  }
  return nearest;
}

Result<SplitPoint> cut_in_the_middle(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition,
                                     const std::vector<HashWeight>& weights) {
  const std::optional<EffectivePartitionKey> middle = middle_of(range, definition);
  if (!middle) return fail(ErrorCode::kInvalidInput, "A split cannot help: the range of hashes is too narrow to be cut.");
  double left = 0;
  double total = 0;
  for (const HashWeight& entry : weights) {
    total += static_cast<double>(entry.bytes);
    if (entry.hash < *middle) left += static_cast<double>(entry.bytes);
  }
  return SplitPoint{*middle, total > 0 ? left / total : 0.5};
}

Result<SplitPoint> find_halving(const std::vector<HashWeight>& weights, SplitAim aim,
                                const std::vector<EffectivePartitionKey>& known_cuts) {
  if (weights.size() == 1) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("A split cannot help: all {} documents have the same partition key value.", weights[0].documents));
  }
  const std::vector<double> shares = left_shares(weights, aim);
  const auto distance = [](double share) { return std::abs(share - 0.5); };
  const auto best = std::ranges::min_element(shares, {}, distance);
  const double larger = std::max(*best, 1 - *best);
  if (larger > kSplitShareMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("A split cannot help: one partition key value has {:.0f} % of the {}.", 100 * larger, name_of(aim)));
  }
  if (std::optional<SplitPoint> known = nearest_known(known_cuts, weights, shares, *best)) return *std::move(known);
  const auto is_as_good = [&](double share) { return std::abs(share - *best) <= kSplitShareTolerance; };
  const auto first = static_cast<size_t>(std::ranges::find_if(shares, is_as_good) - shares.begin());
  const auto behind = std::find_if_not(best, shares.end(), is_as_good) - shares.begin();
  EffectivePartitionKey cut = roundest_between(weights[first].hash, weights[static_cast<size_t>(behind)].hash);
  size_t left = first;
  while (weights[left + 1].hash < cut) ++left;
  return SplitPoint{std::move(cut), shares[left]};
}

}  // namespace

Result<SplitPoint> find_split(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition,
                              const std::vector<HashWeight>& weights, SplitAim aim,
                              const std::vector<EffectivePartitionKey>& known_cuts) {
  if (weights.empty()) return cut_in_the_middle(range, definition, weights);
  Result<SplitPoint> halving = find_halving(weights, aim, known_cuts);
  if (halving || aim != SplitAim::kAddPartition) return halving;
  Result<SplitPoint> middle = cut_in_the_middle(range, definition, weights);
  if (middle) middle->helps = false;
  return middle;
}

void WeightSummary::add(std::string_view hash, uint64_t bytes, double units_per_second) {
  // A row that lies elsewhere than its document's hash says counts where it lies.
  if (!weights_.empty()) hash = std::max(hash, std::string_view(last_hash_));
  if (weights_.empty() || hash != last_hash_) {
    if (weights_.empty() || hashes_in_last_ == hashes_per_entry_) {
      if (weights_.size() == kEntriesMax) halve();
    }
    if (weights_.empty() || hashes_in_last_ >= hashes_per_entry_) {
      weights_.push_back({.hash = std::string(hash)});
      hashes_in_last_ = 0;
    }
    ++hashes_in_last_;
    last_hash_ = hash;
  }
  HashWeight& entry = weights_.back();
  entry.documents += 1;
  entry.bytes += bytes;
  entry.units_per_second += units_per_second;
}

// kEntriesMax is even, and every entry is full when this is called, so all are again afterwards.
void WeightSummary::halve() {
  for (size_t i = 0; i + 1 < weights_.size(); i += 2) {
    HashWeight joined = std::move(weights_[i]);
    joined.documents += weights_[i + 1].documents;
    joined.bytes += weights_[i + 1].bytes;
    joined.units_per_second += weights_[i + 1].units_per_second;
    weights_[i / 2] = std::move(joined);
  }
  weights_.resize(weights_.size() / 2);
  hashes_per_entry_ *= 2;
  hashes_in_last_ = hashes_per_entry_;
}

}  // namespace partita
