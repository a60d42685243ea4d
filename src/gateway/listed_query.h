#pragma once

#include "base/result.h"
#include "query/query.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

// One resource of a list that is short enough to be held as a whole, with the number that orders it.
struct FeedRow {
  uint64_t number;
  std::string stored;
};

// The results of a query over such a list. They have the numbers of their rows where they can, so that a page goes on behind them
// whatever was deleted meanwhile, else those of their own order. `specification` is the body of a query: text and parameters.
Result<std::vector<FeedRow>> query_listed(const std::vector<FeedRow>& rows, const Value& specification,
                                          const query::Environment& environment);

}  // namespace partita
