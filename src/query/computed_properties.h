#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "document/value.h"

#include <cstddef>

namespace partita::query {

inline constexpr size_t kComputedPropertiesMax = 20;

// Checks the member 'computedProperties' of a container: each has a name of its own and a query SELECT VALUE f FROM c, where f is
// an expression over one document that is the same every time: no sub-query, aggregate, user-defined or spatial function, no
// clock and no random number; RANDOM_BUCKET only where a path of the partition key names the property. kInvalidInput names the
// property and the rule it breaks.
Status check_computed_properties(const Value& definition, const PartitionKeyDefinition& key = {});

}  // namespace partita::query
