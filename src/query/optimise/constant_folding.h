#pragma once

#include "query/plan/plan.h"

namespace partita::query {

// Replaces expressions over constants by their values, in the plan and in all its sub-plans, so that they are computed once and
// that filters on them can be recognised. Left alone: what depends on time, chance or users, and values that would be large.
void fold_constants(Plan& plan);
void fold_constants(Scalar& scalar);

}  // namespace partita::query
