#include "gateway/items/erase_key.h"

#include "gateway/items/location.h"

#include <algorithm>
#include <condition_variable>
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

// TransactionsInFlight: those of one walk over a logical partition. Thread-safe; begin() waits while there are many.
class TransactionsInFlight {
 public:
  void begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pending_ < kTransactionsInFlightMax; });
    ++pending_;
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
  Result<Partition::Commit> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pending_ == 0; });
    if (error_) return std::unexpected(*error_);
    return sum_;
  }

 private:
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

Result<Partition::Commit> walk(const Location& at, Lsn newest, const std::stop_token& stop) {
  TransactionsInFlight flight;
  const auto issue_all = [&]() -> Status {
    std::string last;
    while (!flight.has_failed()) {
      if (stop.stop_requested()) return fail(ErrorCode::kUnavailable, "The server is stopping.");
      TRY_ASSIGN(std::vector<std::string> keys, next_keys(at, last));
      if (keys.empty()) break;
      last = keys.back();
      flight.begin();
      // Once begun it is not stopped halfway for lack of budget.
      at.place->partition->transact(
          at.logical_partition, erasing(std::move(keys), newest),
          [&flight](const Result<Partition::Commit>& commit) { flight.end(commit); }, Priority::kBackground,
          Partition::Length::kLong);
    }
    return {};
  };
  const Status issued = issue_all();
  Result<Partition::Commit> sum = flight.wait();
  if (!issued) return std::unexpected(issued.error());
  return sum;
}

// Whatever becomes of the partition meanwhile.
Result<KeyErased> erase_all(std::shared_ptr<const Container> container, const Erasure& erasure,
                            const std::stop_token& stop = {}) {
  while (container->definition.partition_key == erasure.definition) {
    const Location at = locate(*container, erasure.key, {});
    const Result<Partition::Commit> sum = walk(at, erasure.newest, stop);
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
                            const std::stop_token& stop = {}) {
  Result<KeyErased> erased = erase_all(container, erasure, stop);
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

Result<KeyErased> erase_key(Catalog& catalog, const std::shared_ptr<const Container>& container, const PartitionKey& key) {
  const Location at = locate(*container, key, {});
  const Lsn newest = at.place->partition->counters().lsn;
  const Result<std::vector<std::string>> keys = next_keys(at, {});
  if (const std::shared_ptr<const Container> heir = heir_of(container, keys)) return erase_key(catalog, heir, key);
  if (!keys) return std::unexpected(keys.error());
  if (keys->size() < kErasedPerTransaction) {
    Erasure at_once;
    at_once.key = key;
    at_once.definition = container->definition.partition_key;
    at_once.newest = newest;
    return erase_all(container, at_once);
  }
  TRY_ASSIGN(const Erasure erasure, catalog.erasures().begin(*container, key, newest));
  return carry_out(catalog, container, erasure);
}

Result<bool> finish_an_erasure(Catalog& catalog, const std::stop_token& stop) {
  const std::optional<Erasure> erasure = catalog.erasures().take();
  if (!erasure) return false;
  const std::shared_ptr<const Container> container = catalog.erasures().container_of(*erasure);
  const auto finish = [&]() -> Status {
    if (container == nullptr) return catalog.erasures().end(*erasure);
    TRY(carry_out(catalog, container, *erasure, stop));
    return {};
  };
  const Status finished = finish();
  if (!stop.stop_requested()) catalog.failures()->note(background::kEraseKey, subject_of(*erasure), finished);
  if (!finished) return std::unexpected(finished.error());
  return true;
}

}  // namespace partita
