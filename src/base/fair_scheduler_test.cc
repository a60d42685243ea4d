#include "base/fair_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <string>

namespace partita {
namespace {

using testing::ElementsAre;

constexpr Tenant kA{1, 1};
constexpr Tenant kB{2, 1};

FairScheduler::Options options(size_t slots, size_t places, size_t waiting_max = 1000) {
  return {.limits = {.slots = slots,
                     .places = places,
                     .waiting_max = waiting_max,
                     .waiting_per_database_max = waiting_max,
                     .waiting_per_container_max = waiting_max},
          .niceness = 0};
}

// What became of jobs, in order. Thread-safe.
class Diary {
 public:
  void note(const std::string& what) {
    std::lock_guard lock(mutex_);
    notes_.push_back(what);
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

class FairSchedulerTest : public testing::Test {
 protected:
  FairScheduler::Job job(const Tenant& tenant, const std::string& name) {
    return {.tenant = tenant,
            .run = [this, name](Turn&) { diary_.note(name); },
            .refuse = [this, name](const Error& error) { diary_.note(name + ": " + std::string(name_of(error.code))); }};
  }
  // Occupies a thread until open_gate(). Returns when it does.
  void close_gate(FairScheduler& scheduler, const Tenant& tenant = kA) {
    std::promise<void> begun;
    FairScheduler::Job gate = job(tenant, "");
    gate.run = [&begun, opened = gate_.get_future().share()](Turn&) {
      begun.set_value();
      opened.wait();
    };
    scheduler.submit(std::move(gate));
    begun.get_future().wait();
  }
  void open_gate() { gate_.set_value(); }

  ManualClock clock_{1'000'000};
  Diary diary_;
  std::promise<void> gate_;
};

}  // namespace

TEST_F(FairSchedulerTest, RunsWhatItAccepts) {
  FairScheduler scheduler(options(3, 6), clock_);
  for (int i = 0; i < 500; ++i) scheduler.submit(job({static_cast<uint64_t>(i % 7), static_cast<uint64_t>(i % 3)}, "ran"));
  EXPECT_THAT(diary_.wait_for(500), testing::Each("ran"));
}

TEST_F(FairSchedulerTest, IsNicerThanItsOwnerByWhatIsAskedFor) {
  const auto niceness = [] { return ::getpriority(PRIO_PROCESS, 0); };
  const int own = niceness();
  FairScheduler::Options nice = options(2, 2);
  nice.niceness = 2;
  FairScheduler scheduler(nice, clock_);
  std::promise<int> first;
  std::promise<int> second;
  FairScheduler::Job starts_another = job(kA, "");
  // The second thread is started by the first, which is nicer by then.
  starts_another.run = [&](Turn&) {
    FairScheduler::Job other = job(kB, "");
    other.run = [&](Turn&) { second.set_value(niceness()); };
    scheduler.submit(std::move(other));
    first.set_value(niceness());
    gate_.get_future().wait();
  };
  scheduler.submit(std::move(starts_another));
  EXPECT_EQ(second.get_future().get(), std::min(own + 2, 19));
  EXPECT_EQ(first.get_future().get(), std::min(own + 2, 19));
  EXPECT_EQ(niceness(), own);
  open_gate();
}

TEST_F(FairSchedulerTest, TheNextJobIsThatOfWhoWasServedLeast) {
  FairScheduler scheduler(options(1, 1), clock_);
  close_gate(scheduler);
  for (int i = 0; i < 3; ++i) scheduler.submit(job(kA, "a"));
  scheduler.submit(job(kB, "b"));
  clock_.advance_ms(1000);  // that the job at the gate took
  open_gate();
  EXPECT_THAT(diary_.wait_for(4), ElementsAre("b", "a", "a", "a"));
}

TEST_F(FairSchedulerTest, AnEndlessJobGivesWayAndGoesOn) {
  FairScheduler scheduler(options(1, 2), clock_);
  std::promise<void> begun;
  FairScheduler::Job endless = job(kA, "endless");
  endless.run = [&, opened = gate_.get_future().share()](Turn& turn) {
    begun.set_value();
    opened.wait();
    turn.give_way();
    diary_.note("its time is not over");
    clock_.advance_ms(10);
    turn.give_way();
    diary_.note("goes on");
  };
  scheduler.submit(std::move(endless));
  begun.get_future().wait();
  scheduler.submit(job(kB, "b"));
  open_gate();
  EXPECT_THAT(diary_.wait_for(3), ElementsAre("its time is not over", "b", "goes on"));
}

TEST_F(FairSchedulerTest, OthersHaveTheSlotOfAJobThatStepsAside) {
  FairScheduler scheduler(options(1, 4), clock_);
  std::promise<void> answered;
  FairScheduler::Job waits = job(kA, "");
  waits.run = [&](Turn& turn) {
    turn.step_aside();
    turn.step_aside();
    diary_.note("waits");
    answered.get_future().wait();
    turn.give_way();
    diary_.note("goes on");
  };
  scheduler.submit(std::move(waits));
  diary_.wait_for(1);
  EXPECT_EQ(scheduler.statistics(0).aside, 1U);
  EXPECT_EQ(scheduler.statistics(0).parked, 0U);
  scheduler.submit(job(kB, "another"));
  diary_.wait_for(2);
  close_gate(scheduler, kB);
  answered.set_value();
  // It does not go on beside the one that has the slot now.
  while (scheduler.statistics(0).parked == 0) std::this_thread::yield();
  EXPECT_EQ(scheduler.statistics(0).running, 1U);
  open_gate();
  EXPECT_THAT(diary_.wait_for(3), ElementsAre("waits", "another", "goes on"));
}

TEST_F(FairSchedulerTest, AJobMayEndAside) {
  FairScheduler scheduler(options(1, 1), clock_);
  for (int i = 0; i < 3; ++i) {
    FairScheduler::Job leaves = job(kA, "");
    leaves.run = [this](Turn& turn) {
      turn.step_aside();
      diary_.note("left");
    };
    scheduler.submit(std::move(leaves));
    diary_.wait_for(static_cast<size_t>(i) + 1);
  }
  scheduler.submit(job(kB, "another"));
  EXPECT_THAT(diary_.wait_for(4), ElementsAre("left", "left", "left", "another"));
}

TEST_F(FairSchedulerTest, StoppingEndsWhatIsAside) {
  FairScheduler scheduler(options(1, 2), clock_);
  FairScheduler::Job waits = job(kA, "");
  waits.run = [this](Turn& turn) {
    turn.step_aside();
    diary_.note("aside");
    while (!turn.is_cancelled()) std::this_thread::yield();
    turn.give_way();
    diary_.note("ended");
  };
  scheduler.submit(std::move(waits));
  diary_.wait_for(1);
  scheduler.stop();
  EXPECT_THAT(diary_.wait_for(2), ElementsAre("aside", "ended"));
}

TEST_F(FairSchedulerTest, WhoIsAloneIsNotInterrupted) {
  FairScheduler scheduler(options(1, 1), clock_);
  FairScheduler::Job alone = job(kA, "");
  alone.run = [&](Turn& turn) {
    for (int i = 0; i < 3; ++i) {
      clock_.advance_ms(10);
      turn.give_way();
    }
    diary_.note("ended");
  };
  scheduler.submit(std::move(alone));
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("ended"));
}

TEST_F(FairSchedulerTest, AnotherTenantFindsASlotWhileOneHasEndlessWork) {
  FairScheduler scheduler(options(3, 3), clock_);
  close_gate(scheduler);
  for (int i = 0; i < 5; ++i) scheduler.submit(job(kB, "b"));
  EXPECT_THAT(diary_.wait_for(5), testing::Each("b"));
  open_gate();
}

TEST_F(FairSchedulerTest, RefusesWhatIsTooMuch) {
  FairScheduler scheduler(options(1, 1, 2), clock_);
  close_gate(scheduler);
  scheduler.submit(job(kA, "first"));
  scheduler.submit(job(kA, "second"));
  scheduler.submit(job(kA, "third"));
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("third: Unavailable"));
  EXPECT_EQ(scheduler.statistics(1).refused, 1u);
  open_gate();
  EXPECT_THAT(diary_.wait_for(3), ElementsAre("third: Unavailable", "first", "second"));
}

TEST_F(FairSchedulerTest, DropsWhatHasWaitedTooLong) {
  FairScheduler scheduler(options(1, 1), clock_);
  close_gate(scheduler);
  FairScheduler::Job impatient = job(kA, "impatient");
  impatient.wait_us_max = 20'000;
  scheduler.submit(std::move(impatient));
  scheduler.submit(job(kA, "patient"));
  clock_.advance_ms(20);
  scheduler.drop_overdue();
  EXPECT_EQ(scheduler.statistics(1).waiting, 2u);
  clock_.advance_ms(1);
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("impatient: Throttled")) << "with nobody's help";
  open_gate();
  EXPECT_THAT(diary_.wait_for(2), ElementsAre("impatient: Throttled", "patient"));
  EXPECT_EQ(scheduler.statistics(1).late, 1u);
}

