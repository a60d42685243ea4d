#pragma once

#include "base/clock.h"
#include "base/fair_memory.h"
#include "base/result.h"
#include "partition/changes/change_waiters.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace partita {

class Partition;

// How many wait for changes at once: in all, and counted once for each partition that they wait for. A database may have at most
// three times as many of them as it leaves free for others.
inline constexpr size_t kChangeSubscriptionsMax = 10'000;
inline constexpr size_t kAwaitedPartitionsMax = 50'000;

// Why a wait is over.
enum class ChangeNews : uint8_t {
  kChanged,        // something newer is durable
  kPartitionGone,  // one of the partitions was split or merged, or dropped: others may have its documents
  kTimeout,
  kAbandoned,  // the client is gone
  kStopped,    // the server stops
};

// ChangeSubscriptions: everybody who waits for changes of partitions. One thread tells all of them.
//
// Thread-safe. Whoever waits holds no thread, no partition and no snapshot. Exactly once, and with no lock held, a subscription
// is told why it ended: with an error on the thread that subscribes; else on the thread of this class, or on that which stops it.
// So what is told must be short, such as giving a job to a scheduler.
// Lock order: mutex_, then that of a partition's ChangeWaiters, then that of DueChanges.
class ChangeSubscriptions {
 public:
  // Both are shared by databases.
  struct Limits {
    size_t subscriptions_max = kChangeSubscriptionsMax;
    size_t partitions_max = kAwaitedPartitionsMax;
  };
  // Changes of one partition behind an LSN.
  struct Awaited {
    std::weak_ptr<Partition> partition;
    Lsn after;
  };
  using Tell = std::move_only_function<void(Result<ChangeNews>)>;
  struct Subscription {
    uint64_t database = 0;         // whose share of the limits is used
    std::vector<Awaited> awaited;  // any of them ends the wait
    int64_t until_us = 0;          // by the clock's steady time
    // Changes are not told before: for those who were told a moment ago, and found nothing that concerned them.
    int64_t not_before_us = 0;
    const std::atomic<bool>* is_abandoned = nullptr;  // the client is gone. Lives until this was told
    Tell tell;
  };

  explicit ChangeSubscriptions(const Clock& clock) : ChangeSubscriptions(clock, Limits()) {}
  ChangeSubscriptions(const Clock& clock, const Limits& limits);
  ~ChangeSubscriptions();

  // kThrottled when too many wait already.
  ChangeWaiterId subscribe(Subscription subscription);
  // False when it was told, or is about to be. Else it never will be.
  bool cancel(ChangeWaiterId waiter);
  // Ends all, and from now on every new one at once (kStopped).
  void stop();
  // Tells those whose wait is over. The thread of this class does so by itself many times a second.
  void look();

  size_t size() const;

 private:
  struct Entry {
    Subscription subscription;
    MemoryLoan counted;             // as one of the subscriptions
    MemoryLoan counted_partitions;  // by its partitions
    std::optional<ChangeNews> news;
  };
  using Told = std::vector<std::pair<Tell, ChangeNews>>;

  void run(const std::stop_token& stop);
  // REQUIRES, all below: mutex_ is held.
  Status admit(Entry& entry);
  Status await(ChangeWaiterId waiter, const std::vector<Awaited>& awaited);
  static void end(ChangeWaiterId waiter, const std::vector<Awaited>& awaited);
  void note_due(Told& told, int64_t now_us);
  std::optional<ChangeNews> news_of(const Entry& entry, int64_t now_us) const;
  using Entries = std::unordered_map<ChangeWaiterId, Entry>;
  Entries::iterator tell_later(Entries::iterator entry, ChangeNews news, Told& told);
  static void tell_all(Told told);

  const Clock& clock_;
  FairMemory subscriptions_;  // in numbers of them
  FairMemory partitions_;
  const std::shared_ptr<DueChanges> due_ = std::make_shared<DueChanges>();
  mutable std::mutex mutex_;
  Entries entries_;            // guarded by mutex_
  ChangeWaiterId newest_ = 0;  // guarded by mutex_
  bool is_stopping_ = false;   // guarded by mutex_
  std::jthread thread_;        // last, so that it ends first
};

}  // namespace partita
