#include "gateway/items/batches.h"

#include "cluster/test_account.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace partita {
namespace {

// A clock whose first reader does something else before it hears what time it is: the condition of a patch asks for it in the
// middle of a batch.
class InterruptingClock final : public Clock {
 public:
  InterruptingClock(const Clock& clock, std::function<void()> interrupt) : clock_(clock), interrupt_(std::move(interrupt)) {}
  int64_t unix_ms() const override { return clock_.unix_ms(); }
  int64_t steady_us() const override {
    if (const auto interrupt = std::exchange(interrupt_, {})) interrupt();
    return clock_.steady_us();
  }

 private:
  const Clock& clock_;
  mutable std::function<void()> interrupt_;
};

class BatchesTest : public testing::Test {
 protected:
  static BatchStep step(ItemVerb verb, std::string_view id, std::string_view json = {}) {
    BatchStep made;
    made.operation.verb = verb;
    made.operation.id = id;
    made.operation.body = json;
    return made;
  }
  static PartitionKey key(std::string_view value) { return PartitionKey{{std::string(value)}}; }

  template <typename Call>
  static Result<BatchOutcome> wait(Call call) {
    std::promise<Result<BatchOutcome>> outcome;
    call([&](Result<BatchOutcome> result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  Result<BatchOutcome> batch(std::string_view key_value, std::vector<BatchStep> steps) {
    return wait(
        [&](BatchCallback callback) { run_batch(items_, container_, key(key_value), std::move(steps), std::move(callback)); });
  }
  Result<BatchOutcome> bulk(BulkOptions options, std::vector<BatchStep> steps) {
    return wait([&](BatchCallback callback) { run_bulk(items_, container_, options, std::move(steps), std::move(callback)); });
  }
  // One that creates a document and then counts another up, with the interruption in between.
  Result<BatchOutcome> interrupted_batch(std::function<void()> interrupt) {
    const InterruptingClock clock(account_.clock, std::move(interrupt));
    const Items items(clock, account_.documents, account_.random);
    return wait([&](BatchCallback callback) {
      run_batch(items, container_, key("p"),
                {step(ItemVerb::kCreate, "", R"({"id":"new","pk":"p","n":1})"),
                 step(ItemVerb::kPatch, "old",
                      R"({"condition":"FROM c WHERE c.n > 0","operations":[{"op":"incr","path":"/n","value":1}]})")},
                std::move(callback));
    });
  }
  int64_t stored_number(std::string_view key_value, std::string_view id) {
    const Location at = locate(*container_, key(key_value), id);
    const auto item = at.place->partition->local().slice().find(at.item_key);
    EXPECT_TRUE(item && *item) << id;
    return *(*item)->document().find("n").integer();
  }
  uint64_t documents() const {
    uint64_t count = 0;
    for (const PartitionPlace& place : container_->places) count += place.partition->counters().documents;
    return count;
  }

  TestAccount account_{Durability::kSynced};
  Items items_{account_.clock, account_.documents, account_.random};
  Items::ContainerPtr container_ = account_.make_container("c", {"/pk"}, 20'000);
};

}  // namespace

TEST_F(BatchesTest, ABatchIsOneWrite) {
  const Lsn before = locate(*container_, key("p"), "").place->partition->counters().lsn;
  const auto outcome = batch("p", {step(ItemVerb::kCreate, "", R"({"id":"a","pk":"p","n":1})"),
                                   step(ItemVerb::kCreate, "", R"({"id":"b","pk":"p","n":2})"),
                                   step(ItemVerb::kPatch, "a", R"([{"op":"incr","path":"/n","value":9}])")});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->has_failed());
  EXPECT_EQ(outcome->lsn.value, before.value + 1);
  EXPECT_TRUE(outcome->place->partition->is_durable(outcome->lsn));
  EXPECT_EQ(outcome->steps[0].item.lsn(), outcome->lsn);
  EXPECT_EQ(stored_number("p", "a"), 10);
  EXPECT_EQ(documents(), 2u);
  TestAccount::expect_consistent(*container_);
}

TEST_F(BatchesTest, AFailureChangesNothing) {
  ASSERT_TRUE(batch("p", {step(ItemVerb::kCreate, "", R"({"id":"a","pk":"p","n":1})")}));
  const auto outcome = batch(
      "p", {step(ItemVerb::kPatch, "a", R"([{"op":"incr","path":"/n","value":9}])"),
            step(ItemVerb::kCreate, "", R"({"id":"b","pk":"p"})"), step(ItemVerb::kErase, "none"), step(ItemVerb::kErase, "a")});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->has_failed());
  EXPECT_FALSE(outcome->steps[0].was_run);
  EXPECT_EQ(outcome->steps[2].error->code, ErrorCode::kNotFound);
  EXPECT_FALSE(outcome->steps[3].was_run);
  EXPECT_EQ(stored_number("p", "a"), 1);
  EXPECT_EQ(documents(), 1u);
}

TEST_F(BatchesTest, AnAnswerThatGrowsTooLargeIsRefusedBeforeItIsWritten) {
  const std::string text(1'500'000, 'x');
  ASSERT_TRUE(batch("p", {step(ItemVerb::kCreate, "", fmt::format(R"({{"id":"a","pk":"p","n":0,"text":"{}"}})", text))}));
  const std::vector<BatchStep> increments(4, step(ItemVerb::kPatch, "a", R"([{"op":"incr","path":"/n","value":1}])"));
  const auto outcome = batch("p", increments);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->steps[2].error->code, ErrorCode::kTooLarge);
  EXPECT_EQ(stored_number("p", "a"), 0);
  std::vector<BatchStep> without_documents = increments;
  for (BatchStep& one : without_documents) one.wants_document = false;
  EXPECT_FALSE(batch("p", without_documents)->has_failed());
  EXPECT_EQ(stored_number("p", "a"), 4);
}

TEST_F(BatchesTest, BulkStopsAtAFailureOnlyWhenAsked) {
  const std::vector<BatchStep> steps = {step(ItemVerb::kUpsert, "", R"({"id":"a","pk":"p","n":1})"),
                                        step(ItemVerb::kCreate, "", R"({"id":"a","pk":"p"})"),
                                        step(ItemVerb::kUpsert, "", R"({"id":"b","pk":"q","n":1})")};
  const auto stopped = bulk({.place = nullptr, .continues_on_error = false}, steps);
  ASSERT_TRUE(stopped);
  EXPECT_FALSE(stopped->steps[2].was_run);
  EXPECT_EQ(documents(), 1u);
  const auto continued = bulk({}, steps);
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->steps[1].error->code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE(continued->steps[2].was_created);
  EXPECT_EQ(documents(), 2u);
}

// That is where all who have written something are told, and one operation may take as long as the limits allow.
TEST_F(BatchesTest, BulkInOrderDoesNotRunWhereTheOperationBeforeBecameDurable) {
  std::vector<std::promise<BulkOptions::Next>> rests(2);
  size_t asked = 0;
  BulkOptions options{.continues_on_error = false};
  options.on_worker = [&](BulkOptions::Next rest) { rests.at(asked++).set_value(std::move(rest)); };
  std::vector<BatchStep> steps;
  for (const char* json : {R"({"id":"a","pk":"p"})", R"({"id":"b","pk":"p"})", R"({"id":"c","pk":"p"})"}) {
    steps.push_back(step(ItemVerb::kCreate, "", json));
  }
  std::promise<Result<BatchOutcome>> told;
  run_bulk(items_, container_, options, steps, [&](Result<BatchOutcome> result) { told.set_value(std::move(result)); });
  BulkOptions::Next second = rests[0].get_future().get();
  EXPECT_EQ(documents(), 1u);
  second({});
  BulkOptions::Next third = rests[1].get_future().get();
  EXPECT_EQ(documents(), 2u);
  // The server stops, say.
  third(fail(ErrorCode::kUnavailable, "no worker"));
  const Result<BatchOutcome> outcome = told.get_future().get();
  EXPECT_EQ(documents(), 2u);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->steps[1].error);
  EXPECT_EQ(outcome->steps[2].error->code, ErrorCode::kUnavailable);
}

