#include "partition/partition.h"

#include "partition/charge/throttling.h"
#include "partition/test_partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PartitionWritersTest : public PartitionTest {
 protected:
  static Partition::Granted keeping(std::optional<Partition::Hold>& held) {
    return [&held](Result<Partition::Hold> hold) { held.emplace(*std::move(hold)); };
  }
  // A write that nobody waits for; what becomes of it is found in the result.
  std::future<Result<Partition::Commit>> begin_put(std::string_view pk, std::string_view id, int n,
                                                   Partition::Length length = Partition::Length::kShort) {
    auto outcome = std::make_shared<std::promise<Result<Partition::Commit>>>();
    partition_->transact(
        pk, putting(pk, id, n), [outcome](Result<Partition::Commit> commit) { outcome->set_value(std::move(commit)); },
        Priority::kHigh, length);
    return outcome->get_future();
  }
  static bool is_done(const std::future<Result<Partition::Commit>>& write) {
    return write.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
};

INSTANTIATE_TEST_SUITE_P(Durabilities, PartitionWritersTest, testing::Values(Durability::kSynced, Durability::kRelaxed),
                         PartitionTest::name_of);

}  // namespace

TEST_P(PartitionWritersTest, AHoldKeepsOtherWritersOfItsLogicalPartitionWaitingInOrder) {
  ASSERT_TRUE(put("p", "a", 0));
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  ASSERT_TRUE(held);
  std::vector<std::string> events;  // only this thread writes and ends the hold
  std::promise<void> all_done;
  const auto noting = [&](std::string what) {
    return [&events, what, this](Transaction& transaction) -> Status {
      events.push_back(what);
      return putting("p", what, 1)(transaction);
    };
  };
  partition_->transact("p", noting("first"), [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
  partition_->hold("p", [&](Result<Partition::Hold> hold) {
    hold->transact(noting("second"), [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
  });
  partition_->transact("p", noting("third"), [&](Result<Partition::Commit> commit) {
    EXPECT_TRUE(commit);
    all_done.set_value();
  });
  EXPECT_TRUE(put("q", "a", 1));  // another logical partition is free
  EXPECT_THAT(events, IsEmpty());
  held->transact(noting("holder"), [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
  EXPECT_THAT(events, ElementsAre("holder"));
  held.reset();
  EXPECT_THAT(events, ElementsAre("holder", "first", "second", "third"));
  all_done.get_future().wait();
  EXPECT_TRUE(put("p", "a", 1));
  expect_consistent();
}

TEST_P(PartitionWritersTest, APauseWaitsForNoHold) {
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  std::future<Result<Partition::Commit>> behind_the_hold = begin_put("p", "a", 1);
  std::future<Result<Partition::Commit>> behind_the_pause;
  std::optional<Partition::Hold> other;
  {
    const Partition::Pause pause = partition_->pause_writers();
    behind_the_pause = begin_put("q", "a", 1);  // keeps no thread waiting
    partition_->hold("r", keeping(other));
    EXPECT_TRUE(other);
    EXPECT_FALSE(is_done(behind_the_pause));
    EXPECT_EQ(stored("q", "a"), "none");
  }
  EXPECT_TRUE(behind_the_pause.get());
  EXPECT_FALSE(is_done(behind_the_hold));
  EXPECT_TRUE(put("s", "a", 1));
  held.reset();
  EXPECT_TRUE(behind_the_hold.get());
  expect_consistent();
}

TEST_P(PartitionWritersTest, AHolderCommitsOnlyWhenThePauseIsOver) {
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  std::promise<void> has_begun;
  std::atomic<bool> is_over = false;
  std::future<void> holder;
  {
    const Partition::Pause pause = partition_->pause_writers();
    holder = std::async(std::launch::async, [&] {
      const auto body = [&](Transaction& transaction) {
        has_begun.set_value();
        return putting("p", "a", 1)(transaction);
      };
      held->transact(body, [&](Result<Partition::Commit> commit) {
        EXPECT_TRUE(commit) << commit.error().message;
        EXPECT_TRUE(is_over);
      });
    });
    has_begun.get_future().wait();
    EXPECT_EQ(stored("p", "a"), "none");
    is_over = true;
  }
  holder.get();
  held.reset();
  EXPECT_TRUE(put("p", "b", 2));
  EXPECT_NE(stored("p", "a"), "none");
}

// Without that, an index would not have what the body wrote.
TEST_P(PartitionWritersTest, ABodyUnderAHoldRunsAgainWhenTheIndexChangedMeanwhile) {
  ASSERT_TRUE(put("p", "a", 1));
  const Partition::Index next{IndexId{2}, policy(R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})")};
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  int runs = 0;
  const auto body = [&](Transaction& transaction) -> Status {
    if (++runs == 1) {
      grow_index(next);
      fill_index(next.id);
      switch_index(next);
    }
    return putting("p", runs == 1 ? "first" : "second", 2)(transaction);
  };
  std::promise<Result<Partition::Commit>> outcome;
  held->transact(body, [&](Result<Partition::Commit> commit) { outcome.set_value(std::move(commit)); });
  EXPECT_TRUE(outcome.get_future().get());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(stored("p", "first"), "none");
  EXPECT_NE(stored("p", "second"), "none");
  held.reset();
  expect_consistent();
}

TEST_P(PartitionWritersTest, AnErrorOfABodyThatSawIndexesChangeIsNotTold) {
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  int runs = 0;
  const auto body = [&](Transaction&) -> Status {
    if (++runs > 1) return {};
    switch_index({IndexId{2}, policy("{}")});
    return fail(ErrorCode::kInvalidInput, "a query found half of an index");
  };
  held->transact(body, [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
  EXPECT_EQ(runs, 2);
  // It does not run for ever.
  runs = 0;
  const auto unlucky = [&](Transaction&) -> Status {
    ++runs;
    switch_index({IndexId{2}, policy("{}")});
    return {};
  };
  held->transact(unlucky, [](Result<Partition::Commit> commit) { EXPECT_EQ(commit.error().code, ErrorCode::kUnavailable); });
  EXPECT_LE(runs, 10);
}

// Whoever waits is sent to the heirs at once, also from behind a script that still runs.
TEST_P(PartitionWritersTest, NobodyWaitsForAHoldOnAPartitionThatWasHandedOver) {
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  std::future<Result<Partition::Commit>> behind_the_hold = begin_put("p", "a", 1);
  std::optional<ErrorCode> next_hold;
  partition_->hold("p", [&](Result<Partition::Hold> hold) { next_hold = hold.error().code; });
  std::future<Result<Partition::Commit>> behind_the_pause;
  const auto body = [&](Transaction& transaction) {
    {
      const Partition::Pause pause = partition_->pause_writers();
      behind_the_pause = begin_put("q", "a", 1);
      partition_->hand_over();
    }
    EXPECT_EQ(behind_the_hold.get().error().code, ErrorCode::kPartitionGone);
    EXPECT_EQ(behind_the_pause.get().error().code, ErrorCode::kPartitionGone);
    EXPECT_EQ(next_hold, ErrorCode::kPartitionGone);
    return putting("p", "b", 1)(transaction);
  };
  std::promise<Result<Partition::Commit>> outcome;
  held->transact(body, [&](Result<Partition::Commit> commit) { outcome.set_value(std::move(commit)); });
  EXPECT_EQ(outcome.get_future().get().error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(put("p", "a", 1).error().code, ErrorCode::kPartitionGone);
  partition_->hold("p", [](Result<Partition::Hold> hold) { EXPECT_EQ(hold.error().code, ErrorCode::kPartitionGone); });
  held.reset();
  EXPECT_EQ(partition_->counters().documents, 0u);
}

// A hundred thousand scripts of one key value, of a client that does not wait for answers.
TEST_P(PartitionWritersTest, ThoseWhoWaitAreBoundedAndDoNotGrowTheStack) {
  constexpr size_t kAsking = 100'000;
  constexpr uintptr_t kStackBytesMax = 16 << 10;
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  size_t granted = 0;
  size_t refused = 0;
  uintptr_t lowest = UINTPTR_MAX;
  uintptr_t highest = 0;
  for (size_t i = 0; i < kAsking; ++i) {
    partition_->hold("p", [&](Result<Partition::Hold> hold) {
      if (!hold) {
        EXPECT_EQ(hold.error().code, ErrorCode::kThrottled);
        EXPECT_GT(retry_after_ms(hold.error()).value_or(0), 0);
        ++refused;
        return;
      }
      // Not the address of a variable: the address sanitizer keeps these elsewhere.
      const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
      lowest = std::min(lowest, here);
      highest = std::max(highest, here);
      ++granted;  // and given back at once
    });
  }
  EXPECT_EQ(refused, kAsking - kWaitersPerLogicalPartitionMax);
  EXPECT_EQ(begin_put("p", "a", 1).get().error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(put("q", "a", 1)) << "only that key value is crowded";
  held.reset();
  EXPECT_EQ(granted, kWaitersPerLogicalPartitionMax);
  EXPECT_LT(highest - lowest, kStackBytesMax);
  EXPECT_TRUE(put("p", "a", 1));
}

// Behind a queue of endless scripts a writer would wait for hours.
TEST_P(PartitionWritersTest, NobodyWaitsLongBehindHolders) {
  std::optional<Partition::Hold> held;
  partition_->hold("p", keeping(held));
  std::future<Result<Partition::Commit>> early_write = begin_put("p", "a", 1);
  std::optional<Error> early_hold;
  partition_->hold("p", [&](const Result<Partition::Hold>& hold) {
    if (!hold) early_hold = hold.error();
  });
  std::future<Result<Partition::Commit>> early_long_write = begin_put("p", "b", 1, Partition::Length::kLong);
  clock_.advance_ms(kWaitForHoldersUsMax / 1000 + 1);
  std::future<Result<Partition::Commit>> late_write = begin_put("p", "c", 1);
  EXPECT_TRUE(put("q", "a", 1)) << "nobody is before that one";
  held.reset();
  for (std::future<Result<Partition::Commit>>* early : {&early_write, &early_long_write}) {
    const Result<Partition::Commit> refused = early->get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
    EXPECT_GT(retry_after_ms(refused.error()).value_or(0), 0);
  }
  ASSERT_TRUE(early_hold);
  EXPECT_EQ(early_hold->code, ErrorCode::kThrottled);
  EXPECT_TRUE(late_write.get());
  EXPECT_EQ(partition_->counters().documents, 2u);
  EXPECT_TRUE(put("p", "a", 1));
  expect_consistent();
}

TEST_P(PartitionWritersTest, AllThatWaitForOnePartitionAreBoundedToo) {
  std::vector<std::future<Result<Partition::Commit>>> writes;
  {
    const Partition::Pause pause = partition_->pause_writers();
    for (size_t i = 0; i < 2 * kWaitersPerPartitionMax; ++i) writes.push_back(begin_put(std::to_string(i), "a", 1));
  }
  size_t done = 0;
  for (std::future<Result<Partition::Commit>>& write : writes) {
    const Result<Partition::Commit> commit = write.get();
    if (commit) {
      ++done;
    } else {
      EXPECT_EQ(commit.error().code, ErrorCode::kThrottled);
    }
  }
  EXPECT_EQ(done, kWaitersPerPartitionMax);
  EXPECT_EQ(partition_->counters().documents, kWaitersPerPartitionMax);
  EXPECT_TRUE(put("p", "a", 1));
}

TEST_P(PartitionWritersTest, AnIndexIsBuiltBesideHeldTransactions) {
  constexpr int kDocuments = 600;  // more than are dealt with at a time
  for (int i = 0; i < kDocuments; ++i) ASSERT_TRUE(put("p", std::to_string(i), i));
  const Partition::Index next{IndexId{2}, policy(R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})")};
  std::atomic<bool> is_switched = false;
  std::future<void> holder = std::async(std::launch::async, [&] {
    // One after the other, as scripts of a busy key do: the next one waits before the last has ended.
    for (int i = 0; !is_switched || i < 50; ++i) {
      std::promise<Partition::Hold> granted;
      partition_->hold("p", [&](Result<Partition::Hold> hold) { granted.set_value(*std::move(hold)); });
      Partition::Hold hold = granted.get_future().get();
      hold.transact(putting("p", std::to_string(i % kDocuments), 1000 + i),
                    [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
    }
  });
  grow_index(next);
  fill_index(next.id);
  switch_index(next);
  is_switched = true;
  holder.get();
  expect_consistent();
}

// More than there are latches, so that one of them is that of the long body.
TEST_P(PartitionWritersTest, ALongBodyKeepsNobodyElseWaiting) {
  const auto write_everywhere = [this] {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(put("other" + std::to_string(i), "a", i));
  };
  std::future<void> others;
  std::promise<Result<Partition::Commit>> done;
  partition_->transact(
      "p",
      [&](Transaction& transaction) -> Status {
        others = std::async(std::launch::async, write_everywhere);
        EXPECT_EQ(others.wait_for(std::chrono::minutes(1)), std::future_status::ready);
        return putting("p", "a", 1)(transaction);
      },
      [&](Result<Partition::Commit> commit) { done.set_value(std::move(commit)); }, Priority::kHigh, Partition::Length::kLong);
  others.get();
  EXPECT_TRUE(done.get_future().get());
  expect_consistent();
}

TEST_P(PartitionWritersTest, ALongBodyWaitsForAPauseInTheQueue) {
  std::promise<Result<Partition::Commit>> done;
  std::future<Result<Partition::Commit>> later;
  {
    const Partition::Pause pause = partition_->pause_writers();
    partition_->transact(
        "p", putting("p", "a", 1), [&](Result<Partition::Commit> commit) { done.set_value(std::move(commit)); }, Priority::kHigh,
        Partition::Length::kLong);
    later = begin_put("p", "a", 2);
    EXPECT_EQ(partition_->counters().documents, 0u);
  }
  EXPECT_TRUE(done.get_future().get());
  EXPECT_TRUE(later.get());
  EXPECT_THAT(stored("p", "a"), testing::HasSubstr("\"n\":2")) << "in the order of arrival";
}

}  // namespace partita