TEST_F(FairSchedulerTest, DropsWhatNobodyWaitsForAnyMore) {
  FairScheduler scheduler(options(1, 1), clock_);
  close_gate(scheduler);
  std::atomic<bool> is_gone = false;
  FairScheduler::Job left = job(kB, "left");
  left.is_abandoned = &is_gone;
  scheduler.submit(std::move(left));
  is_gone = true;
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("left: Unavailable"));
  EXPECT_EQ(scheduler.statistics(1).abandoned, 1u);
  open_gate();
}

TEST_F(FairSchedulerTest, WhatRunsIsToldThatItsClientIsGone) {
  FairScheduler scheduler(options(1, 1), clock_);
  std::atomic<bool> is_gone = false;
  FairScheduler::Job endless = job(kA, "");
  endless.is_abandoned = &is_gone;
  endless.run = [&](Turn& turn) {
    diary_.note("began");
    while (!turn.is_cancelled()) turn.give_way();
    diary_.note("ended");
  };
  scheduler.submit(std::move(endless));
  diary_.wait_for(1);
  is_gone = true;
  EXPECT_THAT(diary_.wait_for(2), ElementsAre("began", "ended"));
}

TEST_F(FairSchedulerTest, StoppingRefusesWhatWaitsAndEndsWhatRuns) {
  FairScheduler scheduler(options(1, 2), clock_);
  const auto endless = [this](const Tenant& tenant) {
    FairScheduler::Job job = this->job(tenant, "");
    job.run = [this](Turn& turn) {
      diary_.note("began");
      while (!turn.is_cancelled()) {
        clock_.advance_ms(10);
        turn.give_way();
      }
    };
    return job;
  };
  scheduler.submit(endless(kA));
  scheduler.submit(endless(kB));
  diary_.wait_for(2);  // one of them has given way to the other
  FairScheduler::Job waiting = job(kA, "waiting");
  waiting.wait_us_max = INT64_MAX;
  scheduler.submit(std::move(waiting));
  scheduler.stop();
  EXPECT_EQ(diary_.wait_for(3).back(), "waiting: Unavailable");
  scheduler.submit(job(kB, "later"));
  EXPECT_EQ(diary_.wait_for(4).back(), "later: Unavailable");
}

