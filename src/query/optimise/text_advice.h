#pragma once

#include "query/sql/ast.h"

#include <string_view>
#include <vector>

namespace partita::query {

// Which of the rules of the service's query advisor apply to a query: "QA1002" and so on, each once, sorted. SDKs know what they
// say.
std::vector<std::string_view> text_advice(const sql::Query& query);

}  // namespace partita::query
