#pragma once

#include "base/result.h"
#include "query/distribute/distributed_query.h"

#include <optional>
#include <string_view>

namespace partita::cosmos {

// What a client must know about merging to use a query plan, by the names of this wire.
//
// `supported` is what the client says that it knows, with commas between; nothing when it does not say. kInvalidQuery, in the
// service's words, when the plan asks for more. Counts of distinct rows are not asked for: clients that do not know them get a
// plan without.
Status check_query_features(const query::DistributedQuery& plan, std::optional<std::string_view> supported);

// Whether the client says that it knows this one.
bool names_query_feature(std::string_view supported, std::string_view feature);

}  // namespace partita::cosmos