// With many threads, so that sanitizers have something to see.
TEST_F(FairSchedulerTest, ManyTenantsAtOnce) {
  SystemClock clock;
  std::atomic<int> ended = 0;
  constexpr int kJobs = 400;
  {
    FairScheduler scheduler(options(3, 9), clock);
    std::vector<std::thread> clients;
    for (uint64_t client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        for (int i = 0; i < kJobs / 4; ++i) {
          FairScheduler::Job busy = job({client, static_cast<uint64_t>(i % 2)}, "");
          busy.refuse = [&](const Error&) { ++ended; };
          busy.run = [&](Turn& turn) {
            const int64_t until_us = clock.steady_us() + 200;
            while (clock.steady_us() < until_us) turn.give_way();
            ++ended;
          };
          scheduler.submit(std::move(busy));
        }
      });
    }
    for (std::thread& client : clients) client.join();
  }
  EXPECT_EQ(ended, kJobs);
}

TEST_F(FairSchedulerTest, SpareWorkRunsOnlyOnAProcessorThatIsFree) {
  FairScheduler::Options two = options(5, 10);
  two.limits.processors = 2;
  FairScheduler scheduler(two, clock_);
  close_gate(scheduler);
  std::promise<void> end;
  const auto wait_for_end = [ended = end.get_future().share(), this](Turn&) {
    diary_.note("spare");
    ended.wait();
  };
  EXPECT_TRUE(scheduler.run_spare(kA, wait_for_end));
  EXPECT_FALSE(scheduler.run_spare(kA, wait_for_end));
  EXPECT_FALSE(scheduler.run_spare(kB, wait_for_end));
  EXPECT_EQ(scheduler.statistics(0).spare, 1U);
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("spare"));
  end.set_value();
  open_gate();
}

