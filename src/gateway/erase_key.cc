#include "gateway/erase_key.h"

#include "base/prefix_end.h"
#include "gateway/location.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partita {
namespace {

constexpr size_t kErasedPerTransaction = 100;

// ErasingInFlight: shared by the transactions of one deletion; the last one to become durable answers. Thread-safe.
class ErasingInFlight {
 public:
  ErasingInFlight(std::shared_ptr<const Container> container, const PartitionPlace* place,
                  std::move_only_function<void(Result<KeyErased>)> callback)
      : container_(std::move(container)), erased_{.place = place, .lsn = {}, .charge = 0}, callback_(std::move(callback)) {}

  void begin_one() {
    std::lock_guard lock(mutex_);
    ++pending_;
  }

  void end_one(const Result<Partition::Commit>& commit) {
    std::unique_lock lock(mutex_);
    if (commit) {
      erased_.lsn = std::max(erased_.lsn, commit->lsn);
      erased_.charge += commit->charge;
    } else if (!error_) {
      error_ = commit.error();
    }
    if (--pending_ > 0) return;
    lock.unlock();
    if (error_) return callback_(std::unexpected(*error_));
    callback_(erased_);
  }

  void fail_one(Error error) { end_one(std::unexpected(std::move(error))); }

 private:
  const std::shared_ptr<const Container> container_;  // keeps the place alive
  std::mutex mutex_;
  size_t pending_ = 0;
  KeyErased erased_;
  std::optional<Error> error_;
  std::move_only_function<void(Result<KeyErased>)> callback_;
};

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

}  // namespace

void erase_key(const std::shared_ptr<const Container>& container, const PartitionKey& key,
               std::move_only_function<void(Result<KeyErased>)> callback) {
  const Location at = locate(*container, key, {});
  Partition& partition = *at.place->partition;
  const Lsn newest = partition.counters().lsn;
  const auto flight = std::make_shared<ErasingInFlight>(container, at.place, std::move(callback));
  flight->begin_one();  // the walk itself
  const auto erase = [&](std::vector<std::string> item_keys) {
    flight->begin_one();
    // Once begun it is not stopped halfway for lack of budget.
    partition.transact(
        at.logical_partition, erasing(std::move(item_keys), newest),
        [flight](const Result<Partition::Commit>& commit) { flight->end_one(commit); }, Priority::kBackground);
  };
  const Slice slice = partition.slice();
  Cursor cursor = slice.store().cursor(Family::kKeys, at.item_key, prefix_end(at.item_key));
  std::vector<std::string> item_keys;
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    item_keys.emplace_back(cursor.key());
    if (item_keys.size() == kErasedPerTransaction) erase(std::exchange(item_keys, {}));
  }
  if (!item_keys.empty()) erase(std::move(item_keys));
  if (Status status = cursor.status(); !status) return flight->fail_one(std::move(status).error());
  flight->end_one(Partition::Commit{.lsn = newest, .charge = 0});
}

}  // namespace partita
