#include "cluster/catalog/catalog.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

// The part of the catalog that keeps the journals of deletions of whole logical partitions.
namespace partita {
namespace {

constexpr std::string_view kErasureCounter = "erasure";

}  // namespace

Status Catalog::load_erasures() {
  return load_rows('e', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Erasure erasure, decode_erasure(json));
    const uint32_t number = erasure.number;
    erasures_[number] = {std::move(erasure), false};
    return {};
  });
}

Result<Erasure> Catalog::begin_erasure(const Container& container, const PartitionKey& key, Lsn newest) {
  TRY_ASSIGN(const auto changes, begin_change());
  TRY(check_is_current(container));
  WriteBatch batch(store_);
  Erasure erasure{.database = container.database->number,
                  .container = container.number,
                  .number = 0,
                  .key = key,
                  .definition = container.definition.partition_key,
                  .newest = newest};
  TRY_ASSIGN(erasure.number, next_number(kErasureCounter, batch));
  batch.put(Family::kCatalog, erasure_key(erasure), encode_erasure(erasure));
  TRY(commit(batch, [this, erasure] { erasures_[erasure.number] = {erasure, false}; }));
  erasures_[erasure.number].is_taken = true;
  return erasure;
}

Status Catalog::end_erasure(const Erasure& erasure) {
  TRY_ASSIGN(const auto changes, begin_change());
  WriteBatch batch(store_);
  batch.erase(Family::kCatalog, erasure_key(erasure));
  return commit(batch, [this, number = erasure.number] { erasures_.erase(number); });
}

void Catalog::leave_erasure(const Erasure& erasure) {
  std::lock_guard changes(changes_);
  std::unique_lock lock(mutex_);
  if (const auto pending = erasures_.find(erasure.number); pending != erasures_.end()) pending->second.is_taken = false;
}

std::optional<Erasure> Catalog::take_erasure() {
  std::lock_guard changes(changes_);
  if (!settle()) return std::nullopt;
  std::unique_lock lock(mutex_);
  for (auto& [number, pending] : erasures_) {
    if (pending.is_taken || !failures_->is_due(background::kEraseKey, subject_of(pending.erasure))) continue;
    pending.is_taken = true;
    return pending.erasure;
  }
  return std::nullopt;
}

std::string subject_of(const Erasure& erasure) {
  return fmt::format("database {}, container {}, deletion {}", erasure.database, erasure.container, erasure.number);
}

std::shared_ptr<const Container> Catalog::container_of(const Erasure& erasure) const {
  const auto lock = reading();
  const auto database = databases_.find(erasure.database);
  if (database == databases_.end()) return nullptr;
  const auto container = database->second.containers.find(erasure.container);
  return container == database->second.containers.end() ? nullptr : container->second;
}

}  // namespace partita
