#pragma once

#include "base/result.h"
#include "query/plan/plan.h"
#include "query/schema.h"
#include "query/sql/ast.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace partita::query {

// A value that a query text names; of any JSON type.
struct Parameter {
  std::string name;   // with its @
  std::string value;  // stored form
};

inline constexpr size_t kUserCallsMax = 10;
// Of parameters' values, counted as often as the text names them.
inline constexpr size_t kParameterBytesMax = 16 << 20;
// Of the texts of computed properties, counted likewise.
inline constexpr size_t kComputedBytesMax = 256 << 10;
// What ORDER BY RANK may compare: each component's text has the scores of all, and the statistics have the path for each phrase.
inline constexpr size_t kRankComponentsMax = 20;
inline constexpr size_t kRankPhrasesMax = 100;
// What TOP, OFFSET and LIMIT may say.
inline constexpr uint64_t kRowCountMax = 4294967295;

// Resolves names, functions and parameters and checks the rules of the language. `text` is what the query was parsed from, for
// the locations in errors. All mistakes that are independent of each other are reported together.
Result<Plan> bind(const sql::Query& query, std::string_view text, std::span<const Parameter> parameters,
                  const Schema& schema = {});

}  // namespace partita::query
