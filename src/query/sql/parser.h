#pragma once

#include "base/result.h"
#include "query/sql/ast.h"

#include <cstddef>
#include <string_view>

namespace partita::query::sql {

inline constexpr size_t kQueryTextBytesMax = 512 * 1024;
// Parentheses, calls, constructors and sub-queries inside each other. Long chains of operators do not count, nor do the opening
// parentheses of ((((a OR b) OR c) OR d) ...), which query generators write by the thousand.
inline constexpr int kNestingDepthMax = 400;
// Operators applied to operators, as in a + b + c + ...; AND and OR chains count as one.
inline constexpr uint16_t kExpressionHeightMax = 1000;
// In a text with all its sub-queries. The service allows 10.
inline constexpr size_t kJoinsMax = 100;

// Parses one query. Errors are kInvalidQuery in the form of to_error().
Result<Query> parse(std::string_view text);

}  // namespace partita::query::sql
