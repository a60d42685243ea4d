#include "gateway/items/erase_key.h"

#include "gateway/items/location.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partita {
namespace {

constexpr size_t kErasedPerTransaction = 100;
constexpr size_t kTransactionsInFlightMax = 32;

// Erases those of the documents that were last written at or before `newest`.
Partition::Body erasing(std::vector<std::string> item_keys, Lsn newest) {
  return [item_keys = std::move(item_keys), newest](Transaction& transaction) -> Status {
    for (const std::string& item_key : item_keys) {
      TRY(transaction.erase_expired(item_key));
      TRY_ASSIGN(const Item* stored, transaction.find(item_key));
      if (stored != nullptr && stored->lsn() <= newest) transaction.erase(item_key);
    }
    return {};
  };
}

// TransactionsInFlight: those of one walk over a logical partition; shared with them, as the walk may end first. Thread-safe.
class TransactionsInFlight {
 public:
  // Waits while there are many.
  Status begin(const ErasePatience& patience) {
    TRY(wait_for_fewer_than(kTransactionsInFlightMax, patience));
    std::lock_guard lock(mutex_);
    ++pending_;
    return {};
  }
  void end(const Result<Partition::Commit>& commit) {
    std::lock_guard lock(mutex_);
    if (commit) {
      sum_.lsn = std::max(sum_.lsn, commit->lsn);
      sum_.charge += commit->charge;
    } else if (!error_) {
      error_ = commit.error();
    }
    --pending_;
    changed_.notify_one();
  }
  bool has_failed() {
    std::lock_guard lock(mutex_);
    return error_.has_value();
  }
  // Waits for all: the newest of their LSNs, and what they cost together.
  Result<Partition::Commit> wait(const ErasePatience& patience) {
    TRY(wait_for_fewer_than(1, patience));
    std::lock_guard lock(mutex_);
    if (error_) return std::unexpected(*error_);
    return sum_;
  }

 private:
  Status wait_for_fewer_than(size_t bound, const ErasePatience& patience) {
    {
      std::lock_guard lock(mutex_);
      if (pending_ < bound) return {};
    }
    if (patience.turn != nullptr) patience.turn->step_aside();
    const Status waited = watch(bound, patience);
    if (patience.turn != nullptr) patience.turn->give_way();
    return waited;
  }

