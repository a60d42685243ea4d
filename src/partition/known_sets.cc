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
  if (const auto before = entries_.find(demand); before != entries_.end()) {
    if (before->second.known && before->second.known->shown > known.shown) return;
    drop(before);
  }
  const size_t bytes = known.met->bytes() + known.changed->bytes();
  if (bytes <= bytes_max_ / kLargeShare && take_room(bytes)) entry_of(demand).known = std::move(known);
}

void KnownSets::forget(std::string_view demand) {
  std::lock_guard lock(mutex_);
  if (const auto entry = entries_.find(demand); entry != entries_.end()) drop(entry);
}

void KnownSets::note_vain_loads(std::string_view demand, uint64_t loads) {
  std::lock_guard lock(mutex_);
  entry_of(demand).vain_loads += loads;
}

uint64_t KnownSets::vain_loads(std::string_view demand) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(demand);
  return entry == entries_.end() ? 0 : entry->second.vain_loads;
}

KnownSets::Entry& KnownSets::entry_of(std::string_view demand) {
  auto entry = entries_.find(demand);
  if (entry == entries_.end()) {
    if (entries_.size() == kDemandsMax) drop_oldest();
    entry = entries_.try_emplace(std::string(demand)).first;
  }
  entry->second.asked_at = ++asked_;
  return entry->second;
}

// At the cost of older sets of this partition; those of others stay.
bool KnownSets::take_room(size_t bytes) {
  if (bytes > bytes_ + room_->left()) return false;
  while (bytes_ + bytes > bytes_max_ || !room_->take(bytes)) {
    if (entries_.empty()) return false;
    drop_oldest();
  }
  bytes_ += bytes;
  return true;
}

void KnownSets::drop(Entries::iterator entry) {
  const size_t bytes = entry->second.bytes();
  room_->give_back(bytes);
  bytes_ -= bytes;
  entries_.erase(entry);
}

void KnownSets::drop_oldest() {
  drop(std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.asked_at; }));
}

}  // namespace partita
