#include "query/execute/query_execution.h"

#include "document/json/json.h"
#include "query/query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace partita::query {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

Plan plan_of(std::string text) {
  auto plan = compile({std::move(text), {}});
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return std::move(*plan);
}

// Documents {"id": 0, "group": 0, "text": "xx..."}, {"id": 1, ...}, ... as many as asked for, without end if none is given.
class Numbers final : public RowSource {
 public:
  explicit Numbers(uint64_t count = UINT64_MAX) : count_(count) {}

  Result<Value> next() override {
    if (on_next) on_next();
    if (given_ == count_) return Value();
    stored_ =
        stored_from_json(fmt::format(R"({{"id":{},"group":{},"text":"{}"}})", given_, given_ % 7, std::string(100, 'x'))).value();
    ++given_;
    return Value::view(stored_);
  }
  uint64_t number() const override { return given_; }
  uint64_t given() const { return given_; }

  std::function<void()> on_next;

 private:
  uint64_t count_;
  uint64_t given_ = 0;
  std::string stored_;
};

class QueryExecutionTest : public testing::Test {
 protected:
  Environment environment() { return {.clock = clock_, .random = random_}; }

  // All results as JSON, or the error.
  Result<std::vector<std::string>> run(const Plan& plan, RowSource& rows, const Environment& environment) {
    QueryExecution execution(plan, rows, environment);
    std::vector<std::string> results;
    while (true) {
      Value row;
      TRY_ASSIGN(auto step, execution.next(row));
      if (step == QueryExecution::Step::kEnd) return results;
      results.push_back(to_json(row));
    }
  }

  ManualClock clock_{kNowMs};
  Random random_{1};
};

TEST_F(QueryExecutionTest, ReadsNoMoreRowsThanItGives) {
  Numbers rows;
  auto results = run(plan_of("SELECT TOP 3 VALUE c.id FROM c WHERE c.id >= 2"), rows, environment());
  EXPECT_EQ(results.value(), (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_EQ(rows.given(), 5u);
}

TEST_F(QueryExecutionTest, PausesBetweenSourceRowsAndGoesOn) {
  Numbers rows(10);
  Plan plan = plan_of("SELECT VALUE COUNT(1) FROM c");
  QueryExecution execution(plan, rows, environment());
  Value row;
  execution.set_pace({.rows_left = 4});
  EXPECT_EQ(execution.next(row).value(), QueryExecution::Step::kPause);
  EXPECT_EQ(execution.rows_read(), 4u);
  clock_.advance_ms(1000);
  execution.set_pace({.pause_at_steady_us = clock_.steady_us()});
  EXPECT_EQ(execution.next(row).value(), QueryExecution::Step::kPause);
  execution.set_pace({});
  ASSERT_EQ(execution.next(row).value(), QueryExecution::Step::kRow);
  EXPECT_EQ(to_json(row), "10");
  EXPECT_EQ(execution.next(row).value(), QueryExecution::Step::kEnd);
}

TEST_F(QueryExecutionTest, TellsWhereAStreamingQueryCanBeResumed) {
  Plan plan = plan_of("SELECT VALUE c.id FROM c WHERE c.id % 3 = 0");
  Numbers rows;
  QueryExecution execution(plan, rows, environment());
  Value row;
  ASSERT_EQ(execution.next(row).value(), QueryExecution::Step::kRow);
  ASSERT_EQ(execution.next(row).value(), QueryExecution::Step::kRow);
  EXPECT_EQ(execution.position().origin.number, 4u);
  EXPECT_FALSE(execution.position().is_open);
  EXPECT_EQ(scan_start(plan, false), ScanStart::kPosition);
  EXPECT_EQ(scan_start(plan_of("SELECT * FROM c ORDER BY c.id"), false), ScanStart::kBeginning);
  EXPECT_EQ(scan_start(plan_of("SELECT * FROM c ORDER BY c.id"), true), ScanStart::kPosition);
}

TEST_F(QueryExecutionTest, FailsBehindItsDeadline) {
  Numbers rows;
  rows.on_next = [this] { clock_.advance_ms(1); };
  Environment limited = environment();
  limited.deadline_steady_us = clock_.steady_us() + 1'000'000;
  auto results = run(plan_of("SELECT VALUE COUNT(1) FROM c"), rows, limited);
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ErrorCode::kTimeout);
  EXPECT_LT(rows.given(), 2000u);
}

TEST_F(QueryExecutionTest, StopsWhenCancelledEvenInsideOneRow) {
  std::atomic<bool> is_cancelled = true;
  Numbers rows(1);
  Environment cancellable = environment();
  cancellable.is_cancelled = &is_cancelled;
  std::string list = "[0";
  for (int i = 1; i < 1000; ++i) list += fmt::format(",{}", i);
  list += "]";
  auto results = run(plan_of(fmt::format("SELECT VALUE COUNT(1) FROM c JOIN a IN {} JOIN b IN {} JOIN d IN {} JOIN e IN {}", list,
                                         list, list, list)),
                     rows, cancellable);
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ErrorCode::kTimeout);
}

TEST_F(QueryExecutionTest, BoundsWhatIsKeptInMemory) {
  for (std::string_view text : {"SELECT * FROM c ORDER BY c.id", "SELECT DISTINCT VALUE CONCAT(c.text, TOSTRING(c.id)) FROM c",
                                "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id", "SELECT VALUE MAKELIST(c.text) FROM c",
                                "SELECT VALUE MAKESET(c.id) FROM c"}) {
    Numbers rows;
    Environment limited = environment();
    limited.buffered_bytes_max = 100'000;
    auto results = run(plan_of(std::string(text)), rows, limited);
    ASSERT_FALSE(results.has_value()) << text;
    EXPECT_EQ(results.error().code, ErrorCode::kInvalidQuery);
    EXPECT_TRUE(results.error().message.contains("more rows in memory")) << results.error().message;
  }
}

