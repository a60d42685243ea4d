#include "cluster/catalog/erasures.h"

#include <fmt/format.h>

namespace partita {
namespace {

constexpr std::string_view kErasureCounter = "erasure";

}  // namespace

Status Erasures::load() {
  return changes_.for_each_record('e', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Erasure erasure, decode_erasure(json));
    const uint32_t number = erasure.number;
    journals_[number] = {std::move(erasure), false};
    return {};
  });
}

Result<Erasure> Erasures::begin(const Container& container, const PartitionKey& key, Lsn newest) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY(check_is_current(map_, container));
  WriteBatch batch(changes_.store());
  Erasure erasure{.database = container.database->number,
                  .container = container.number,
                  .number = 0,
                  .key = key,
                  .definition = container.definition.partition_key,
                  .newest = newest};
  TRY_ASSIGN(erasure.number, changes_.next_number(kErasureCounter, batch));
  batch.put(Family::kCatalog, erasure_key(erasure), encode_erasure(erasure));
  TRY(changes_.commit(batch, [this, erasure] { journals_[erasure.number] = {erasure, false}; }));
  journals_[erasure.number].is_taken = true;
  return erasure;
}

Status Erasures::end(const Erasure& erasure) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  WriteBatch batch(changes_.store());
  batch.erase(Family::kCatalog, erasure_key(erasure));
  return changes_.commit(batch, [this, number = erasure.number] { journals_.erase(number); });
}

void Erasures::leave(const Erasure& erasure) {
  const auto changes = changes_.hold();
  if (const auto journal = journals_.find(erasure.number); journal != journals_.end()) journal->second.is_taken = false;
}

std::optional<Erasure> Erasures::take() {
  const auto changes = changes_.begin();
  if (!changes) return std::nullopt;
  for (auto& [number, journal] : journals_) {
    if (journal.is_taken || !changes_.failures()->is_due(background::kEraseKey, subject_of(journal.erasure))) continue;
    journal.is_taken = true;
    return journal.erasure;
  }
  return std::nullopt;
}

std::string subject_of(const Erasure& erasure) {
  return fmt::format("database {}, container {}, deletion {}", erasure.database, erasure.container, erasure.number);
}

std::shared_ptr<const Container> Erasures::container_of(const Erasure& erasure) const {
  const auto lock = changes_.reading();
  return map_.find(erasure.database, erasure.container);
}

}  // namespace partita
