#pragma once

#include "base/result.h"
#include "gateway/query/prepared_queries.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/fidelity.h"

#include <optional>

namespace partita::cosmos {

// Why a query is not answered, and who would get its rows all the same.
struct QueryRefusal {
  Error error;
  bool is_served_by_index = false;       // once the policy has what is missing
  bool is_served_by_plan = false;        // clients that ask for a plan and merge partitions themselves
  bool is_served_when_extended = false;  // requests with that fidelity
};

// For what it asks, whatever partitions that concerns. Nothing: it is not refused.
std::optional<QueryRefusal> refusal_of_text(Fidelity fidelity, const Container& container, const PreparedQuery& query);

// For the partitions that it concerns, of a request that does not say itself which these are. `is_one_key`: the filter leaves one
// key; `has_several_keys`: it leaves more than one.
struct ConcernedKeys {
  bool is_one_key = false;
  bool has_several_keys = false;
};
std::optional<QueryRefusal> refusal_over_partitions(const Exchange& exchange, Fidelity fidelity, const Container& container,
                                                    const PreparedQuery& query, const ConcernedKeys& keys);

}  // namespace partita::cosmos
