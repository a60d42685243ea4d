#pragma once

#include "base/clock.h"
#include "base/fair_queue.h"
#include "base/result.h"
#include "base/turn.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace partita {

// FairScheduler: threads for work that takes too long for a connection's thread, shared fairly between tenants. Thread-safe.
//
// A tenant with endless work gets its share of the time and no more, whatever it submits (FairQueue says whose job is next, by
// the time that jobs took). A job that takes long gives way (Turn::give_way): it keeps its thread, which waits, and another job
// has its slot. One that waits for something else steps aside (Turn::step_aside) and comes back with its next give_way. Exactly
// one of a job's functions is called, once, with no lock held: `run` on a thread of the scheduler, or `refuse` on any, also on
// the one that submits it.
//
// Spare work fills processors that are free, and is recalled as soon as they are not: it never waits, gives way by ending, and
// delays nobody's job by more than it takes to look at its Turn.
class FairScheduler {
 public:
  // So long a job runs while others wait.
  static constexpr int64_t kSliceMicroseconds = 5'000;
  // So long one waits, unless it says otherwise.
  static constexpr int64_t kWaitMicrosecondsMax = 5'000'000;

  struct Job {
    Tenant tenant;
    std::move_only_function<void(Turn&)> run;
    // kThrottled or kUnavailable: too much waits already, or it has waited too long. kUnavailable: the server stops, or the
    // client is gone.
    std::move_only_function<void(const Error&)> refuse;
    // So long it waits to be begun.
    int64_t wait_us_max = kWaitMicrosecondsMax;
    // Part of work that was let in already: comes first in its container, and no bound counts.
    bool is_continued = false;
    // The client is gone. Lives until the client was answered by one of the functions.
    const std::atomic<bool>* is_abandoned = nullptr;
  };

  struct Options {
    FairQueue::Limits limits;  // a slot is a thread that runs, a place a thread
    // Of the threads, with a number each, for those who look at them; at most 10 characters.
    std::string name = "worker";
    // Added to the niceness of whoever makes the scheduler, as nice(2) does, up to 19: the nicer, the less of the processors the
    // threads get when others want them too.
    int niceness = 0;
  };

  struct Statistics {
    size_t waiting = 0;  // not begun
    size_t parked = 0;   // begun, and gave way
    size_t aside = 0;    // begun, and waits for something else than a worker
    size_t running = 0;
    size_t spare = 0;    // that runs beside these
    uint64_t begun = 0;  // so far; likewise the following
    uint64_t spare_begun = 0;
    uint64_t refused = 0;    // because too much waited
    uint64_t late = 0;       // waited too long
    uint64_t abandoned = 0;  // while they waited
    std::vector<FairQueue::TenantCounts> busiest;
  };

  // Whether the calling thread is one of any scheduler, so that it may take its time.
  static bool is_on_worker();

  FairScheduler(const Options& options, const Clock& clock);
  // Waits for what runs.
  ~FairScheduler();

  void submit(Job job);
  // Runs that at once on a thread of the scheduler, if a processor is free; else never, and says so. It ends soon when its Turn
  // is cancelled. When the server stops it may be dropped without being run.
  bool run_spare(const Tenant& tenant, std::move_only_function<void(Turn&)> run);
  // What waits is refused at once, what runs is told to end (Turn::is_cancelled), and nothing is accepted any more.
  void stop();
  // Refuses what has waited too long or was abandoned. The scheduler does so by itself many times a second.
  void drop_overdue();

  Statistics statistics(size_t tenants_max) const;

 private:
  class Work;
  using WorkPtr = std::unique_ptr<Work>;
  // What is to be refused as soon as the lock is free.
  using Refusals = std::vector<std::pair<WorkPtr, Error>>;

  void serve(size_t number);
  void watch();
  void execute(std::unique_lock<std::mutex>& lock, Work& work);
  void wait_for_turn(Work& work);
  void leave_slot(Work& work);
  static void refuse_all(Refusals refusals);
  // All of these need the lock.
  void dispatch();
  void begin(Work& work);
  void recall_spare();
  void begin_slice(Work& work);
  void settle(Work& work);
  const Error* reason_to_drop(const Work& work);
  void add_thread();

  const Options options_;
  // Threads start later, too, from threads that are nicer by then.
  const int starting_niceness_;
  const Clock& clock_;
  std::atomic<bool> is_stopping_ = false;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  FairQueue queue_;
  std::unordered_map<FairQueue::Ticket, WorkPtr> works_;  // until they end
  std::deque<Work*> ready_;                               // have a slot, and no thread yet
  std::vector<Work*> spare_;                              // spare work that has not ended, oldest first
  Statistics counts_;
  size_t idle_threads_ = 0;
  bool is_joining_ = false;
  bool is_watching_ = false;  // with its eyes open: something waits
  std::condition_variable wake_;
  std::condition_variable wake_watcher_;
  std::vector<std::thread> threads_;
  std::thread watcher_;
};

}  // namespace partita
