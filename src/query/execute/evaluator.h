#pragma once

#include "query/execute/execution.h"
#include "query/plan/scalar.h"
#include "query/value/datum.h"

namespace partita::query {

// The value of a scalar for the row that the slots hold. Undefined after a failure of the execution.
Datum evaluate(const Scalar& scalar, Execution& execution);

// Operators on values: operators.cc.
Datum apply_unary(Operation operation, const Datum& operand);
// Comparisons and arithmetic. Concatenation needs memory and is not among them.
Datum apply_binary(Operation operation, const Datum& left, const Datum& right);

}  // namespace partita::query
