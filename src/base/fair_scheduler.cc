#include "base/fair_scheduler.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace partita {
namespace {

// How often what waits is looked through for work that nobody wants any more.
constexpr std::chrono::milliseconds kWatchInterval{50};
constexpr int64_t kRetryAfterMs = 1000;
// For getpriority() and setpriority(): on Linux each thread has a priority of its own.
constexpr id_t kThisThread = 0;

const Error kStopping{ErrorCode::kUnavailable, "The server is stopping."};
const Error kAbandoned{ErrorCode::kUnavailable, "The client is gone."};
const Error kLate{ErrorCode::kThrottled, "The request has waited too long behind others of its database; try again in a moment.",
                  ErrorDetail::kRetryAfter, kRetryAfterMs};

// Without it a thread has the name of whoever started it.
void name_this_thread(const std::string& name) { ::pthread_setname_np(::pthread_self(), name.c_str()); }

thread_local bool is_worker_thread = false;

int64_t later(int64_t now_us, int64_t by_us) { return by_us > INT64_MAX - now_us ? INT64_MAX : now_us + by_us; }

}  // namespace

// Work: a job and how far it is. Guarded by the scheduler's lock, but for what Turn has, which is the thread's that runs it.
class FairScheduler::Work final : public Turn {
 public:
  Work(FairScheduler& scheduler, Job job, FairQueue::Ticket ticket, bool is_spare = false)
      : Turn(scheduler.clock_, scheduler.is_stopping_, job.is_abandoned),
        scheduler_(scheduler),
        job_(std::move(job)),
        ticket_(ticket),
        is_spare_(is_spare),
        begin_by_us_(later(scheduler.clock_.steady_us(), job_.wait_us_max)) {}
  ~Work() override = default;

  void wait_for_others() override { scheduler_.wait_for_turn(*this); }
  void leave_to_others() override { scheduler_.leave_slot(*this); }
  using Turn::recall;
  void set_slice_end(int64_t at_us) { slice_ends_us_ = at_us; }

  FairScheduler& scheduler_;
  Job job_;
  const FairQueue::Ticket ticket_;
  const bool is_spare_;
  const int64_t begin_by_us_;
  bool is_begun_ = false;
  bool has_slot_ = false;
  int64_t charged_until_us_ = 0;  // what it ran before that is in the queue's books
  std::condition_variable resume_;
};

FairScheduler::FairScheduler(const Options& options, const Clock& clock)
    : options_(options), starting_niceness_(::getpriority(PRIO_PROCESS, kThisThread)), clock_(clock), queue_(options.limits) {
  std::lock_guard lock(mutex_);
  add_thread();
  watcher_ = std::thread([this] { watch(); });
}

FairScheduler::~FairScheduler() {
  stop();
  {
    std::lock_guard lock(mutex_);
    is_joining_ = true;
  }
  wake_.notify_all();
  wake_watcher_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  watcher_.join();
}

bool FairScheduler::is_on_worker() { return is_worker_thread; }

void FairScheduler::submit(Job job) {
  Error refusal = kStopping;
  {
    std::lock_guard lock(mutex_);
    if (!is_stopping_) {
      const Result<FairQueue::Ticket> ticket = job.is_continued ? queue_.push_continued(job.tenant) : queue_.push(job.tenant);
      if (ticket) {
        works_.emplace(*ticket, std::make_unique<Work>(*this, std::move(job), *ticket));
        dispatch();
        if (queue_.waiting() > 0 && !is_watching_) wake_watcher_.notify_one();
        return;
      }
      refusal = ticket.error();
      ++counts_.refused;
    }
  }
  job.refuse(refusal);
}

bool FairScheduler::run_spare(const Tenant& tenant, std::move_only_function<void(Turn&)> run) {
  std::lock_guard lock(mutex_);
  if (is_stopping_) return false;
  const auto ticket = queue_.begin_spare(tenant, kSliceMicroseconds);
  if (!ticket) return false;
  Job job{.tenant = tenant, .run = std::move(run), .refuse = [](const Error&) {}, .wait_us_max = INT64_MAX};
  const auto [work, is_new] = works_.emplace(*ticket, std::make_unique<Work>(*this, std::move(job), *ticket, true));
  spare_.push_back(work->second.get());
  ++counts_.spare_begun;
  begin(*work->second);
  return true;
}

void FairScheduler::stop() {
  Refusals refusals;
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (auto& [ticket, work] : works_) {
      if (work->is_begun_) {
        work->resume_.notify_one();
      } else if (!work->has_slot_) {
        queue_.remove(work->job_.tenant, ticket);
        refusals.emplace_back(std::move(work), kStopping);
      }
    }
    std::erase_if(works_, [](const auto& entry) { return entry.second == nullptr; });
  }
  refuse_all(std::move(refusals));
}

void FairScheduler::drop_overdue() {
  Refusals refusals;
  {
    std::lock_guard lock(mutex_);
    for (auto& [ticket, work] : works_) {
      if (work->has_slot_ && !is_stopping_) settle(*work);
      if (work->has_slot_ || work->is_begun_) continue;
      const Error* reason = reason_to_drop(*work);
      if (reason == nullptr) continue;
      queue_.remove(work->job_.tenant, ticket);
      refusals.emplace_back(std::move(work), *reason);
    }
    std::erase_if(works_, [](const auto& entry) { return entry.second == nullptr; });
  }
  refuse_all(std::move(refusals));
}

void FairScheduler::refuse_all(Refusals refusals) {
  for (auto& [work, reason] : refusals) work->job_.refuse(reason);
}

