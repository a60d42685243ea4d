#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "document/stored/stored_writer.h"

namespace partita {

// A partition key definition as clients write and read it: {"paths":["/a"],"kind":"Hash","version":2}.
void write_partition_key_definition(StoredWriter& out, const PartitionKeyDefinition& definition);
Result<PartitionKeyDefinition> parse_partition_key_definition(const Value& value);

}  // namespace partita