TEST_F(BatchesTest, BulkRefusesKeysOfOtherPartitions) {
  const PartitionPlace* place = locate(*container_, key("p"), "").place;
  std::string elsewhere = "q";
  while (locate(*container_, key(elsewhere), "").place == place) elsewhere += 'q';
  const auto outcome = bulk({.place = place, .continues_on_error = true},
                            {step(ItemVerb::kCreate, "", R"({"id":"a","pk":"p","n":1})"),
                             step(ItemVerb::kCreate, "", fmt::format(R"({{"id":"a","pk":"{}"}})", elsewhere))});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->steps[0].error);
  EXPECT_EQ(outcome->steps[1].error->code, ErrorCode::kPartitionGone);
  EXPECT_EQ(documents(), 1u);
}

// Many threads move amounts between two documents of few keys, some of them with a step that fails: no total ever changes.
TEST_F(BatchesTest, ConcurrentBatchesKeepTotals) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 25;
  constexpr int kKeys = 3;
  for (int k = 0; k < kKeys; ++k) {
    ASSERT_TRUE(batch(fmt::format("k{}", k), {step(ItemVerb::kCreate, "", fmt::format(R"({{"id":"a","pk":"k{}","n":0}})", k)),
                                              step(ItemVerb::kCreate, "", fmt::format(R"({{"id":"b","pk":"k{}","n":0}})", k))}));
  }
  std::atomic<int> moved = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int round = 0; round < kRounds; ++round) {
          std::vector<BatchStep> steps = {step(ItemVerb::kPatch, "a", R"([{"op":"incr","path":"/n","value":-1}])"),
                                          step(ItemVerb::kPatch, "b", R"([{"op":"incr","path":"/n","value":1}])")};
          if (round % 5 == 0) steps.push_back(step(ItemVerb::kErase, "none"));
          const auto outcome = batch(fmt::format("k{}", (t + round) % kKeys), std::move(steps));
          ASSERT_TRUE(outcome);
          EXPECT_EQ(outcome->has_failed(), round % 5 == 0);
          if (!outcome->has_failed()) ++moved;
        }
      });
    }
  }
  int64_t arrived = 0;
  for (int k = 0; k < kKeys; ++k) {
    const std::string value = fmt::format("k{}", k);
    EXPECT_EQ(stored_number(value, "a"), -stored_number(value, "b"));
    arrived += stored_number(value, "b");
  }
  EXPECT_EQ(arrived, moved.load());
  TestAccount::expect_consistent(*container_);
}

