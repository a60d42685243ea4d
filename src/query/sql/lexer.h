#pragma once

#include "query/sql/token.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace partita::query::sql {

// All tokens of the text; the last one is kEnd. White space and comments (-- to the end of the line) are dropped.
std::expected<std::vector<Token>, Diagnostic> tokenize(std::string_view text);

// The characters that a kString token stands for, without quotes and escapes.
std::string string_token_value(std::string_view token);

}  // namespace partita::query::sql
