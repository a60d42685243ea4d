#pragma once

#include "base/result.h"
#include "engine/index_reader.h"
#include "query/optimise/representatives.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

struct ChosenRepresentatives {
  std::vector<DocumentNumber> numbers;  // sorted
  uint64_t entries_read = 0;
};

// Finds them by skipping through the index. Where the index does not tell values apart (long strings, huge integers, arrays,
// objects) all documents with such a value are chosen. Nothing when there are more than `numbers_max`.
Result<std::optional<ChosenRepresentatives>> choose_representatives(const query::Representatives& wanted,
                                                                    const IndexReader& index, uint64_t numbers_max);

}  // namespace partita
