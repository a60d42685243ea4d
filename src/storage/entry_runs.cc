#include "storage/entry_runs.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace partita {
namespace {

// So many are sorted in about a millisecond, which the writer or a reader waits for.
constexpr size_t kWaitingMax = 8192;
// A reader after every write makes tiny runs. Eight of one level become one of the next; the last level is left to readers.
constexpr std::array<size_t, 3> kLevelSizes = {kWaitingMax / 32, kWaitingMax / 4, kWaitingMax};
constexpr size_t kRunsPerLevel = 8;
// How many entries can be sorted in the time of one search in one run.
constexpr uint64_t kSortedPerSearch = 2;
constexpr size_t kFew = 6;
// Entries that follow each other in order lie anywhere: so many before one is reached, it is fetched from memory.
constexpr ptrdiff_t kFetchedAhead = 8;

// An entry and a part of its key, so that most comparisons need not look at the entry.
struct Keyed {
  uint64_t word;
  const char* entry;
};

bool is_before(const char* left, const char* right) { return compare(EntryKey::of(left), EntryKey::of(right)) < 0; }

// REQUIRES: the keys are equal up to `offset`, which lies in none's trailer.
void sort_from(std::span<Keyed> rows, uint32_t offset) {
  for (Keyed& row : rows) row.word = EntryKey::of(row.entry).word_at(offset);
  std::ranges::sort(rows, {}, &Keyed::word);
  const uint32_t behind = offset + sizeof(Keyed::word);
  const auto reaches_behind = [&](const Keyed& row) { return EntryKey::of(row.entry).user_key().size() >= behind; };
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin + 1, rows.end(), [&](const Keyed& row) { return row.word != begin->word; });
    const std::span<Keyed> equal(begin, end);
    if (equal.size() > kFew && std::ranges::all_of(equal, reaches_behind)) {
      sort_from(equal, behind);
    } else if (equal.size() > 1) {
      std::ranges::sort(equal, is_before, &Keyed::entry);
    }
    begin = end;
  }
}

std::vector<const char*> sorted(std::vector<Keyed> rows) {
  sort_from(rows, 0);
  std::vector<const char*> run(rows.size());
  std::ranges::transform(rows, run.begin(), &Keyed::entry);
  return run;
}

void add(std::vector<Keyed>& rows, const std::vector<const char*>& run) {
  for (const char* entry : run) rows.push_back({0, entry});
}

std::shared_ptr<const std::vector<const char*>> merged(std::span<const std::shared_ptr<const std::vector<const char*>>> runs) {
  std::vector<Keyed> rows;
  size_t size = 0;
  for (const auto& run : runs) size += run->size();
  rows.reserve(size);
  for (const auto& run : runs) add(rows, *run);
  return std::make_shared<const std::vector<const char*>>(sorted(std::move(rows)));
}

size_t level_of(size_t entries) {
  return static_cast<size_t>(std::ranges::upper_bound(kLevelSizes, entries) - kLevelSizes.begin());
}

// How many of the newest runs should become one; 0: none.
size_t count_to_merge(std::span<const std::shared_ptr<const std::vector<const char*>>> runs) {
  const size_t level = level_of(runs.back()->size());
  if (level == kLevelSizes.size()) return 0;
  const auto larger = std::find_if(runs.rbegin(), runs.rend(), [&](const auto& run) { return level_of(run->size()) > level; });
  const auto count = static_cast<size_t>(larger - runs.rbegin());
  return count >= kRunsPerLevel ? count : 0;
}

const char* const* lower_bound(const char* const* begin, const char* const* end, const EntryKey& key) {
  return std::partition_point(begin, end, [&](const char* entry) { return compare(EntryKey::of(entry), key) < 0; });
}

}  // namespace

EntryRuns::EntryRuns() : runs_(std::make_shared<const Runs>()) {}

void EntryRuns::insert(const char* entry) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(entry);
  size_.store(size() + 1, std::memory_order_relaxed);
  if (waiting_.size() >= kWaitingMax) sort_waiting();
}

// REQUIRES: mutex_ is held.
void EntryRuns::sort_waiting() {
  if (waiting_.empty()) return;
  std::vector<Keyed> rows;
  rows.reserve(waiting_.size());
  add(rows, waiting_);
  waiting_.clear();
  Runs runs = *runs_;
  runs.push_back(std::make_shared<const Run>(sorted(std::move(rows))));
  while (!is_merging_) {
    const size_t count = count_to_merge(runs);
    if (count == 0) break;
    const size_t kept = runs.size() - count;
    auto newest = merged(std::span(runs).subspan(kept));
    runs.resize(kept);
    runs.push_back(std::move(newest));
  }
  runs_ = std::make_shared<const Runs>(std::move(runs));
}

