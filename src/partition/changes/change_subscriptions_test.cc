#include "partition/changes/change_subscriptions.h"

#include "partition/charge/throttling.h"
#include "partition/test_partition.h"
#include "storage/test_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace partita {

// A partition and those who wait for its changes. The clock stands still unless it is moved.
class ChangeSubscriptionsTest : public PartitionTest {
 protected:
  static constexpr int64_t kSecondUs = 1'000'000;

  ChangeSubscriptionsTest() : ChangeSubscriptionsTest(std::make_shared<TestDisk>()) {}
  explicit ChangeSubscriptionsTest(const std::shared_ptr<TestDisk>& disk) : PartitionTest(disk), disk_(disk) {}

  using News = Result<ChangeNews>;
  int64_t in(int64_t us) const { return clock_.steady_us() + us; }

  ChangeSubscriptions::Subscription behind(Lsn after, ChangeSubscriptions::Tell tell) {
    return {.database = 1, .awaited = {{partition_, after}}, .until_us = in(60 * kSecondUs), .tell = std::move(tell)};
  }
  // What is told, once it is.
  std::future<News> subscribe(ChangeSubscriptions::Subscription subscription) {
    auto told = std::make_shared<std::promise<News>>();
    subscription.tell = [told](const News& news) { told->set_value(news); };
    std::future<News> news = told->get_future();
    changes_.subscribe(std::move(subscription));
    return news;
  }
  std::future<News> subscribe(Lsn after) { return subscribe(behind(after, {})); }
  static bool is_told(const std::future<News>& news) {
    return news.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  std::shared_ptr<Partition> another(PartitionId id) {
    return Partition::open(*store_, clock_, id, {}, {IndexId{id.value + 100}, policy_}, rules_).value();
  }

  std::shared_ptr<TestDisk> disk_;
  ChangeSubscriptions changes_{clock_};
};

INSTANTIATE_TEST_SUITE_P(Durabilities, ChangeSubscriptionsTest, testing::Values(Durability::kSynced, Durability::kRelaxed),
                         PartitionTest::name_of);

TEST_P(ChangeSubscriptionsTest, TellsOfWhatIsNewer) {
  std::future<News> news = subscribe(partition_->durable_lsn());
  changes_.look();
  EXPECT_FALSE(is_told(news));
  ASSERT_TRUE(put("p", "a", 1));
  EXPECT_EQ(news.get(), ChangeNews::kChanged);
  EXPECT_EQ(changes_.size(), 0);
}

TEST_P(ChangeSubscriptionsTest, TellsAtOnceOfWhatThereIsAlready) {
  ASSERT_TRUE(put("p", "a", 1));
  EXPECT_EQ(subscribe(nth(0)).get(), ChangeNews::kChanged);
}

TEST_P(ChangeSubscriptionsTest, WhoIsAheadWaitsOn) {
  std::future<News> ahead = subscribe(nth(2));
  std::future<News> news = subscribe(nth(0));
  ASSERT_TRUE(put("p", "a", 1));
  EXPECT_EQ(news.get(), ChangeNews::kChanged);
  ASSERT_TRUE(put("p", "a", 2));
  changes_.look();
  EXPECT_FALSE(is_told(ahead));
  ASSERT_TRUE(put("p", "a", 3));
  EXPECT_EQ(ahead.get(), ChangeNews::kChanged);
}

TEST_P(ChangeSubscriptionsTest, EndsAtItsTime) {
  std::future<News> news = subscribe(nth(0));
  clock_.advance_ms(59'999);
  changes_.look();
  EXPECT_FALSE(is_told(news));
  clock_.advance_ms(1);
  changes_.look();
  EXPECT_EQ(news.get(), ChangeNews::kTimeout);
  ASSERT_TRUE(put("p", "a", 1));
}

TEST_P(ChangeSubscriptionsTest, TellsOnceAlthoughSeveralPartitionsChange) {
  const std::shared_ptr<Partition> other = another(PartitionId{2});
  std::atomic<int> told = 0;
  ChangeSubscriptions::Subscription both = behind(nth(0), [&](const News&) { ++told; });
  both.awaited.push_back({other, other->durable_lsn()});
  {
    ChangeSubscriptions changes(clock_);  // at its end all that is due has been told
    changes.subscribe(std::move(both));
    ASSERT_TRUE(put("p", "a", 1));
    other->hand_over();
    changes.look();
  }
  EXPECT_EQ(told, 1);
}

TEST_P(ChangeSubscriptionsTest, SendsOnWhenThePartitionIsHandedOver) {
  std::future<News> news = subscribe(nth(0));
  partition_->hand_over();
  EXPECT_EQ(news.get(), ChangeNews::kPartitionGone);
  EXPECT_EQ(subscribe(nth(0)).get(), ChangeNews::kPartitionGone);
}

// It does not keep the partition, which would not be dropped then.
TEST_P(ChangeSubscriptionsTest, HoldsNoPartition) {
  std::future<News> news = subscribe(nth(0));
  changes_.look();
  EXPECT_EQ(partition_.use_count(), 1);
  partition_.reset();
  EXPECT_EQ(news.get(), ChangeNews::kPartitionGone);
}

// A write that was answered with an error is not told of while it could be lost, and is when it turns out that it was not.
TEST_P(ChangeSubscriptionsTest, TellsOfWhatBecomesDurableAfterAll) {
  if (GetParam() == Durability::kRelaxed) GTEST_SKIP() << "nothing is waited for there";
  std::future<News> news = subscribe(nth(0));
  disk_->is_full = true;
  ASSERT_FALSE(put("p", "a", 1));
  ASSERT_EQ(partition_->applied_lsn(), nth(1));
  changes_.look();
  EXPECT_FALSE(is_told(news));
  disk_->is_full = false;
  while (store_->failure() || !store_->is_durable(store_->applied())) std::this_thread::yield();
  changes_.look();
  EXPECT_EQ(news.get(), ChangeNews::kChanged);
}

TEST_P(ChangeSubscriptionsTest, DropsThoseWhoseClientIsGone) {
  std::atomic<bool> is_gone = false;
  ChangeSubscriptions::Subscription subscription = behind(nth(0), {});
  subscription.is_abandoned = &is_gone;
  std::future<News> news = subscribe(std::move(subscription));
  changes_.look();
  EXPECT_FALSE(is_told(news));
  is_gone = true;
  changes_.look();
  EXPECT_EQ(news.get(), ChangeNews::kAbandoned);
  EXPECT_EQ(changes_.size(), 0);
}

TEST_P(ChangeSubscriptionsTest, ACancelledOneIsNeverTold) {
  bool is_told = false;
  const ChangeWaiterId waiter = changes_.subscribe(behind(nth(0), [&](const News&) { is_told = true; }));
  EXPECT_TRUE(changes_.cancel(waiter));
  EXPECT_FALSE(changes_.cancel(waiter));
  ASSERT_TRUE(put("p", "a", 1));
  changes_.look();
  changes_.stop();
  EXPECT_FALSE(is_told);
}

TEST_P(ChangeSubscriptionsTest, StoppingEndsAllAndEveryNewOne) {
  std::future<News> news = subscribe(nth(0));
  changes_.stop();
  EXPECT_EQ(news.get(), ChangeNews::kStopped);
  EXPECT_EQ(subscribe(nth(0)).get(), ChangeNews::kStopped);
  EXPECT_EQ(changes_.size(), 0);
}

// Who has just been told is not told of the next change before its time, and then it is not forgotten.
TEST_P(ChangeSubscriptionsTest, TellsNobodyTooSoon) {
  ChangeSubscriptions::Subscription subscription = behind(nth(0), {});
  subscription.not_before_us = in(kSecondUs);
  std::future<News> news = subscribe(std::move(subscription));
  ASSERT_TRUE(put("p", "a", 1));
  changes_.look();
  EXPECT_FALSE(is_told(news));
  clock_.advance_ms(1'000);
  changes_.look();
  EXPECT_EQ(news.get(), ChangeNews::kChanged);
}

TEST_P(ChangeSubscriptionsTest, APartitionTakesOnlySoMany) {
  std::vector<std::future<News>> waiting;
  for (size_t i = 0; i < kChangeWaitersPerPartitionMax; ++i) waiting.push_back(subscribe(nth(0)));
  const News refused = subscribe(nth(0)).get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(retry_after_ms(refused.error()));
  ASSERT_TRUE(put("p", "a", 1));
  for (std::future<News>& news : waiting) EXPECT_EQ(news.get(), ChangeNews::kChanged);
  EXPECT_FALSE(is_told(subscribe(nth(1))));
}

// A database leaves others a part of what there is, and gets back what it leaves.
TEST_P(ChangeSubscriptionsTest, OneDatabaseLeavesRoomForOthers) {
  ChangeSubscriptions few(clock_, {.subscriptions_max = 8, .partitions_max = 100});
  std::map<uint64_t, int> refused;
  const auto wait_for = [&](uint64_t database, size_t partitions) {
    ChangeSubscriptions::Subscription subscription = behind(nth(0), [&refused, database](const News& news) {
      if (!news) ++refused[database];
    });
    subscription.database = database;
    subscription.awaited.resize(partitions, subscription.awaited.front());
    return few.subscribe(std::move(subscription));
  };
  std::vector<ChangeWaiterId> greedy;
  for (int i = 0; i < 8; ++i) greedy.push_back(wait_for(1, 1));
  EXPECT_EQ(refused, (std::map<uint64_t, int>{{1, 2}}));
  EXPECT_NE(wait_for(2, 1), 0);
  for (const ChangeWaiterId waiter : greedy) few.cancel(waiter);
  EXPECT_EQ(few.size(), 1);
  EXPECT_EQ(wait_for(3, 76), 0) << "more partitions than one may wait for";
  EXPECT_NE(wait_for(3, 50), 0);
  EXPECT_EQ(few.size(), 2);
  few.stop();
  EXPECT_EQ(wait_for(1, 1), 0) << "nothing is taken any more";
}

// Many write, many wait for the next change and then for the one after it: each sees the last one, so none was lost; and none is
// told before it is durable.
TEST_P(ChangeSubscriptionsTest, NoWakeUpIsLostAmongMany) {
  constexpr int kWriters = 3;
  constexpr int kWaiters = 8;
  constexpr uint64_t kWrites = 150;
  const Lsn last = nth(kWriters * kWrites);
  std::vector<std::promise<void>> is_done(kWaiters);
  std::atomic<int> early = 0;
  std::function<void(size_t, Lsn)> wait = [&](size_t waiter, Lsn after) {
    if (after >= last) return is_done[waiter].set_value();
    changes_.subscribe(behind(after, [&, waiter, after](const News& news) {
      const Lsn reached = partition_->durable_lsn();
      if (news != ChangeNews::kChanged || reached <= after) ++early;
      wait(waiter, reached);
    }));
  };
  for (size_t i = 0; i < kWaiters; ++i) wait(i, nth(0));
  std::vector<std::thread> writers;
  for (int t = 0; t < kWriters; ++t) {
    writers.emplace_back([this, t] {
      for (uint64_t i = 0; i < kWrites; ++i) EXPECT_TRUE(put("p" + std::to_string(t), "a", static_cast<int>(i)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (std::promise<void>& done : is_done) done.get_future().get();
  EXPECT_EQ(early, 0);
  EXPECT_EQ(changes_.size(), 0);
}

// Subscribers come and go by cancelling while others write; in the end nobody is left behind in the partition.
TEST_P(ChangeSubscriptionsTest, CancellingRacesWithChanges) {
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    for (int i = 0; !is_over; ++i) EXPECT_TRUE(put("p", "a", i));
  });
  std::atomic<size_t> told = 0;
  size_t cancelled = 0;
  constexpr size_t kRounds = 2'000;
  {
    ChangeSubscriptions changes(clock_);  // at its end all that is due has been told
    for (size_t i = 0; i < kRounds; ++i) {
      const ChangeWaiterId waiter = changes.subscribe(behind(partition_->durable_lsn(), [&](const News&) { ++told; }));
      if (changes.cancel(waiter)) ++cancelled;
    }
    is_over = true;
    writer.join();
  }
  EXPECT_EQ(told + cancelled, kRounds);
}

}  // namespace partita