TEST_F(BatchesTest, ABatchThatRunsKeepsNoOtherKeyWaiting) {
  ASSERT_TRUE(batch("p", {step(ItemVerb::kCreate, "", R"({"id":"old","pk":"p","n":1})")}));
  std::future<void> others;
  const auto write_everywhere = [this] {
    for (int i = 0; i < 500; ++i) {
      const std::string json = fmt::format(R"({{"id":"a","pk":"other{}","n":1}})", i);
      std::promise<bool> is_done;
      items_.create(container_, json, std::nullopt, [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
      EXPECT_TRUE(is_done.get_future().get());
    }
  };
  const auto outcome = interrupted_batch([&] {
    others = std::async(std::launch::async, write_everywhere);
    EXPECT_EQ(others.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  });
  others.get();
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->has_failed());
  EXPECT_EQ(documents(), 502u);
}

TEST_F(BatchesTest, ABatchUnderWhichTheIndexChangesIsRunAgainAsAWhole) {
  ASSERT_TRUE(batch("p", {step(ItemVerb::kCreate, "", R"({"id":"old","pk":"p","n":1})")}));
  const auto outcome = interrupted_batch([&] {
    const auto definition = container_definition("c", {"/pk"}, R"({"excludedPaths":[{"path":"/n/?"}]})");
    EXPECT_TRUE(account_.catalog->replace_container("db", "c", definition));
  });
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->has_failed());
  EXPECT_TRUE(outcome->steps[0].was_created);
  EXPECT_EQ(stored_number("p", "new"), 1);
  EXPECT_EQ(stored_number("p", "old"), 2) << "once";
  TestAccount::expect_consistent(*account_.catalog->container("db", "c").value());
}

}  // namespace partita
