#pragma once

#include "base/result.h"
#include "partition/charge/request_units.h"

#include <string_view>

namespace partita::cosmos {

// The strongest first. Reads are in fact always as new as the newest write; the level decides what clients may ask for, whether
// they keep session tokens, and what reads cost.
enum class ConsistencyLevel { kStrong, kBoundedStaleness, kSession, kConsistentPrefix, kEventual };

// As clients and the account document write it.
std::string_view name_of(ConsistencyLevel level);

// The level at which a request is served: the account's, or a weaker one that the request asks for. kInvalidInput when it asks
// for a stronger one, or for none that exists. `asked` is empty when it does not ask.
Result<ConsistencyLevel> consistency_level(std::string_view asked, ConsistencyLevel of_account);

// What reads cost at this level.
ReadPrice read_price(ConsistencyLevel level);

}  // namespace partita::cosmos
