#pragma once

#include "query/sql/ast.h"

#include <string>

namespace partita::query::sql {

// Canonical text: one clause per line, keywords in upper case, strings in double quotes, every operator in parentheses, aliases
// with AS, numbers with at most 17 digits; function names as they were written. Parsing the text again gives the same text.
std::string print(const Query& query);
std::string print(const Expression& expression);
// The canonical text with other literals than those of paths replaced: every string by "?", every number by 1. It is still a
// query.
std::string print_shape(const Query& query);

}  // namespace partita::query::sql