TEST_F(FairSchedulerTest, SpareWorkIsRecalledWhenAJobComesAndDelaysItByNothing) {
  FairScheduler::Options two = options(5, 10);
  two.limits.processors = 2;
  FairScheduler scheduler(two, clock_);
  close_gate(scheduler);
  std::promise<void> begun;
  ASSERT_TRUE(scheduler.run_spare(kA, [&](Turn& turn) {
    begun.set_value();
    while (!turn.is_cancelled()) turn.give_way();
    diary_.note("recalled");
  }));
  begun.get_future().wait();
  std::promise<void> b_ends;
  FairScheduler::Job b = job(kB, "");
  b.run = [&, ended = b_ends.get_future().share()](Turn&) {
    diary_.note("b");
    ended.wait();
  };
  scheduler.submit(std::move(b));
  EXPECT_THAT(diary_.wait_for(2), testing::UnorderedElementsAre("b", "recalled"));
  EXPECT_FALSE(scheduler.run_spare(kA, [](Turn&) {}));
  b_ends.set_value();
  open_gate();
}

TEST_F(FairSchedulerTest, SpareWorkCountsAsTimeOfItsTenant) {
  FairScheduler::Options one_at_a_time = options(1, 4);
  one_at_a_time.limits.processors = 2;
  FairScheduler scheduler(one_at_a_time, clock_);
  std::promise<void> begun;
  std::promise<void> end;
  ASSERT_TRUE(scheduler.run_spare(kA, [&](Turn&) {
    begun.set_value();
    end.get_future().wait();
  }));
  begun.get_future().wait();
  clock_.advance_ms(1000);
  close_gate(scheduler, {3, 1});
  scheduler.drop_overdue();  // settles what runs
  scheduler.submit(job(kA, "a"));
  scheduler.submit(job(kB, "b"));
  open_gate();
  EXPECT_THAT(diary_.wait_for(2), ElementsAre("b", "a"));
  end.set_value();
}

TEST_F(FairSchedulerTest, SpareWorkEndsWhenTheServerStops) {
  FairScheduler::Options one = options(1, 1);
  one.limits.processors = 1;
  FairScheduler scheduler(one, clock_);
  std::promise<void> begun;
  ASSERT_TRUE(scheduler.run_spare(kA, [&](Turn& turn) {
    begun.set_value();
    while (!turn.is_cancelled()) turn.give_way();
    diary_.note("ended");
  }));
  begun.get_future().wait();
  scheduler.stop();
  EXPECT_THAT(diary_.wait_for(1), ElementsAre("ended"));
  EXPECT_FALSE(scheduler.run_spare(kA, [](Turn&) {}));
}

}  // namespace partita