const Error* FairScheduler::reason_to_drop(const Work& work) {
  if (is_stopping_) return &kStopping;
  if (work.is_cancelled()) {
    if (!work.is_spare_) ++counts_.abandoned;
    return &kAbandoned;
  }
  if (clock_.steady_us() <= work.begin_by_us_) return nullptr;
  ++counts_.late;
  return &kLate;
}

// Gives slots to whoever comes next, as long as there are any.
void FairScheduler::dispatch() {
  if (is_stopping_) return;
  while (const auto ticket = queue_.pop(kSliceMicroseconds)) {
    Work& work = *works_.at(*ticket);
    if (work.is_begun_) {
      work.has_slot_ = true;
      begin_slice(work);
      work.resume_.notify_one();
    } else {
      begin(work);
    }
  }
  recall_spare();
}

// On the next thread that is free.
void FairScheduler::begin(Work& work) {
  work.has_slot_ = true;
  begin_slice(work);
  ready_.push_back(&work);
  if (ready_.size() > idle_threads_) add_thread();
  wake_.notify_one();
}

// Those that were recalled before and have not ended yet count, too.
void FairScheduler::recall_spare() {
  const size_t too_much = std::min(queue_.spare_too_much(), spare_.size());
  for (size_t i = 0; i < too_much; ++i) spare_[i]->recall();
}

// The queue has charged what it is expected to run.
void FairScheduler::begin_slice(Work& work) { work.charged_until_us_ = clock_.steady_us() + kSliceMicroseconds; }

void FairScheduler::settle(Work& work) {
  const int64_t now_us = clock_.steady_us();
  queue_.charge(work.job_.tenant, now_us - work.charged_until_us_);
  work.charged_until_us_ = now_us;
}

void FairScheduler::leave_slot(Work& work) {
  std::lock_guard lock(mutex_);
  if (is_stopping_ || work.is_spare_ || !work.has_slot_) return;
  settle(work);
  work.has_slot_ = false;
  queue_.set_aside(work.job_.tenant);
  work.set_slice_end(INT64_MIN);
  dispatch();
}

void FairScheduler::wait_for_turn(Work& work) {
  std::unique_lock lock(mutex_);
  if (!is_stopping_ && work.has_slot_) settle(work);
  const bool is_aside = !work.has_slot_;
  const bool others_wait = queue_.waiting() + queue_.parked() > 0;
  if (!is_stopping_ && !work.is_spare_ && (is_aside || others_wait)) {
    work.has_slot_ = false;
    if (is_aside) {
      queue_.come_back(work.job_.tenant, work.ticket_);
    } else {
      queue_.park(work.job_.tenant, work.ticket_);
    }
    dispatch();
    work.resume_.wait(lock, [&] { return work.has_slot_ || is_stopping_; });
  }
  work.set_slice_end(clock_.steady_us() + kSliceMicroseconds);
}

void FairScheduler::add_thread() {
  try {
    threads_.emplace_back([this, number = threads_.size()] { serve(number); });
    ++idle_threads_;
  } catch (const std::system_error&) {
    return;  // The system has no more threads for us: those that there are do the work one after the other.
  }
}

void FairScheduler::serve(size_t number) {
  name_this_thread(options_.name + "-" + std::to_string(number));
  is_worker_thread = true;
  if (options_.niceness != 0) ::setpriority(PRIO_PROCESS, kThisThread, starting_niceness_ + options_.niceness);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_joining_ || !ready_.empty(); });
    if (ready_.empty()) return;
    Work& work = *ready_.front();
    ready_.pop_front();
    --idle_threads_;
    execute(lock, work);
    ++idle_threads_;
    dispatch();
  }
}

void FairScheduler::execute(std::unique_lock<std::mutex>& lock, Work& work) {
  const Error* reason = reason_to_drop(work);
  work.is_begun_ = reason == nullptr;
  if (reason == nullptr && !work.is_spare_) ++counts_.begun;
  work.set_slice_end(clock_.steady_us() + kSliceMicroseconds);
  lock.unlock();
  if (reason != nullptr) {
    work.job_.refuse(*reason);
  } else {
    work.job_.run(work);
  }
  work.job_.run = nullptr;
  work.job_.refuse = nullptr;
  lock.lock();
  if (!is_stopping_) {
    if (!work.has_slot_) {
      queue_.end_aside(work.job_.tenant);
    } else {
      settle(work);
      work.is_spare_ ? queue_.end_spare(work.job_.tenant) : queue_.end(work.job_.tenant);
    }
  }
  if (work.is_spare_) std::erase(spare_, &work);
  works_.erase(work.ticket_);
}

void FairScheduler::watch() {
  name_this_thread(options_.name + "-look");
  std::unique_lock lock(mutex_);
  while (!is_joining_) {
    is_watching_ = queue_.waiting() > 0;
    if (is_watching_) {
      wake_watcher_.wait_for(lock, kWatchInterval);
    } else {
      wake_watcher_.wait(lock);
    }
    lock.unlock();
    drop_overdue();
    lock.lock();
  }
}

FairScheduler::Statistics FairScheduler::statistics(size_t tenants_max) const {
  std::lock_guard lock(mutex_);
  Statistics statistics = counts_;
  statistics.waiting = queue_.waiting();
  statistics.parked = queue_.parked();
  statistics.aside = queue_.aside();
  statistics.running = queue_.running();
  statistics.spare = queue_.spare();
  statistics.busiest = queue_.busiest(tenants_max);
  return statistics;
}

}  // namespace partita