TEST_F(QueryExecutionTest, BorrowsWhatItKeepsFromWhatAllQueriesShare) {
  for (std::string_view text : {"SELECT * FROM c ORDER BY c.id", "SELECT DISTINCT VALUE CONCAT(c.text, TOSTRING(c.id)) FROM c",
                                "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id", "SELECT VALUE MAKELIST(c.text) FROM c"}) {
    FairMemory shared(8 << 20);
    MemoryLoan neighbour(&shared, 1);
    ASSERT_TRUE(neighbour.grow_to(2 << 20));
    Numbers rows;
    Environment sharing = environment();
    sharing.memory = &shared;
    sharing.tenant = 2;
    auto results = run(plan_of(std::string(text)), rows, sharing);
    ASSERT_FALSE(results.has_value()) << text;
    EXPECT_EQ(results.error().code, ErrorCode::kUnavailable) << results.error().message;
    EXPECT_EQ(shared.taken(), 2U << 20) << text;  // it has given everything back
  }
}

TEST_F(QueryExecutionTest, KeepsOnlyTheRowsThatASortWithLimitNeeds) {
  Numbers rows(100'000);
  Environment limited = environment();
  limited.buffered_bytes_max = 200'000;
  auto results = run(plan_of("SELECT TOP 2 VALUE c.id FROM c ORDER BY c.id DESC"), rows, limited);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ(*results, (std::vector<std::string>{"99999", "99998"}));
}

TEST_F(QueryExecutionTest, BoundsTheValuesOfOneRow) {
  std::string text = "SELECT VALUE LENGTH(x29) FROM c JOIN (SELECT VALUE c.text) x0";
  for (int i = 1; i < 30; ++i) text += fmt::format(" JOIN (SELECT VALUE CONCAT(x{0}, x{0})) x{1}", i - 1, i);
  Numbers rows(1);
  auto results = run(plan_of(text), rows, environment());
  ASSERT_FALSE(results.has_value());
  EXPECT_TRUE(results.error().message.contains("too large")) << results.error().message;
}

TEST_F(QueryExecutionTest, ReusesTheMemoryOfARow) {
  Numbers rows(10'000);
  Environment limited = environment();
  limited.row_bytes_max = 10'000;
  auto results = run(plan_of("SELECT VALUE CONCAT(UPPER(c.text), x) FROM c JOIN x IN ['a', 'b'] WHERE LENGTH(CONCAT(c.text, x)) "
                             "> 1 OFFSET 19999 LIMIT 1"),
                     rows, limited);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ(results->size(), 1u);
}

TEST_F(QueryExecutionTest, EvaluatesLongChainsAndLists) {
  std::string chain = "SELECT VALUE c.id FROM c WHERE c.id = -1";
  std::string list = "SELECT VALUE c.id FROM c WHERE c.id IN (-1";
  for (int i = 0; i < 16'000; ++i) {
    chain += fmt::format(" OR c.id = {}", i * 2);
    list += fmt::format(", {}", i * 2);
  }
  list += ")";
  for (const std::string& text : {chain, list}) {
    Numbers rows(5);
    EXPECT_EQ(run(plan_of(text), rows, environment()).value(), (std::vector<std::string>{"0", "2", "4"}));
  }
}

TEST_F(QueryExecutionTest, PassesOnErrorsOfTheSource) {
  class Broken final : public RowSource {
    Result<Value> next() override { return fail(ErrorCode::kStorageFailure, "disk"); }
    uint64_t number() const override { return 0; }
  } rows;
  auto results = run(plan_of("SELECT * FROM c ORDER BY c.id"), rows, environment());
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ErrorCode::kStorageFailure);
}

TEST(QuerySpecification, TiesPositionsToTheTextButNotToTheFilterOfASort) {
  auto tie = [](std::string text) { return resumption_text({std::move(text), {}}); };
  EXPECT_EQ(tie("SELECT * FROM c ORDER BY c.a"), tie("select *  from c WHERE c.a > 5 ORDER BY c.a"));
  EXPECT_NE(tie("SELECT * FROM c ORDER BY c.a"), tie("SELECT * FROM c ORDER BY c.a DESC"));
  EXPECT_NE(tie("SELECT * FROM c"), tie("SELECT * FROM c WHERE c.a > 5"));
}

TEST(QuerySpecification, ReadsTheBodyOfARequest) {
  auto body = stored_from_json(R"({"query":"SELECT @a","parameters":[{"name":"@a","value":{"x":[1]}}]})").value();
  auto specification = QuerySpecification::from(Value::view(body));
  ASSERT_TRUE(specification.has_value());
  EXPECT_EQ(specification->parameters.size(), 1u);
  EXPECT_TRUE(compile(*specification).has_value());
  for (std::string_view wrong :
       {R"({})", R"({"query":5})", R"({"query":"x","parameters":{}})", R"({"query":"x","parameters":[{}]})"}) {
    auto stored = stored_from_json(wrong).value();
    EXPECT_FALSE(QuerySpecification::from(Value::view(stored)).has_value()) << wrong;
  }
  auto null = stored_from_json(R"({"query":"SELECT 1","parameters":null})").value();
  EXPECT_TRUE(QuerySpecification::from(Value::view(null)).has_value());
}

}  // namespace
}  // namespace partita::query
