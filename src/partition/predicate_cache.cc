#include "partition/predicate_cache.h"

#include "base/must_not_wait.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

constexpr size_t kPredicatesMax = 256;
// One that would drive out too many others is not kept.
constexpr size_t kLargeShare = 4;

}  // namespace

std::optional<PredicateCache::Matches> PredicateCache::find(std::string_view predicate) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(predicate);
  if (entry == entries_.end()) return std::nullopt;
  entry->second.asked_at = ++asked_;
  return entry->second.matches;
}

void PredicateCache::insert(std::string_view predicate, Matches matches) {
  if (MustNotWait::was_refused()) return;  // not all of them may have been read
  std::lock_guard lock(mutex_);
  if (const auto before = entries_.find(predicate); before != entries_.end()) {
    if (before->second.matches && before->second.matches->shown > matches.shown) return;
    drop(before);
  }
  const size_t bytes = matches.documents->bytes() + matches.changed->bytes();
  if (bytes <= bytes_max_ / kLargeShare && take_room(bytes)) entry_of(predicate).matches = std::move(matches);
}

void PredicateCache::forget(std::string_view predicate) {
  std::lock_guard lock(mutex_);
  if (const auto entry = entries_.find(predicate); entry != entries_.end()) drop(entry);
}

void PredicateCache::note_vain_loads(std::string_view predicate, uint64_t loads) {
  std::lock_guard lock(mutex_);
  entry_of(predicate).vain_loads += loads;
}

uint64_t PredicateCache::vain_loads(std::string_view predicate) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(predicate);
  return entry == entries_.end() ? 0 : entry->second.vain_loads;
}

PredicateCache::Entry& PredicateCache::entry_of(std::string_view predicate) {
  auto entry = entries_.find(predicate);
  if (entry == entries_.end()) {
    if (entries_.size() == kPredicatesMax) drop_oldest();
    entry = entries_.try_emplace(std::string(predicate)).first;
  }
  entry->second.asked_at = ++asked_;
  return entry->second;
}

// At the cost of older matches of this partition; those of others stay.
bool PredicateCache::take_room(size_t bytes) {
  if (bytes > bytes_ + budget_->left()) return false;
  while (bytes_ + bytes > bytes_max_ || !budget_->take(bytes)) {
    if (entries_.empty()) return false;
    drop_oldest();
  }
  bytes_ += bytes;
  return true;
}

void PredicateCache::drop(Entries::iterator entry) {
  const size_t bytes = entry->second.bytes();
  budget_->give_back(bytes);
  bytes_ -= bytes;
  entries_.erase(entry);
}

void PredicateCache::drop_oldest() {
  drop(std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.asked_at; }));
}

}  // namespace partita
