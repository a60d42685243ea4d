#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cluster/background_failures.h"
#include "cluster/catalog_memory.h"
#include "cluster/records/dropped_rows.h"
#include "cluster/resources.h"
#include "engine/item/etag.h"
#include "storage/store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace partita {

// CatalogChanges: how everything in the catalog is changed and read, whatever it is.
//
// Thread-safe. Whoever changes something holds the lock of begin() until the end of that, so changes come one after the other.
// Readers hold another, shared one, which a change takes only for the moment in which it becomes visible: they never wait for the
// disk. Lock order: changing_, visible_.
// Invariants:
// 1. What readers see is altered only by the `publish` of a commit, or while the catalog is opened and nobody reads it yet. So
//    whoever holds the changes may look at it without the readers' lock.
// 2. A change is durable before it is visible.
// 3. At most one change is in the store and not on the disk. Until that is decided, no other one begins.
class CatalogChanges {
 public:
  using Lock = std::unique_lock<std::mutex>;

  CatalogChanges(Store& store, const Clock& clock, EtagSource& etags, size_t memory_bytes)
      : store_(store),
        clock_(clock),
        etags_(etags),
        memory_(memory_bytes),
        failures_(std::make_shared<BackgroundFailures>(clock)),
        version_(first_version(clock)) {}

  Store& store() const { return store_; }
  const Clock& clock() const { return clock_; }
  const std::shared_ptr<BackgroundFailures>& failures() const { return failures_; }
  // What is created takes of it; what was there at the start always has.
  const CatalogMemory& memory() const { return memory_; }

  // Grows with everything that becomes visible, from start to start too, and is not 0. Whoever reads it first sees at least what
  // it stands for.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // For readers.
  std::shared_lock<std::shared_mutex> reading() const;
  // For whoever changes something, until the end of that: all others wait. kStorageFailure while the durability of an earlier
  // change is pending.
  Result<Lock> begin() const;
  // The same lock, for what is guarded by it and not stored: no durability has to be decided.
  Lock hold() const { return Lock(changing_); }
  // Publishes what has become durable late; kStorageFailure when there is something that has not. REQUIRES: the lock of begin().
  Status settle() const;

  // Makes the batch durable, then `publish` makes it visible. When the sync fails, the store has the batch all the same, and
  // nobody knows whether a restart would find it: it is published when it has become durable after all, by the next who reads or
  // changes something, and until then all other changes are refused. So `publish` owns what it needs. `taken` is called once the
  // store has the batch, whatever becomes of the sync. What nobody names any more is dropped when it was published.
  // REQUIRES, here and below: the lock of begin().
  Status commit(WriteBatch& batch, std::function<void()> publish, const std::function<void()>& taken = {},
                DroppedRows dropped = {});
  // Numbers are given out by counters, each number once: the batch notes the newest.
  Result<uint32_t> next_number(std::string_view counter, WriteBatch& batch);
  Revision new_revision() const;

  // For the start, before anybody else has the catalog.
  Status load_counters();
  // All records of a kind, in the order of their keys.
  Status for_each_record(char kind, const std::function<Status(std::string_view)>& record) const;

 private:
  // A change that the store has, but not the disk.
  struct Pending {
    CommitTicket ticket;
    std::function<void()> publish;
    DroppedRows dropped;
  };

  // Later than whatever an earlier start has come to: there are fewer changes than milliseconds.
  static uint64_t first_version(const Clock& clock) { return static_cast<uint64_t>(std::max<int64_t>(clock.unix_ms(), 1)); }
  void publish(const std::function<void()>& change) const;
  void drop_rows(const DroppedRows& dropped) const;

  Store& store_;
  const Clock& clock_;
  EtagSource& etags_;
  const CatalogMemory memory_;
  const std::shared_ptr<BackgroundFailures> failures_;
  mutable std::atomic<uint64_t> version_;
  mutable std::mutex changing_;
  mutable std::shared_mutex visible_;
  mutable std::optional<Pending> pending_;                 // guarded by changing_
  mutable std::atomic<bool> has_pending_ = false;          // the same, for readers
  mutable DroppedRows to_drop_;                            // guarded by changing_: what could not be dropped yet
  std::map<std::string, uint32_t, std::less<>> counters_;  // guarded by changing_
};

// Names of counters that several files use. ON DISK: docs/formats/catalog.md.
inline constexpr std::string_view kOfferCounter = "offer";
inline constexpr std::string_view kPartitionCounter = "partition";
inline constexpr std::string_view kIndexCounter = "index";

}  // namespace partita
