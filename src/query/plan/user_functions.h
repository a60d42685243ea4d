#pragma once

#include "query/plan/plan.h"

#include <set>
#include <string>

namespace partita::query {

// The names of all users' functions that a plan may call, sub-queries included.
std::set<std::string> user_functions_of(const Plan& plan);
// Whether what a plan computes depends on nothing but documents: neither on functions of users, nor on the time or on chance.
bool depends_on_documents_only(const Plan& plan);

}  // namespace partita::query
