#pragma once

#include "query/sql/ast.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::query::sql {

// The name that an expression has without an alias: the last step of its path. Nothing for other expressions.
std::optional<std::string> natural_name(const Expression& e);

// The properties that the items of a select list become; those without a name are $1, $2, ...
std::vector<std::string> property_names(const Selection& selection);

}  // namespace partita::query::sql
