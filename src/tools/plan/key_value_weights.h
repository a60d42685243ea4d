#pragma once

#include "base/result.h"
#include "base/turn.h"
#include "cluster/resources.h"
#include "partition/transfer.h"

#include <cstdint>
#include <map>
#include <string>

namespace partita::tools {

// All documents of one hash, that is (but for a collision) of one key value, and what was asked of them in the busiest minute of
// the last hour that their partition had.
struct KeyValueWeight {
  uint64_t documents = 0;
  uint64_t documents_without = 0;  // no value at one of the key's paths or more
  uint64_t bytes = 0;
  double units_per_second = 0;
  double known_units = 0;  // of these: noted for this value itself, and not as a part of what its partition was asked for
  std::string key_json;
};
using KeyValueWeights = std::map<EffectivePartitionKey, KeyValueWeight>;

// How documents and load are spread over the values of the container's partition key. What hot key values are known to take is
// theirs; the rest of a partition's load counts evenly for all its documents. kInvalidInput when the values need more memory.
// Gives way to others, if there is a turn; kUnavailable when that is cancelled.
Result<KeyValueWeights> weigh_key_values(const Container& container, size_t bytes_max, Turn* turn = nullptr);

// The same for another partition key: each document takes the load along that it has in `present`. Of what a key value, or a
// partition, was asked for, documents that requests are known to have touched get all, in proportion; where none is known, it is
// divided evenly. `convert` gives documents what they would get together with the key, if there is something.
Result<KeyValueWeights> weigh_key_values(const Container& container, const KeyValueWeights& present,
                                         const PartitionKeyDefinition& other, const Transfer::Convert& convert, size_t bytes_max,
                                         Turn* turn = nullptr);

// Gives way to others; kUnavailable when nobody wants the plan any more. Costs a look at the clock.
Status go_on(Turn* turn);

}  // namespace partita::tools
