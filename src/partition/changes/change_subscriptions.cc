#include "partition/changes/change_subscriptions.h"

#include "partition/charge/throttling.h"
#include "partition/partition.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

namespace partita {
namespace {

// How often those who wait are looked through for deadlines and clients that are gone.
constexpr std::chrono::milliseconds kLookInterval{100};
// While nobody waits.
constexpr std::chrono::milliseconds kIdleInterval{3'600'000};
constexpr int64_t kLookIntervalUs = 100'000;
constexpr int64_t kCrowdedWaitUs = 1'000'000;

std::unexpected<Error> too_many() {
  return too_many_waiting("Too many requests of this database wait for changes; please retry later.", kCrowdedWaitUs);
}

// Whether something was applied that would end the wait, and is not known to be durable.
bool is_nearly_due(const Partition& partition, Lsn after) {
  return partition.applied_lsn() > after && partition.durable_lsn() <= after;
}

// What was applied while the disk failed may become durable later, and no write tells of it.
void refresh_all(std::vector<std::shared_ptr<Partition>> partitions) {
  std::ranges::sort(partitions);
  const auto repeated = std::ranges::unique(partitions);
  partitions.erase(repeated.begin(), repeated.end());
  for (const std::shared_ptr<Partition>& partition : partitions) partition->refresh_durable();
}

}  // namespace

ChangeSubscriptions::ChangeSubscriptions(const Clock& clock, const Limits& limits)
    : clock_(clock),
      subscriptions_(limits.subscriptions_max),
      partitions_(limits.partitions_max),
      thread_([this](const std::stop_token& stopping) { run(stopping); }) {}

ChangeSubscriptions::~ChangeSubscriptions() {
  stop();
  thread_.request_stop();
  due_->wake();
}

ChangeWaiterId ChangeSubscriptions::subscribe(Subscription subscription) {
  Result<ChangeNews> refusal = ChangeNews::kStopped;
  {
    std::lock_guard lock(mutex_);
    if (!is_stopping_) {
      Entry entry{.subscription = {},
                  .counted = MemoryLoan(&subscriptions_, subscription.database),
                  .counted_partitions = MemoryLoan(&partitions_, subscription.database),
                  .news = {}};
      entry.subscription = std::move(subscription);
      const ChangeWaiterId waiter = ++newest_;
      Status admitted = admit(entry);
      if (admitted) admitted = await(waiter, entry.subscription.awaited);
      if (admitted) {
        const bool is_first = entries_.empty();
        entries_.emplace(waiter, std::move(entry));
        if (is_first) due_->wake();
        return waiter;
      }
      subscription = std::move(entry.subscription);
      if (admitted.error().code == ErrorCode::kPartitionGone) {
        refusal = ChangeNews::kPartitionGone;
      } else {
        refusal = std::unexpected(std::move(admitted).error());
      }
    }
  }
  subscription.tell(std::move(refusal));
  return 0;
}

Status ChangeSubscriptions::admit(Entry& entry) {
  if (!entry.counted.grow_to(1) || !entry.counted_partitions.grow_to(entry.subscription.awaited.size())) return too_many();
  return {};
}

Status ChangeSubscriptions::await(ChangeWaiterId waiter, const std::vector<Awaited>& awaited) {
  for (const Awaited& one : awaited) {
    const std::shared_ptr<Partition> partition = one.partition.lock();
    Status added = partition ? partition->when_changed(one.after, waiter, due_)
                             : Status(fail(ErrorCode::kPartitionGone, "the partition does not exist any more"));
    if (added) continue;
    end(waiter, awaited);
    return added;
  }
  return {};
}

void ChangeSubscriptions::end(ChangeWaiterId waiter, const std::vector<Awaited>& awaited) {
  for (const Awaited& one : awaited) {
    if (const std::shared_ptr<Partition> partition = one.partition.lock()) partition->stop_waiting(one.after, waiter);
  }
}

bool ChangeSubscriptions::cancel(ChangeWaiterId waiter) {
  Tell never_called;  // what it holds ends when the lock is free
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(waiter);
  if (entry == entries_.end()) return false;
  end(waiter, entry->second.subscription.awaited);
  never_called = std::move(entry->second.subscription.tell);
  entries_.erase(entry);
  return true;
}

void ChangeSubscriptions::stop() {
  Told told;
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (auto entry = entries_.begin(); entry != entries_.end();) entry = tell_later(entry, ChangeNews::kStopped, told);
  }
  tell_all(std::move(told));
}

size_t ChangeSubscriptions::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

void ChangeSubscriptions::run(const std::stop_token& stop) {
  ::pthread_setname_np(::pthread_self(), "changes");
  int64_t looked_us = clock_.steady_us();
  while (!stop.stop_requested()) {
    due_->wait(size() > 0 ? kLookInterval : kIdleInterval);
    const int64_t now_us = clock_.steady_us();
    if (now_us - looked_us >= kLookIntervalUs) {
      looked_us = now_us;
      look();
    } else {
      Told told;
      {
        std::lock_guard lock(mutex_);
        note_due(told, now_us);
      }
      tell_all(std::move(told));
    }
  }
}

void ChangeSubscriptions::look() {
  Told told;
  std::vector<std::shared_ptr<Partition>> nearly_due;
  {
    std::lock_guard lock(mutex_);
    const int64_t now_us = clock_.steady_us();
    note_due(told, now_us);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      if (const std::optional<ChangeNews> news = news_of(entry->second, now_us)) {
        entry = tell_later(entry, *news, told);
        continue;
      }
      for (const Awaited& awaited : entry->second.subscription.awaited) {
        std::shared_ptr<Partition> partition = awaited.partition.lock();
        if (partition && is_nearly_due(*partition, awaited.after)) nearly_due.push_back(std::move(partition));
      }
      ++entry;
    }
  }
  refresh_all(std::move(nearly_due));
  tell_all(std::move(told));
}

void ChangeSubscriptions::note_due(Told& told, int64_t now_us) {
  for (const DueChanges::Batch& batch : due_->take()) {
    for (const auto& [after, waiter] : batch.waiters) {
      const auto entry = entries_.find(waiter);
      if (entry == entries_.end()) continue;  // it was told of another partition, or is gone
      entry->second.news = batch.is_gone ? ChangeNews::kPartitionGone : entry->second.news.value_or(ChangeNews::kChanged);
      if (const std::optional<ChangeNews> news = news_of(entry->second, now_us)) tell_later(entry, *news, told);
    }
  }
}

std::optional<ChangeNews> ChangeSubscriptions::news_of(const Entry& entry, int64_t now_us) const {
  const Subscription& subscription = entry.subscription;
  if (subscription.is_abandoned != nullptr && subscription.is_abandoned->load(std::memory_order_relaxed)) {
    return ChangeNews::kAbandoned;
  }
  const bool is_over = now_us >= subscription.until_us;
  if (entry.news && (is_over || now_us >= subscription.not_before_us)) return entry.news;
  if (is_over) return ChangeNews::kTimeout;
  return std::nullopt;
}

ChangeSubscriptions::Entries::iterator ChangeSubscriptions::tell_later(Entries::iterator entry, ChangeNews news, Told& told) {
  end(entry->first, entry->second.subscription.awaited);
  told.emplace_back(std::move(entry->second.subscription.tell), news);
  return entries_.erase(entry);
}

void ChangeSubscriptions::tell_all(Told told) {
  for (auto& [tell, news] : told) tell(news);
}

}  // namespace partita
