#include "storage/committer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <future>
#include <thread>
#include <vector>

namespace partita {
namespace {

using testing::ElementsAre;

// GatedLog: every sync and every recovery waits until the test lets it end with an outcome of the test's choice.
class GatedLog {
 public:
  Committer::Log log() {
    return {.sync = [this](CommitTicket) { return syncing_.pass(); }, .recover = [this] { return recovering_.pass(); }};
  }

  void wait_until_syncing() { syncing_.wait_until_entered(); }
  void end_sync(Status outcome) { syncing_.open(std::move(outcome)); }
  void wait_until_recovering() { recovering_.wait_until_entered(); }
  void end_recovery(Status outcome) { recovering_.open(std::move(outcome)); }

 private:
  class Gate {
   public:
    Status pass() {
      std::unique_lock lock(mutex_);
      is_entered_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_entered_; });
      return std::exchange(outcome_, Status());
    }
    void wait_until_entered() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_entered_; });
    }
    void open(Status outcome) {
      std::lock_guard lock(mutex_);
      outcome_ = std::move(outcome);
      is_entered_ = false;
      changed_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_entered_ = false;
    Status outcome_;
  };

  Gate syncing_;
  Gate recovering_;
};

// What waiters were told, in the order in which they were told. All but add() is for after the committer has come to rest.
class Told {
 public:
  Store::DurableCallback add(CommitTicket ticket) {
    return [this, ticket](Status outcome) {
      std::lock_guard lock(mutex_);
      lines_.push_back(outcome ? fmt_ticket(ticket) : fmt_ticket(ticket) + ": " + outcome.error().message);
    };
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  static std::string fmt_ticket(CommitTicket ticket) { return std::to_string(ticket); }
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

Committer::Log instant_log() {
  return {.sync = [](CommitTicket) { return Status(); }, .recover = [] { return Status(); }};
}

// Waits for what the committer decides without being asked.
template <typename Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace

TEST(Committer, OneSyncServesAllBatchesAppliedBeforeItBegan) {
  GatedLog log;
  Told told;
  Committer committer(log.log(), Durability::kSynced);
  committer.when_durable(committer.note_applied(), told.add(1));
  log.wait_until_syncing();
  for (CommitTicket ticket = 2; ticket <= 5; ++ticket) committer.when_durable(committer.note_applied(), told.add(ticket));
  log.end_sync({});
  log.wait_until_syncing();
  EXPECT_THAT(told.lines(), ElementsAre("1"));
  EXPECT_TRUE(committer.is_durable(1));
  EXPECT_FALSE(committer.is_durable(2));
  log.end_sync({});
  wait_until([&] { return told.lines().size() == 5; });
  EXPECT_THAT(told.lines(), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_EQ(committer.syncs(), 2u);
}

TEST(Committer, TellsInTicketOrderWhoeverAskedFirst) {
  GatedLog log;
  Told told;
  Committer committer(log.log(), Durability::kSynced);
  committer.when_durable(committer.note_applied(), told.add(1));
  log.wait_until_syncing();
  for (int i = 0; i < 3; ++i) committer.note_applied();
  committer.when_durable(4, told.add(4));
  committer.when_durable(2, told.add(2));
  committer.when_durable(3, told.add(3));
  log.end_sync({});
  log.wait_until_syncing();
  log.end_sync({});
  wait_until([&] { return told.lines().size() == 4; });
  EXPECT_THAT(told.lines(), ElementsAre("1", "2", "3", "4"));
}

TEST(Committer, TellsAtOnceWhatIsDurableAlready) {
  Told told;
  Committer committer(instant_log(), Durability::kSynced);
  committer.when_durable(committer.note_applied(), told.add(1));
  wait_until([&] { return committer.is_durable(1); });
  committer.when_durable(1, told.add(1));
  wait_until([&] { return told.lines().size() == 2; });
  EXPECT_EQ(committer.syncs(), 1u);
}

// They keep all others waiting who have written something.
TEST(Committer, CountsCallbacksThatTakeLong) {
  ManualClock clock(0);
  std::atomic<int> told = 0;
  Committer committer(instant_log(), Durability::kSynced, &clock);
  for (const int64_t ms : {0, 1, 12, 150}) {
    committer.when_durable(committer.note_applied(), [&, ms](const Status&) {
      clock.advance_ms(ms);
      ++told;
    });
  }
  wait_until([&] { return told == 4; });
  // Who comes next is told when those before have been counted.
  std::promise<void> is_told;
  committer.when_durable(committer.note_applied(), [&](const Status&) { is_told.set_value(); });
  is_told.get_future().wait();
  const CallbackTimes times = committer.callback_times();
  EXPECT_EQ(times.over_1_ms, 3u);
  EXPECT_EQ(times.over_10_ms, 2u);
  EXPECT_EQ(times.over_100_ms, 1u);
  EXPECT_EQ(times.longest_us, 150'000u);
}

TEST(Committer, ReportsAFailedSyncToAllAndRecovers) {
  GatedLog log;
  Told told;
  Committer committer(log.log(), Durability::kSynced);
  committer.when_durable(committer.note_applied(), told.add(1));
  log.wait_until_syncing();
  committer.when_durable(committer.note_applied(), told.add(2));
  log.end_sync(fail(ErrorCode::kStorageFailure, "disk full"));
  wait_until([&] { return told.lines().size() == 2; });
  EXPECT_THAT(told.lines(), ElementsAre("1: disk full", "2: disk full"));
  EXPECT_FALSE(committer.is_durable(1));
  EXPECT_EQ(committer.failure(), "disk full");

  log.wait_until_recovering();
  committer.when_durable(2, told.add(2));  // told before the next attempt to recover
  log.end_recovery(fail(ErrorCode::kStorageFailure, "still full"));
  log.wait_until_recovering();
  EXPECT_EQ(committer.failure(), "disk full") << "why it began says more than what a further attempt stumbled over";
  log.end_recovery({});
  log.wait_until_syncing();  // what was applied before the failure is made durable after all
  EXPECT_EQ(committer.failure(), std::nullopt);
  EXPECT_THAT(told.lines(), ElementsAre("1: disk full", "2: disk full", "2: disk full"));
  committer.when_durable(committer.note_applied(), told.add(3));
  log.end_sync({});
  log.wait_until_syncing();
  EXPECT_TRUE(committer.is_durable(2));
  log.end_sync({});
  wait_until([&] { return told.lines().size() == 4; });
  EXPECT_EQ(told.lines().back(), "3");
}

TEST(Committer, RecoversFromARefusedWriteWhenNobodyWaits) {
  GatedLog log;
  Told told;
  Committer committer(log.log(), Durability::kSynced);
  committer.when_durable(committer.note_applied(), told.add(1));
  log.wait_until_syncing();
  log.end_sync({});
  wait_until([&] { return told.lines().size() == 1; });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // most likely the committer is idle now, which is the hard case
  committer.note_failure("the write was refused");
  log.wait_until_recovering();
  log.end_recovery({});
  wait_until([&] { return !committer.failure(); });
}

TEST(Committer, RelaxedTellsAtOnceAndSyncsLater) {
  GatedLog log;
  Told told;
  Committer committer(log.log(), Durability::kRelaxed);
  const CommitTicket ticket = committer.note_applied();
  committer.when_durable(ticket, told.add(ticket));
  EXPECT_THAT(told.lines(), ElementsAre("1"));
  log.wait_until_syncing();
  log.end_sync({});
}

TEST(Committer, SyncsAndTellsBeforeItGoes) {
  Told told;
  {
    Committer committer(instant_log(), Durability::kSynced);
    for (int i = 0; i < 3; ++i) committer.note_applied();
    committer.when_durable(3, told.add(3));
  }
  EXPECT_THAT(told.lines(), ElementsAre("3"));
}

TEST(Committer, TellsWhoStillWaitsWhenTheLogFailsAtTheEnd) {
  Told told;
  {
    Committer::Log log{.sync = [](CommitTicket) { return Status(fail(ErrorCode::kStorageFailure, "gone")); },
                       .recover = [] { return Status(fail(ErrorCode::kStorageFailure, "gone")); }};
    Committer committer(std::move(log), Durability::kSynced);
    committer.when_durable(committer.note_applied(), told.add(1));
  }
  EXPECT_THAT(told.lines(), ElementsAre("1: gone"));
}

// Asking for a ticket at the very moment in which it becomes durable: the answer must come without any further write.
TEST(Committer, ForgetsNobodyWhoAsksWhileASyncEnds) {
  constexpr int kAskers = 3;
  constexpr int kRounds = 5000;
  Committer committer(instant_log(), Durability::kSynced);
  std::atomic<CommitTicket> newest = 0;
  std::barrier next_round(kAskers, [&]() noexcept { newest = committer.note_applied(); });
  std::vector<std::thread> askers;
  for (int i = 0; i < kAskers; ++i) {
    askers.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        next_round.arrive_and_wait();
        std::promise<Status> told;
        committer.when_durable(newest, [&](Status outcome) { told.set_value(std::move(outcome)); });
        EXPECT_TRUE(told.get_future().get());
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_TRUE(committer.is_durable(kRounds));
  EXPECT_EQ(committer.syncs(), static_cast<uint64_t>(kRounds));
}

}  // namespace partita
