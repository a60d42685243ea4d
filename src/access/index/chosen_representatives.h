#pragma once

#include "access/partition_view.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/optimise/representatives.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

struct ChosenRepresentatives {
  std::vector<DocumentNumber> numbers;  // sorted
  std::vector<uint64_t> stand_for;      // how many documents each of them; empty when nobody asked
  uint64_t entries_read = 0;
};

// Finds them by skipping through the index, or counts its entries. Where the index does not tell values apart (long strings, huge
// integers, arrays, objects) all documents with such a value are chosen. Nothing when there are more than `numbers_max`.
// The ends of all values are remembered until the next write.
Result<std::optional<ChosenRepresentatives>> choose_representatives(const query::Representatives& wanted,
                                                                    const PartitionView& view, uint64_t numbers_max,
                                                                    const query::Environment& environment);

}  // namespace partita
