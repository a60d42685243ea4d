#pragma once

#include "base/clock.h"

#include <atomic>
#include <cstdint>

namespace partita {

// Tenant: on whose behalf work is done. Containers of one database share what the database gets.
struct Tenant {
  uint64_t database = 0;  // 0: the account itself
  uint64_t container = 0;

  auto operator<=>(const Tenant&) const = default;
};

// Turn: what a job of a FairScheduler sees of it while it runs. Used by the job's thread only.
class Turn {
 public:
  // To be called often by work that takes long, with no lock held: when others wait for a worker and this job has had its time,
  // the thread waits here until it is this job's turn again. Else it costs a look at the clock.
  void give_way() {
    if (clock_.steady_us() >= slice_ends_us_) wait_for_others();
  }
  // The thread is about to wait for something else than a worker: others have its slot meanwhile. Its next give_way() waits until
  // it is this job's turn again. Of no effect when it is aside already.
  void step_aside() { leave_to_others(); }
  // Nobody wants the result any more: the client is gone, or the server stops; or, of spare work, others want the processor. The
  // job ends soon, with whatever error.
  bool is_cancelled() const {
    return is_stopping_.load(std::memory_order_relaxed) || is_recalled_.load(std::memory_order_relaxed) ||
           (is_abandoned_ != nullptr && is_abandoned_->load(std::memory_order_relaxed));
  }

  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 protected:
  Turn(const Clock& clock, const std::atomic<bool>& is_stopping, const std::atomic<bool>* is_abandoned)
      : clock_(clock), is_stopping_(is_stopping), is_abandoned_(is_abandoned) {}
  virtual ~Turn() = default;

  virtual void wait_for_others() = 0;
  virtual void leave_to_others() = 0;
  // On any thread.
  void recall() { is_recalled_.store(true, std::memory_order_relaxed); }

  int64_t slice_ends_us_ = 0;

 private:
  const Clock& clock_;
  const std::atomic<bool>& is_stopping_;
  const std::atomic<bool>* is_abandoned_;
  std::atomic<bool> is_recalled_ = false;
};

}  // namespace partita
