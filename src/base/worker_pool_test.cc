#include "base/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <future>

namespace partita {

TEST(WorkerPool, RunsWhatItAccepts) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(3, 1000);
    for (int i = 0; i < 500; ++i) {
      WorkerPool::Task task = [&] { ++done; };
      EXPECT_TRUE(pool.submit(task));
    }
  }
  EXPECT_EQ(done, 500) << "the destructor finishes what was accepted";
}

TEST(WorkerPool, IsAsNiceAsAskedFor) {
  std::promise<int> niceness;
  WorkerPool pool(1, 1, 7);
  WorkerPool::Task task = [&] { niceness.set_value(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()))); };
  ASSERT_TRUE(pool.submit(task));
  EXPECT_EQ(niceness.get_future().get(), 7);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 0);
}

TEST(WorkerPool, RefusesWhatIsTooMuchAndLeavesItWhole) {
  std::promise<void> started;
  std::promise<void> gate;
  WorkerPool pool(1, 1);
  WorkerPool::Task busy = [&] {
    started.set_value();
    gate.get_future().wait();
  };
  ASSERT_TRUE(pool.submit(busy));
  started.get_future().wait();
  WorkerPool::Task waiting = [] {};
  EXPECT_TRUE(pool.submit(waiting));
  bool is_run = false;
  WorkerPool::Task refused = [&] { is_run = true; };
  EXPECT_FALSE(pool.submit(refused));
  refused();
  EXPECT_TRUE(is_run);
  gate.set_value();
}

}  // namespace partita
