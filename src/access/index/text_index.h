#pragma once

#include "access/partition_view.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/optimise/text_search.h"
#include "search/relevance.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

// What the words in the index of a partition say about a search, without its documents.
struct FoundTexts {
  TextStatistics statistics;
  std::vector<DocumentNumber> numbers;  // of those with one of the phrases; sorted
  uint64_t entries_read = 0;
};
// About all documents, or those with these numbers (sorted). The index of the view has the words.
Result<FoundTexts> find_texts(const query::TextSearch& search, const PartitionView& view,
                              const std::optional<std::vector<DocumentNumber>>& among, const query::Environment& environment);

}  // namespace partita
