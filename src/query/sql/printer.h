#pragma once

#include "query/sql/ast.h"

#include <string>

namespace partita::query::sql {

// Canonical text: one clause per line, keywords in upper case, strings in double quotes, every operator in parentheses, aliases
// with AS, numbers with at most 17 digits; function names as they were written. Parsing the text again gives the same text.
std::string print(const Query& query);
std::string print(const Expression& expression);

}  // namespace partita::query::sql