  // Nobody wakes up a thread whose client hangs up, so it looks.
  Status watch(size_t bound, const ErasePatience& patience) {
    constexpr std::chrono::milliseconds kLookInterval{50};
    std::unique_lock lock(mutex_);
    size_t pending = pending_;
    auto progress = std::chrono::steady_clock::now();
    while (!changed_.wait_for(lock, std::min(kLookInterval, patience.wait_max), [&] { return pending_ < bound; })) {
      if (patience.stop.stop_requested()) return fail(ErrorCode::kUnavailable, "The server is stopping.");
      if (patience.turn != nullptr && patience.turn->is_cancelled())
        return fail(ErrorCode::kUnavailable, "Nobody waits for the deletion any more.");
      const auto now = std::chrono::steady_clock::now();
      if (std::exchange(pending, pending_) != pending_) progress = now;
      if (now - progress < patience.wait_max) continue;
      return fail(ErrorCode::kUnavailable, "Scripts keep the partition key value for themselves.");
    }
    return {};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t pending_ = 0;  // guarded by mutex_, as all below
  Partition::Commit sum_{.lsn = {}, .charge = 0};
  std::optional<Error> error_;
};

// The first primary keys of a logical partition behind `after`.
Result<std::vector<std::string>> next_keys(const Location& at, const std::string& after) {
  return at.place->partition->item_keys(at.item_key, after, kErasedPerTransaction);
}

Result<Partition::Commit> walk(const Location& at, Lsn newest, const ErasePatience& patience) {
  const auto flight = std::make_shared<TransactionsInFlight>();
  std::string last;
  while (!flight->has_failed()) {
    if (patience.stop.stop_requested()) return fail(ErrorCode::kUnavailable, "The server is stopping.");
    if (patience.turn != nullptr) patience.turn->give_way();
    TRY_ASSIGN(std::vector<std::string> keys, next_keys(at, last));
    if (keys.empty()) break;
    last = keys.back();
    TRY(flight->begin(patience));
    // Once begun it is not stopped halfway for lack of budget.
    at.place->partition->transact(
        at.logical_partition, erasing(std::move(keys), newest),
        [flight](const Result<Partition::Commit>& commit) { flight->end(commit); }, Priority::kBackground,
        Partition::Length::kLong);
  }
  return flight->wait(patience);
}

// Whatever becomes of the partition meanwhile.
Result<KeyErased> erase_all(std::shared_ptr<const Container> container, const Erasure& erasure, const ErasePatience& patience) {
  while (container->definition.partition_key == erasure.definition) {
    const Location at = locate(*container, erasure.key, {});
    const Result<Partition::Commit> sum = walk(at, erasure.newest, patience);
    if (const std::shared_ptr<const Container> heir = heir_of(container, sum)) {
      container = heir;
      continue;
    }
    if (!sum) return std::unexpected(sum.error());
    return KeyErased{container, at.place, std::max(sum->lsn, erasure.newest), sum->charge};
  }
  return fail(ErrorCode::kPartitionGone, "The container's partition key has changed meanwhile.");
}

Result<KeyErased> carry_out(Catalog& catalog, const std::shared_ptr<const Container>& container, const Erasure& erasure,
                            const ErasePatience& patience) {
  Result<KeyErased> erased = erase_all(container, erasure, patience);
  // With another partition key, and without the container, there is nothing left to do.
  const bool is_over =
      erased || erased.error().code == ErrorCode::kPartitionGone || catalog.erasures().container_of(erasure) == nullptr;
  if (is_over) {
    TRY(catalog.erasures().end(erasure));
  } else {
    catalog.erasures().leave(erasure);
  }
  return erased;
}

}  // namespace

Result<KeyErased> erase_key(Catalog& catalog, const std::shared_ptr<const Container>& container, const PartitionKey& key,
                            const ErasePatience& patience) {
  const Location at = locate(*container, key, {});
  const Lsn newest = at.place->partition->counters().lsn;
  const Result<std::vector<std::string>> keys = next_keys(at, {});
  if (const std::shared_ptr<const Container> heir = heir_of(container, keys)) return erase_key(catalog, heir, key, patience);
  if (!keys) return std::unexpected(keys.error());
  if (keys->size() < kErasedPerTransaction) {
    Erasure at_once;
    at_once.key = key;
    at_once.definition = container->definition.partition_key;
    at_once.newest = newest;
    return erase_all(container, at_once, patience);
  }
  TRY_ASSIGN(const Erasure erasure, catalog.erasures().begin(*container, key, newest));
  Result<KeyErased> erased = carry_out(catalog, container, erasure, patience);
  if (erased || erased.error().code != ErrorCode::kThrottled) return erased;
  return fail(ErrorCode::kTimeout,
              "Scripts keep the partition key value for themselves. The deletion goes on in the background.");
}

Result<bool> finish_an_erasure(Catalog& catalog, const std::stop_token& stop, std::chrono::milliseconds wait_max) {
  const std::optional<Erasure> erasure = catalog.erasures().take();
  if (!erasure) return false;
  const std::shared_ptr<const Container> container = catalog.erasures().container_of(*erasure);
  const auto finish = [&]() -> Status {
    if (container == nullptr) return catalog.erasures().end(*erasure);
    TRY(carry_out(catalog, container, *erasure, {.turn = nullptr, .stop = stop, .wait_max = wait_max}));
    return {};
  };
  const Status finished = finish();
  if (!stop.stop_requested()) catalog.failures()->note(background::kEraseKey, subject_of(*erasure), finished);
  if (!finished) return std::unexpected(finished.error());
  return true;
}

}  // namespace partita