std::shared_ptr<const EntryRuns::Runs> EntryRuns::runs() {
  std::unique_lock lock(mutex_);
  sort_waiting();
  const bool is_worth_it = searched_runs_.load(std::memory_order_relaxed) * kSortedPerSearch >= size();
  return is_worth_it ? merge(lock) : runs_;
}

std::shared_ptr<const EntryRuns::Runs> EntryRuns::one_run() {
  std::unique_lock lock(mutex_);
  sort_waiting();
  return merge(lock);
}

// Writers and other readers go on meanwhile.
std::shared_ptr<const EntryRuns::Runs> EntryRuns::merge(std::unique_lock<std::mutex>& lock) {
  if (is_merging_ || runs_->size() < 2) return runs_;
  const std::shared_ptr<const Runs> old = runs_;
  is_merging_ = true;
  lock.unlock();
  Runs runs = {merged(*old)};
  lock.lock();
  is_merging_ = false;
  searched_runs_.store(0, std::memory_order_relaxed);
  runs.insert(runs.end(), runs_->begin() + static_cast<ptrdiff_t>(old->size()), runs_->end());
  runs_ = std::make_shared<const Runs>(std::move(runs));
  return runs_;
}

uint64_t EntryRuns::count_between(const EntryKey& from, const EntryKey& to) {
  uint64_t count = 0;
  for (const auto& run : *runs()) {
    const char* const* begin = run->data();
    const char* const* end = begin + run->size();
    const char* const* first = lower_bound(begin, end, from);
    count += static_cast<uint64_t>(std::max<ptrdiff_t>(lower_bound(begin, end, to) - first, 0));
  }
  return count;
}

// In every run where `choose` says; its end: this run has no entry in this direction.
template <typename Choose>
void EntryRuns::Cursor::stand(const Choose& choose) {
  places_.clear();
  for (const auto& run : *runs_) {
    Place place{run->data(), nullptr, run->data() + run->size()};
    place.at = choose(place);
    if (place.at != place.end) places_.push_back(place);
  }
  std::ranges::make_heap(places_, [this](const Place& left, const Place& right) { return is_nearer(right, left); });
}

bool EntryRuns::Cursor::is_nearer(const Place& left, const Place& right) const {
  return goes_back_ ? is_before(*right.at, *left.at) : is_before(*left.at, *right.at);
}

void EntryRuns::Cursor::seek(const EntryKey& at_or_after) {
  entries_->searched_runs_.fetch_add(runs_->size(), std::memory_order_relaxed);
  goes_back_ = false;
  stand([&](const Place& place) { return lower_bound(place.begin, place.end, at_or_after); });
}

void EntryRuns::Cursor::stand_before(const EntryKey& key) {
  entries_->searched_runs_.fetch_add(runs_->size(), std::memory_order_relaxed);
  goes_back_ = true;
  stand([&](const Place& place) {
    const char* const* behind = lower_bound(place.begin, place.end, key);
    return behind == place.begin ? place.end : behind - 1;
  });
}

void EntryRuns::Cursor::seek_first() {
  runs_ = entries_->one_run();
  goes_back_ = false;
  stand([](const Place& place) { return place.begin; });
}

void EntryRuns::Cursor::seek_last() {
  goes_back_ = true;
  stand([](const Place& place) { return place.end - 1; });
}

void EntryRuns::Cursor::next() {
  if (goes_back_) seek(EntryKey::of(entry()));
  Place& nearest = places_.front();
  if (nearest.end - nearest.at > kFetchedAhead) __builtin_prefetch(nearest.at[kFetchedAhead]);
  leave_nearest(++nearest.at == nearest.end);
}

void EntryRuns::Cursor::previous() {
  if (!goes_back_) return stand_before(EntryKey::of(entry()));
  Place& nearest = places_.front();
  const bool is_at_its_end = nearest.at == nearest.begin;
  if (!is_at_its_end) --nearest.at;
  leave_nearest(is_at_its_end);
}

// The place in front has moved on, or has come to the end of its run.
void EntryRuns::Cursor::leave_nearest(bool is_at_its_end) {
  if (is_at_its_end) {
    places_.front() = places_.back();
    places_.pop_back();
  }
  for (size_t hole = 0, child = 1; child < places_.size(); child = 2 * hole + 1) {
    if (child + 1 < places_.size() && is_nearer(places_[child + 1], places_[child])) ++child;
    if (!is_nearer(places_[child], places_[hole])) return;
    std::swap(places_[hole], places_[child]);
    hole = child;
  }
}

}  // namespace partita
