#include "cluster/split_finder.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace partita {
namespace {

double weight_of(const HashWeight& entry, SplitAim aim) {
  return aim == SplitAim::kHalveBytes ? static_cast<double>(entry.bytes) : entry.units_per_second;
}

std::string_view name_of(SplitAim aim) { return aim == SplitAim::kHalveBytes ? "bytes" : "load"; }

}  // namespace

Result<SplitPoint> find_split(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition,
                              const std::vector<HashWeight>& weights, SplitAim aim) {
  if (weights.empty()) {
    const std::optional<EffectivePartitionKey> middle = middle_of(range, definition);
    if (!middle) return fail(ErrorCode::kInvalidInput, "A split cannot help: the range of hashes is too narrow to be cut.");
    return SplitPoint{*middle, 0.5};
  }
  if (weights.size() == 1) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("A split cannot help: all {} documents have the same partition key value.", weights[0].documents));
  }
  double total = 0;
  for (const HashWeight& entry : weights) total += weight_of(entry, aim);
  const bool has_weight = total > 0;
  if (!has_weight) total = static_cast<double>(weights.size());
  double left = 0;
  double best_distance = 1;
  SplitPoint best;
  for (size_t i = 0; i + 1 < weights.size(); ++i) {
    left += has_weight ? weight_of(weights[i], aim) : 1;
    const double distance = std::abs(left / total - 0.5);
    if (distance < best_distance) {
      best_distance = distance;
      best = {weights[i + 1].hash, left / total};
    }
  }
  if (std::max(best.left_share, 1 - best.left_share) > kSplitShareMax) {
    return fail(ErrorCode::kInvalidInput, fmt::format("A split cannot help: one partition key value has {:.0f} % of the {}.",
                                                      100 * std::max(best.left_share, 1 - best.left_share), name_of(aim)));
  }
  return best;
}

void WeightSummary::add(std::string_view hash, uint64_t bytes, double units_per_second) {
  CHECK(weights_.empty() || hash >= last_hash_);
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
