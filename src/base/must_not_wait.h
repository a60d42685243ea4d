#pragma once

#include "base/result.h"

#include <chrono>
#include <utility>

namespace partita {

// MustNotWait: while one lives, its thread must not wait for a disk, nor for somebody who does, because others wait for the
// thread. What would have to wait fails with kWouldWait instead and has changed nothing; it is done anew on a thread that may
// wait.
//
// Not for whole threads, but for work that somebody can begin anew. Scopes nest; each belongs to the thread that made it.
class MustNotWait {
 public:
  // So long a lock is waited for that others hold for a few microseconds, unless they wait for the disk.
  static constexpr std::chrono::milliseconds kLockWaitMax{1};

  explicit MustNotWait(bool applies = true) : is_outermost_(applies && !here_.applies) {
    if (is_outermost_) here_ = {.applies = true, .was_refused = false};
  }
  ~MustNotWait() {
    if (is_outermost_) here_ = {.applies = false, .was_refused = false};
  }
  MustNotWait(const MustNotWait&) = delete;
  MustNotWait& operator=(const MustNotWait&) = delete;

  static bool applies() { return here_.applies; }
  // Whether anything would have had to wait since the outermost scope began. Then no result of it counts, even if nobody has
  // passed the error on.
  static bool was_refused() { return here_.was_refused; }

  // Only for those who find that they would wait. REQUIRES: applies().
  static void note_refusal() { here_.was_refused = true; }
  static std::unexpected<Error> refuse() {
    note_refusal();
    return fail(ErrorCode::kWouldWait, "what is needed is not in memory, and others wait for this thread");
  }
  // Takes a lock whose owner may wait for the disk. False: it was not to be had at once.
  template <typename Lock>
  static bool take(Lock& lock) {
    if (!here_.applies) {
      lock.lock();
      return true;
    }
    if (lock.try_lock_for(kLockWaitMax)) return true;
    note_refusal();
    return false;
  }

 private:
  struct State {
    bool applies;
    bool was_refused;
  };
  static inline thread_local constinit State here_{false, false};

  const bool is_outermost_;
};

}  // namespace partita
