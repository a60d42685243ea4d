#pragma once

#include "base/result.h"
#include "engine/slice.h"

#include <cstdint>
#include <functional>

namespace partita {

// Tally: how many documents there are, and a checksum over their numbers and contents. It does not depend on their order, on the
// partition they are in or on their LSNs, so the tallies of some partitions add up to that of the partitions that replace them.
struct Tally {
  uint64_t documents = 0;
  uint64_t checksum = 0;

  Tally& operator+=(const Tally& other);
  bool operator==(const Tally&) const = default;
};

// Of the documents as `convert` makes them, if it is not empty.
Result<Tally> tally_of(const Slice& slice, const Snapshot& at, const std::function<Result<Item>(Item)>& convert = {});

}  // namespace partita
