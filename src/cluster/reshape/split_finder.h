#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Where to cut a partition's range of hashes in two. Pure: what is known goes in, a hash or a reason comes out.
namespace partita {

// What lies at one hash or, in a summary, from it up to the next one's.
struct HashWeight {
  EffectivePartitionKey hash;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  double units_per_second = 0;
};

enum class SplitAim {
  kHalveBytes,
  kHalveLoad,
  kAddPartition,  // as kHalveBytes, but when no cut halves them in the middle of the hashes: for documents to come
};

// A cut that leaves more than this share of the weight on one side is not worth moving the rest.
inline constexpr double kSplitShareMax = 0.95;

struct SplitPoint {
  EffectivePartitionKey hash;  // the first of the right side
  double left_share = 0;       // of the weight that was to be halved
  bool helps = true;           // false when a partition was to be added and no cut spreads what there is
};

// Cuts whose sides differ by no more than this share from those of the best one are as good.
inline constexpr double kSplitShareTolerance = 0.02;
// Known cuts are as good up to this.
inline constexpr double kKnownShareTolerance = 0.1;

// A cut that comes nearest to halving; of those that are about as good a known one, else the roundest hash. Known are cuts that
// clients have in older maps: they expect ranges to become finer, so a partition which was merged and is split again should be
// cut where it was before. With a hot key value, whose hash alone weighs more than half, it is a cut right before or behind
// that: what is left beside it shrinks with every further split until it is alone.
//
// Weights are sorted by hash, all within `range`. kInvalidInput, with the reason, when no cut can help: there is only one hash,
// or nearly all of the weight is at one, unless a partition is to be added. An empty partition is cut in the middle of its
// hashes.
Result<SplitPoint> find_split(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition,
                              const std::vector<HashWeight>& weights, SplitAim aim,
                              const std::vector<EffectivePartitionKey>& known_cuts = {});

// WeightSummary: weights of any number of hashes, given in order, in bounded memory. Not thread-safe.
//
// When there are too many entries, neighbours are joined two by two; a cut is then found with the precision of an entry.
class WeightSummary {
 public:
  static constexpr size_t kEntriesMax = 8192;

  // REQUIRES: hashes do not decrease.
  void add(std::string_view hash, uint64_t bytes, double units_per_second = 0);
  const std::vector<HashWeight>& weights() const { return weights_; }

 private:
  void halve();

  std::vector<HashWeight> weights_;
  std::string last_hash_;
  uint64_t hashes_per_entry_ = 1;
  uint64_t hashes_in_last_ = 0;
};

}  // namespace partita
