#include "partition/partition.h"

#include "partition/charge/throttling.h"
#include "partition/test_partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

namespace partita {

using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Durabilities, PartitionTest, testing::Values(Durability::kSynced, Durability::kRelaxed),
                         PartitionTest::name_of);

TEST_P(PartitionTest, GivesLsnsInSequence) {
  EXPECT_EQ(partition_->durable_lsn(), nth(0));
  EXPECT_EQ(put("p", "a", 1)->lsn, nth(1));
  EXPECT_EQ(put("q", "a", 1)->lsn, nth(2));
  EXPECT_EQ(put("p", "a", 2)->lsn, nth(3));
  EXPECT_EQ(partition_->applied_lsn(), nth(3));
  EXPECT_EQ(partition_->durable_lsn(), nth(3));
  EXPECT_EQ(stored("p", "a"), document("p", "a", 2));
  expect_consistent();
}

TEST_P(PartitionTest, ContinuesItsSequenceAfterAReopen) {
  ASSERT_TRUE(put("p", "a", 1));
  ASSERT_TRUE(put("p", "b", 1));
  const PartitionCounters before = partition_->counters();
  partition_.reset();
  store_.reopen();
  open();
  EXPECT_EQ(partition_->counters(), before);
  EXPECT_EQ(partition_->durable_lsn(), nth(2));
  EXPECT_EQ(put("p", "c", 1)->lsn, nth(3));
  expect_consistent();
}

TEST_P(PartitionTest, AnErrorOfTheBodyChangesNothing) {
  ASSERT_TRUE(put("p", "a", 1));
  const Result<Partition::Commit> failed = transact("p", [&](Transaction& transaction) -> Status {
    TRY(putting("p", "a", 2)(transaction));
    TRY(putting("p", "b", 2)(transaction));
    return fail(ErrorCode::kPreconditionFailed, "no");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(stored("p", "a"), document("p", "a", 1));
  EXPECT_EQ(stored("p", "b"), "none");
  EXPECT_EQ(partition_->applied_lsn(), nth(1));
  expect_consistent();
}

TEST_P(PartitionTest, ABodyThatOnlyReadsTakesNoLsn) {
  ASSERT_TRUE(put("p", "a", 1));
  const Result<Partition::Commit> read = transact("p", [&](Transaction& transaction) -> Status {
    TRY_ASSIGN(const Item* found, transaction.find(key("p", "a")));
    EXPECT_NE(found, nullptr);
    return {};
  });
  ASSERT_TRUE(read);
  EXPECT_EQ(read->lsn, nth(1));
  EXPECT_EQ(partition_->applied_lsn(), nth(1));
}

// Many writers of few logical partitions, each adding one to a number: none may be lost, and none may be told before it is
// durable.
TEST_P(PartitionTest, WritersOfOneLogicalPartitionExcludeEachOther) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 100;
  const std::vector<std::string> keys = {"p", "q"};
  for (const std::string& pk : keys) ASSERT_TRUE(put(pk, "counter", 0));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWrites; ++i) {
        const std::string& pk = keys[static_cast<size_t>((t + i) % 2)];
        const Result<Partition::Commit> commit = transact(pk, [&](Transaction& transaction) -> Status {
          TRY_ASSIGN(const Item* counter, transaction.find(key(pk, "counter")));
          const int next = static_cast<int>(counter->document().find("n").number()) + 1;
          return putting(pk, "counter", next)(transaction);
        });
        ASSERT_TRUE(commit);
        EXPECT_LE(commit->lsn, partition_->durable_lsn());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored("p", "counter"), document("p", "counter", kThreads * kWrites / 2));
  EXPECT_EQ(stored("q", "counter"), document("q", "counter", kThreads * kWrites / 2));
  EXPECT_EQ(partition_->applied_lsn(), nth(2 + kThreads * kWrites));
  expect_consistent();
}

// Whoever sees LSN n sees every write before it: the numbers in the snapshot's change records have no gap below the newest.
TEST_P(PartitionTest, LsnOrderIsTheOrderOfVisibility) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 50;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < kWrites; ++i) EXPECT_TRUE(put("p" + std::to_string(t), "d" + std::to_string(i), i));
      --running;
    });
  }
  uint64_t last_seen = 0;
  do {
    const uint64_t durable_before = partition_->durable_lsn().value;
    const uint64_t applied_before = partition_->applied_lsn().value;
    EXPECT_LE(durable_before, applied_before);
    const auto at = store_->snapshot();
    Cursor changes = partition_->slice().cursor(Family::kChanges, at.get());
    uint64_t expected = start_;
    for (changes.seek_first(); changes.valid(); changes.next()) EXPECT_EQ(lsn_of_change_key(changes.key()), Lsn{++expected});
    EXPECT_GE(expected, applied_before);
    EXPECT_GE(expected, last_seen);
    last_seen = expected;
  } while (running > 0);
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(partition_->durable_lsn(), nth(kThreads * kWrites));
  expect_consistent();
}

TEST_P(PartitionTest, CallsBackOnceWhatWasSeenIsDurable) {
  std::promise<void> all_told;
  std::atomic<int> told = 0;
  constexpr int kWrites = 20;
  for (int i = 0; i < kWrites; ++i) {
    partition_->transact("p", putting("p", std::to_string(i), i), [](Result<Partition::Commit> commit) { EXPECT_TRUE(commit); });
    const Lsn seen = partition_->applied_lsn();
    partition_->when_durable(seen, [&, seen](Status durable) {
      EXPECT_TRUE(durable);
      EXPECT_TRUE(partition_->is_durable(seen));
      if (++told == kWrites) all_told.set_value();
    });
  }
  all_told.get_future().wait();
  EXPECT_EQ(partition_->durable_lsn(), nth(kWrites));
}

