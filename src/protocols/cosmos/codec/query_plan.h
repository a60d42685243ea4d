#pragma once

#include "document/key/partition_key.h"
#include "document/stored/stored_writer.h"
#include "query/distribute/distributed_query.h"

namespace partita::cosmos {

// A query plan as clients read it (partitionedQueryExecutionInfo): what to send to which ranges of hashes, and how to merge what
// comes back. Every list is there even when it is empty; clients rely on that.
void write_query_plan(StoredWriter& out, const query::DistributedQuery& query, const PartitionKeyDefinition& definition);

}  // namespace partita::cosmos
