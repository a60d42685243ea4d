#pragma once

#include "access/read_scope.h"
#include "document/key/partition_key.h"
#include "query/optimise/access.h"

namespace partita {

// What documents of the logical partitions with this key, or prefix of one, have in the index, which always has the paths of the
// partition key.
query::Access access_of_key(const PartitionKeyDefinition& definition, const PartitionKey& key);

// The access, and that of the scope's key if it has one.
query::Access with_key(query::Access access, const ReadScope& scope);

}  // namespace partita