TEST_P(PartitionTest, RefusesWritesOnceItIsRetired) {
  ASSERT_TRUE(put("p", "a", 1));
  partition_->retire({ErrorCode::kOwnerNotFound, "deleted"});
  const Result<Partition::Commit> refused = put("p", "b", 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kOwnerNotFound);
  EXPECT_EQ(stored("p", "b"), "none");
  EXPECT_EQ(partition_->applied_lsn(), nth(1));
}

TEST_P(PartitionTest, ANewIndexGenerationHasExactlyWhatItsPolicyWants) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(put("p", std::to_string(i), i));
  const Partition::Index next{IndexId{2}, policy(R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})")};
  grow_index(next);
  fill_index(next.id);
  EXPECT_EQ(partition_->index().id, IndexId{1});
  switch_index(next);
  EXPECT_EQ(partition_->slice().index(), IndexId{2});
  expect_consistent();
  ASSERT_TRUE(put("p", "0", 100));
  ASSERT_TRUE(put("p", "new", 100));
  expect_consistent();
  WriteBatch batch(*store_);
  Slice::erase_index(batch, IndexId{1});
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(rows_of(*store_, Family::kIndex).size(), 51u * 3);  // n, and the partition key and the shape as always
  expect_consistent();
}

TEST_P(PartitionTest, WritersGoOnWhileAnIndexIsBuiltAndKeepItUpToDate) {
  constexpr int kDocuments = 600;  // more than are dealt with at a time
  for (int i = 0; i < kDocuments; ++i) ASSERT_TRUE(put("p", std::to_string(i), i));
  const Partition::Index next{IndexId{2}, policy(R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})")};
  EXPECT_EQ(partition_->index_progress(), 1);
  grow_index(next);
  EXPECT_EQ(partition_->index_progress(), 0);
  ASSERT_FALSE(*partition_->fill_index(next.id));
  EXPECT_GT(partition_->index_progress(), 0);
  expect_growing_consistent();
  ASSERT_TRUE(put("p", "3", 1000));
  ASSERT_TRUE(put("p", "before", 1000));
  std::atomic<bool> is_filled = false;
  auto writer = std::async(std::launch::async, [&] {
    for (int i = 0; !is_filled || i < 50; ++i) EXPECT_TRUE(put("p", std::to_string(i % kDocuments), 2000 + i));
  });
  fill_index(next.id);
  EXPECT_LT(partition_->index_progress(), 1);
  is_filled = true;
  writer.get();
  ASSERT_TRUE(put("p", "behind", 1000));
  expect_consistent();
  expect_growing_consistent();
  switch_index(next);
  EXPECT_EQ(partition_->index_progress(), 1);
  expect_consistent();
}

TEST_P(PartitionTest, AnIndexThatIsGivenUpIsLeftAlone) {
  ASSERT_TRUE(put("p", "a", 1));
  grow_index({IndexId{2}, policy(R"({})")});
  switch_index(partition_->index());
  EXPECT_EQ(partition_->index_progress(), 1);
  EXPECT_TRUE(*partition_->fill_index(IndexId{2}));
  const size_t entries = rows_of(*store_, Family::kIndex).size();
  ASSERT_TRUE(put("p", "a", 2));
  EXPECT_EQ(rows_of(*store_, Family::kIndex).size(), entries);
  expect_consistent();
}

TEST_P(PartitionTest, ChargesWritesAndRefusesThemWhileItsBudgetIsOverdrawn) {
  Meter& meter = partition_->meter();
  meter.budget().set_rate(10);
  const Result<Partition::Commit> first = put("p", "a", 1);
  ASSERT_TRUE(first);
  EXPECT_GT(first->charge, 1);
  Result<Partition::Commit> refused = first;
  for (int i = 2; refused; ++i) refused = put("p", "a", i);
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
  clock_.advance_ms(*retry_after_ms(refused.error()) - 1);
  EXPECT_FALSE(put("q", "b", 1));
  EXPECT_EQ(stored("q", "b"), "none");
  clock_.advance_ms(1);
  EXPECT_TRUE(put("q", "b", 1));
  expect_consistent();
}

TEST_P(PartitionTest, ChargesWhatAFailedBodyDid) {
  partition_->meter().budget().set_rate(1);
  const auto refusing = [](Transaction&) -> Status { return fail(ErrorCode::kAlreadyExists, "no"); };
  EXPECT_EQ(transact("p", refusing).error().code, ErrorCode::kAlreadyExists);  // the second that it began with
  EXPECT_EQ(transact("p", refusing).error().code, ErrorCode::kAlreadyExists);  // on credit
  EXPECT_EQ(transact("p", refusing).error().code, ErrorCode::kThrottled);
}

TEST_P(PartitionTest, KnowsHowMuchItIsUsedAndByWhom) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(put("p", "a", i));
  clock_.advance_ms(1000);
  const Heat::Report heat = partition_->meter().heat();
  EXPECT_EQ(heat.total.requests, 100u);
  EXPECT_GT(heat.total.milli_units, 100'000u);
  ASSERT_EQ(heat.hot_keys.size(), 1u);
  EXPECT_EQ(heat.hot_keys[0].key, "p");
}

}  // namespace partita
