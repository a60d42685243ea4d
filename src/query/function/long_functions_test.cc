#include "document/json/json.h"
#include "query/optimise/step_clock.h"
#include "query/query.h"
#include "query/work_meter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Functions of large values stop when the query's time is over, or take no longer than in proportion.
namespace partita::query {
namespace {

std::string stored_text(const std::string& text) { return *stored_from_json("\"" + text + "\""); }

Result<Value> run(const QuerySpecification& specification, int64_t looks_max, std::string& kept) {
  const Result<Plan> plan = compile(specification);
  if (!plan) return std::unexpected(plan.error());
  const StepClock clock;
  Random random(0);
  const Environment environment{.clock = clock, .random = random, .deadline_steady_us = looks_max};
  ListedRows rows({});
  QueryExecution execution(*plan, rows, environment);
  Value row;
  const Result<QueryExecution::Step> step = execution.next(row);
  if (!step) return std::unexpected(step.error());
  if (*step != QueryExecution::Step::kRow) return Value();
  kept = row.bytes();
  return Value::view(kept);
}

TEST(LongFunctions, ALikeThatWouldTakeHoursStopsAtTheDeadline) {
  QuerySpecification query{"SELECT VALUE @text LIKE @pattern", {}};
  query.parameters.push_back({"@text", stored_text(std::string(2'000'000, 'a'))});
  query.parameters.push_back({"@pattern", stored_text("%" + std::string(500'000, '_') + "b")});
  std::string kept;
  const Result<Value> row = run(query, 100, kept);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, ErrorCode::kTimeout);
}

TEST(LongFunctions, ManyMatchesOfARegexStopAtTheDeadline) {
  QuerySpecification query{"SELECT VALUE RegexExtractAll(@text, 'a')", {}};
  query.parameters.push_back({"@text", stored_text(std::string(200'000, 'a'))});
  std::string kept;
  const Result<Value> row = run(query, 100, kept);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, ErrorCode::kTimeout);
}

TEST(LongFunctions, ARegexTooLargeForItsTextIsUndefined) {
  QuerySpecification query{"SELECT RegexMatch(@text, '((a?){30}){30}(b{1,100}){1,9}') AS found", {}};
  query.parameters.push_back({"@text", stored_text(std::string(4'000'000, 'a'))});
  std::string kept;
  const Result<Value> row = run(query, 1'000'000, kept);
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_EQ(to_json(*row), "{}");
}

// A trial is made on a thread that others wait for, and compiling or matching asks for no time.
TEST(LongFunctions, ATrialLeavesLongRegexesToOthers) {
  const auto answers_trial = [](const std::string& pattern, const std::string& text) {
    QuerySpecification query{"SELECT VALUE RegexMatch(CONCAT(@text, ToString(c)), @pattern) FROM c", {}};
    query.parameters.push_back({"@text", stored_text(text)});
    query.parameters.push_back({"@pattern", stored_text(pattern)});
    const Result<Plan> plan = compile(query);
    EXPECT_TRUE(plan);
    const std::string one = *stored_from_json("1");
    const auto ends_well = [&](bool is_trial) {
      const StepClock clock;
      Random random(0);
      const Environment environment{.clock = clock, .random = random, .is_trial = is_trial};
      const std::vector<Value> listed = {Value::view(one)};
      ListedRows rows(listed);
      QueryExecution execution(*plan, rows, environment);
      Value row;
      const auto step = execution.next(row);
      if (!step) EXPECT_EQ(step.error().code, ErrorCode::kTimeout);
      return step.has_value();
    };
    const bool is_answered = ends_well(true);
    EXPECT_TRUE(ends_well(false)) << pattern;
    return is_answered;
  };
  EXPECT_TRUE(answers_trial("^[a-z]+\\\\d$", "abc"));
  EXPECT_FALSE(answers_trial("(x{30}){30}", "abc"));
  EXPECT_FALSE(answers_trial("[^\\\\p{Greek}]", "abc"));
  EXPECT_FALSE(answers_trial(std::string(1'000, 'y'), "abc"));
  EXPECT_FALSE(answers_trial("z+$", std::string(100'000, 'z')));
}

TEST(LongFunctions, LookingForATextTakesTimeInProportion) {
  const auto work = [](size_t size) {
    QuerySpecification query{
        "SELECT VALUE [CONTAINS(@text, @wanted), INDEX_OF(@text, @wanted), LASTINDEXOF(@text, @wanted), "
        "REPLACE(@text, @wanted, 'b'), SubstringAfter(@text, @wanted), ARRAY_LENGTH(StringSplit(@text, @wanted))]",
        {}};
    query.parameters.push_back({"@text", stored_text(std::string(4 * size, 'a'))});
    query.parameters.push_back({"@wanted", stored_text(std::string(size, 'a') + "b")});
    std::string kept;
    return work_of([&] { EXPECT_TRUE(run(query, 1'000'000, kept)); });
  };
  EXPECT_LE(work(160'000) / work(40'000), 9);
}

TEST(LongFunctions, FindTheSameAsShortOnes) {
  const std::string period = "abcabdabcabcabdabcabcabcabdabcabdabcabeabcabd";
  std::string text = period + "x" + period.substr(1) + period + period + "abc";
  QuerySpecification query{"SELECT VALUE [INDEX_OF(@text, @wanted), LASTINDEXOF(@text, @wanted), INDEX_OF(@text, @wanted, 1)]",
                           {}};
  query.parameters.push_back({"@text", stored_text(text)});
  query.parameters.push_back({"@wanted", stored_text(period)});
  std::string kept;
  const Result<Value> row = run(query, 1'000'000, kept);
  ASSERT_TRUE(row);
  const size_t second = text.find(period, 1);
  EXPECT_EQ(to_json(*row), "[0," + std::to_string(text.rfind(period)) + "," + std::to_string(second) + "]");
}

TEST(LongFunctions, ManyValuesAreLookedForInAnArrayAtOnce) {
  const auto work = [](size_t size) {
    std::string values;
    for (size_t i = 0; i < size; ++i) values += (i > 0 ? "," : "") + std::to_string(i);
    QuerySpecification query{"SELECT VALUE ARRAY_CONTAINS_ALL(@array," + values + ")", {}};
    query.parameters.push_back({"@array", *stored_from_json("[" + values + "]")});
    std::string kept;
    return work_of([&] {
      const Result<Value> row = run(query, 1'000'000, kept);
      ASSERT_TRUE(row);
      EXPECT_EQ(to_json(*row), "true");
    });
  };
  EXPECT_LE(work(16'000) / work(4'000), 9);
}

}  // namespace
}  // namespace partita::query
