#include "partition/changes/change_waiters.h"

#include "base/check.h"
#include "partition/charge/throttling.h"

namespace partita {
namespace {

// A wait is a matter of seconds, and so is the time until somebody leaves.
constexpr int64_t kCrowdedWaitUs = 1'000'000;

}  // namespace

void DueChanges::put(Batch batch) {
  {
    std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
  }
  is_awaited_.notify_one();
}

std::vector<DueChanges::Batch> DueChanges::take() {
  std::lock_guard lock(mutex_);
  is_woken_ = false;
  return std::exchange(batches_, {});
}

void DueChanges::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  is_awaited_.wait_for(lock, at_most, [this] { return is_woken_ || !batches_.empty(); });
}

void DueChanges::wake() {
  {
    std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  is_awaited_.notify_one();
}

Status ChangeWaiters::add(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due) {
  std::lock_guard lock(mutex_);
  if (is_closed_) {
    return fail(ErrorCode::kPartitionGone, "the partition was split or merged; its documents are in others now");
  }
  if (waiters_.size() >= kChangeWaitersPerPartitionMax) {
    return too_many_waiting("Too many requests wait for changes of this partition; please retry later.", kCrowdedWaitUs);
  }
  CHECK(waiters_.empty() || due_ == due);
  due_ = due;
  waiters_.emplace(after, waiter);
  has_waiters_.store(true, std::memory_order_seq_cst);
  return {};
}

void ChangeWaiters::remove(Lsn after, ChangeWaiterId waiter) {
  std::lock_guard lock(mutex_);
  waiters_.erase({after, waiter});
  has_waiters_.store(!waiters_.empty(), std::memory_order_seq_cst);
}

// Mostly all of them are due, because they have seen what there was.
void ChangeWaiters::hand_out(Lsn durable) {
  std::lock_guard lock(mutex_);
  const auto end = waiters_.lower_bound({durable, 0});
  if (end == waiters_.begin()) return;
  ChangeWaiterSet is_due;
  if (end == waiters_.end()) {
    is_due.swap(waiters_);
  } else {
    while (waiters_.begin() != end) is_due.insert(is_due.end(), waiters_.extract(waiters_.begin()));
  }
  has_waiters_.store(!waiters_.empty(), std::memory_order_seq_cst);
  due_->put({std::move(is_due), false});
}

void ChangeWaiters::close() {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  has_waiters_.store(false, std::memory_order_seq_cst);
  if (!waiters_.empty()) due_->put({std::exchange(waiters_, {}), true});
}

}  // namespace partita
