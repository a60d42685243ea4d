#pragma once

#include "client/query/partition_rows.h"
#include "client/query/query_plan.h"
#include "client/query/row.h"

#include <memory>
#include <optional>

namespace partita::client {

// RowSource: rows one after the other; nothing at the end. Used by one thread.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Answer<std::optional<Row>> next() = 0;
};

// The rows of a query from those of its partitions, in the order in which one partition after the other would give them.
// `rows` outlives it.
std::unique_ptr<RowSource> merge(PartitionRows& rows, const QueryPlan& plan);

}  // namespace partita::client
