#include "gateway/query/query_runner.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

namespace partita {
namespace {

// LeapingClock: so much time passes between any two looks at it.
class LeapingClock final : public Clock {
 public:
  explicit LeapingClock(int64_t step_us) : step_us_(step_us) {}
  int64_t unix_ms() const override { return 1'700'000'000'000; }
  int64_t steady_us() const override { return now_us_ += step_us_; }

 private:
  const int64_t step_us_;
  mutable std::atomic<int64_t> now_us_ = 0;
};

class QueryRunnerTest : public testing::Test {
 protected:
  static constexpr int kDocuments = 200;

  void SetUp() override {
    const Items items{account_.clock, account_.documents, account_.random};
    for (int i = 0; i < kDocuments; ++i) {
      std::promise<bool> is_done;
      items.create(container_, fmt::format(R"({{"id":"{0}","pk":"p","n":{0}}})", i), std::nullopt,
                   [&](const Result<ItemOutcome>& made) { is_done.set_value(made.has_value()); });
      ASSERT_TRUE(is_done.get_future().get());
    }
  }

  struct Answer {
    std::string text;
    bool is_of_caller;  // its thread has answered
  };
  Answer ask(const QueryRunner& runner, std::string_view query) {
    const auto prepared = runner.prepare(fmt::format(R"({{"query":"{}"}})", query), *container_);
    if (!prepared) return {std::string(name_of(prepared.error().code)), true};
    auto call = std::make_shared<QueryCall>();
    call->container = container_;
    call->query = *prepared;
    std::promise<Answer> answer;
    runner.run(call, [&, caller = std::this_thread::get_id()](const Result<QueryPage>& page) {
      std::string text = page ? "" : std::string(name_of(page.error().code));
      for (const std::string& row : page ? page->rows : std::vector<std::string>()) text += to_json(Value::view(row)) + " ";
      answer.set_value({std::move(text), std::this_thread::get_id() == caller});
    });
    return answer.get_future().get();
  }
  QueryRunner runner_with(const Clock& clock) {
    return QueryRunner({*account_.catalog, engine_, workers_, clock, account_.random});
  }

  TestAccount account_;
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  script::ScriptEngine engine_{SCRIPT_HOST, {}, 1};
  FairScheduler workers_{
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock};
};

constexpr std::string_view kSum = "SELECT VALUE SUM(c.n + 0) FROM c";

TEST_F(QueryRunnerTest, RunsAShortQueryWhereTheCallerStands) {
  const QueryRunner runner = runner_with(account_.clock);
  const Answer answer = ask(runner, kSum);
  EXPECT_EQ(answer.text, "19900 ");
  EXPECT_TRUE(answer.is_of_caller);
}

TEST_F(QueryRunnerTest, LeavesALongQueryToAWorker) {
  const LeapingClock clock(1000);
  const QueryRunner runner = runner_with(clock);
  for (int i = 0; i < 2; ++i) {
    const Answer answer = ask(runner, kSum);
    EXPECT_EQ(answer.text, "19900 ");
    EXPECT_FALSE(answer.is_of_caller);
  }
}

TEST_F(QueryRunnerTest, AFunctionThatTakesLongLeavesTheWorkerToOthers) {
  ScriptDefinition endless{"endless", "function () { for (;;); }", *stored_from_json("{}")};
  ASSERT_TRUE(account_.catalog->scripts().write(*container_, ScriptType::kUserFunction, std::move(endless), true));
  FairScheduler workers(
      {.limits = {.slots = 1, .places = 8, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock);
  script::ScriptEngine patient{SCRIPT_HOST, {.accepts = std::chrono::hours(1), .total = std::chrono::hours(1)}, 1};
  const LeapingClock clock(1000);
  const QueryRunner runner({*account_.catalog, patient, workers, clock, account_.random});
  std::atomic<bool> is_abandoned = false;
  auto call = std::make_shared<QueryCall>();
  call->container = container_;
  call->query = *runner.prepare(R"({"query":"SELECT VALUE udf.endless() FROM c"})", *container_);
  call->is_abandoned = &is_abandoned;
  std::promise<bool> told;
  runner.run(call, [&](const Result<QueryPage>& page) { told.set_value(page.has_value()); });
  // There is one slot, and the function would keep it for an hour.
  const Answer answer = ask(runner, kSum);
  EXPECT_EQ(answer.text, "19900 ");
  EXPECT_FALSE(answer.is_of_caller);
  is_abandoned = true;
  EXPECT_FALSE(told.get_future().get());
}

TEST_F(QueryRunnerTest, RefusesFunctionsThatAreNotThere) {
  const QueryRunner runner = runner_with(account_.clock);
  EXPECT_EQ(ask(runner, "SELECT VALUE udf.missing(c) FROM c").text, "InvalidQuery");
}

}  // namespace
}  // namespace partita
