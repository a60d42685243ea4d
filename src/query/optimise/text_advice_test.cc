#include "query/optimise/text_advice.h"

#include "base/golden_file.h"
#include "query/sql/parser.h"

#include <gtest/gtest.h>

namespace partita::query {

TEST(TextAdvice, FollowsTheRulesOfTheService) {
  run_golden_file(TEST_DATA_DIR "/text_advice.txt", [](const std::vector<std::string>& input) {
    const Result<sql::Query> query = sql::parse(input.at(0));
    if (!query) return "error: " + query.error().message;
    std::string out;
    for (const std::string_view rule : text_advice(*query)) out += std::string(out.empty() ? "" : " ") + std::string(rule);
    return out.empty() ? "none" : out;
  });
}

}  // namespace partita::query
