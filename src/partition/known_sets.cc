#include "partition/known_sets.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

constexpr size_t kDemandsMax = 256;
// One that would drive out too many others is not kept.
constexpr size_t kLargeShare = 4;

}  // namespace

std::optional<KnownSets::Known> KnownSets::find(std::string_view demand) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(demand);
  if (entry == entries_.end()) return std::nullopt;
  entry->second.asked_at = ++asked_;
  return entry->second.known;
}

void KnownSets::insert(std::string_view demand, Known known) {
  std::lock_guard lock(mutex_);
  Entry& entry = entry_of(demand);
  if (entry.known && entry.known->shown > known.shown) return;
  bytes_ -= entry.bytes();
  entry.known = std::move(known);
  if (entry.bytes() > bytes_max_ / kLargeShare) entry.known.reset();
  entry.vain_loads = 0;
  bytes_ += entry.bytes();
  make_room();
}

void KnownSets::forget(std::string_view demand) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(demand);
  if (entry == entries_.end()) return;
  bytes_ -= entry->second.bytes();
  entries_.erase(entry);
}

void KnownSets::note_vain_loads(std::string_view demand, uint64_t loads) {
  std::lock_guard lock(mutex_);
  entry_of(demand).vain_loads += loads;
  make_room();
}

uint64_t KnownSets::vain_loads(std::string_view demand) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(demand);
  return entry == entries_.end() ? 0 : entry->second.vain_loads;
}

KnownSets::Entry& KnownSets::entry_of(std::string_view demand) {
  auto entry = entries_.find(demand);
  if (entry == entries_.end()) entry = entries_.try_emplace(std::string(demand)).first;
  entry->second.asked_at = ++asked_;
  return entry->second;
}

void KnownSets::make_room() {
  while (entries_.size() > kDemandsMax || bytes_ > bytes_max_) {
    const auto oldest = std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.asked_at; });
    bytes_ -= oldest->second.bytes();
    entries_.erase(oldest);
  }
}

}  // namespace partita
