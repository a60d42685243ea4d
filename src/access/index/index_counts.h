#pragma once

#include "access/index/index_access.h"
#include "access/partition_view.h"
#include "access/read_scope.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita {

struct CountedDocuments {
  uint64_t count = 0;
  uint64_t entries_read = 0;
  std::string text;  // what was read
};
// How many documents of a partition are in scope and pass the plan's filter; nothing when only reading them tells.
Result<std::optional<CountedDocuments>> count_documents(const PartitionView& view, const ReadScope& scope,
                                                        const ReadPurpose& purpose);

struct SummedTexts {
  std::vector<double> sums;  // one for each aggregate of the plan
  uint64_t entries_read = 0;
  std::string text;  // what was read
};
// The aggregates of a plan, as far as text_sums_of() knows them, over the texts in scope; nothing when only documents tell.
Result<std::optional<SummedTexts>> sum_texts(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose);

}  // namespace partita
