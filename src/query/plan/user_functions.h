#pragma once

#include "query/plan/plan.h"

#include <set>
#include <string>

namespace partita::query {

// The names of all users' functions that a plan may call, sub-queries included.
std::set<std::string> user_functions_of(const Plan& plan);

}  // namespace partita::query
