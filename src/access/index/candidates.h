#pragma once

#include "access/partition_view.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/optimise/access.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

// Candidates: the documents of one partition that its index leaves to a query, by number, in order.
struct Candidates {
  // Nothing: reading all documents is cheaper.
  std::optional<std::vector<DocumentNumber>> numbers;
  bool is_exact = false;                  // the filter holds for every one of them
  uint64_t entries_read = 0;              // of the index
  const query::Access* driver = nullptr;  // the part of the access that the numbers come from
};

// Without statistics: the predicates of a conjunction race, each reading as many entries of the index as the others. The first at
// its end drives; others that are not much longer are intersected with it. So the cost is bounded by the shortest one times their
// number, and what the partition holds besides does not matter. A reader that wants only some rows, and may come again for more,
// finds them in a scan at once where candidates are many: then these are not collected.
Result<Candidates> find_candidates(const query::Access& access, const PartitionView& view, std::optional<uint64_t> rows_wanted,
                                   const query::Environment& environment);

// So many it finds at most.
uint64_t candidates_max(const PartitionView& view, std::optional<uint64_t> rows_wanted);

// How many documents an exact access lets through, by its entries alone; nothing when that would be dear or not exact.
struct CountedEntries {
  uint64_t documents = 0;
  uint64_t entries_read = 0;
};
Result<std::optional<CountedEntries>> count_entries(const query::Access& access, const PartitionView& view,
                                                    const query::Environment& environment);

}  // namespace partita
