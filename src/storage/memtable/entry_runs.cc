#include "storage/memtable/entry_runs.h"

#include <algorithm>
#include <span>
#include <utility>

namespace partita {
namespace {

// So many are sorted, or few enough for the tree put there, in about a millisecond, which the writer or a reader waits for.
constexpr size_t kWaitingMax = 8192;
constexpr size_t kFewForTreeMax = 2048;
// In the time of one search in one run so many entries can be sorted, or so many pointers to sorted ones copied.
constexpr uint64_t kSortedPerSearch = 2;
constexpr uint64_t kCopiedPerSearch = 128;
// Not worth another look at their words.
constexpr size_t kFewMax = 6;
// Entries that follow each other in order lie anywhere: so many before one is reached, it is fetched from memory.
constexpr ptrdiff_t kFetchedAhead = 8;

using Run = std::vector<const char*>;

// An entry and a part of its key, so that most comparisons need not look at the entry.
struct Keyed {
  uint64_t word;
  const char* entry;
};

bool is_before(const char* left, const char* right) { return compare(EntryKey::of(left), EntryKey::of(right)) < 0; }

// REQUIRES: the keys are equal up to `offset`, which lies in none's trailer.
void sort_from(std::span<Keyed> rows, uint32_t offset) {
  bool is_any_different = false;
  for (Keyed& row : rows) {
    row.word = EntryKey::of(row.entry).word_at(offset);
    is_any_different |= row.word != rows.front().word;
  }
  if (is_any_different) std::ranges::sort(rows, {}, &Keyed::word);
  const uint32_t behind = offset + sizeof(Keyed::word);
  const auto reaches_behind = [&](const Keyed& row) { return EntryKey::of(row.entry).user_key().size() >= behind; };
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin + 1, rows.end(), [&](const Keyed& row) { return row.word != begin->word; });
    const std::span<Keyed> equal(begin, end);
    if (equal.size() > kFewMax && std::ranges::all_of(equal, reaches_behind)) {
      sort_from(equal, behind);
    } else if (equal.size() > 1) {
      std::ranges::sort(equal, is_before, &Keyed::entry);
    }
    begin = end;
  }
}

Run sorted(std::vector<Keyed> rows) {
  sort_from(rows, 0);
  Run run(rows.size());
  std::ranges::transform(rows, run.begin(), &Keyed::entry);
  return run;
}

void add(std::vector<Keyed>& rows, const Run& run) {
  for (const char* entry : run) rows.push_back({0, entry});
}

// The first of [begin, end) that is not before `entry`; quick when it is near.
const char* const* gallop(const char* const* begin, const char* const* end, const char* entry) {
  ptrdiff_t step = 1;
  while (end - begin > step && is_before(begin[step], entry)) {
    begin += step;
    step *= 2;
  }
  return std::partition_point(begin, std::min(begin + step, end), [&](const char* each) { return is_before(each, entry); });
}

Run merged(const Run& base, const Run& fresh) {
  Run all;
  all.reserve(base.size() + fresh.size());
  const char* const* at = base.data();
  const char* const* end = at + base.size();
  for (const char* entry : fresh) {
    const char* const* behind = gallop(at, end, entry);
    all.insert(all.end(), at, behind);
    all.push_back(entry);
    at = behind;
  }
  all.insert(all.end(), at, end);
  return all;
}

// What is new is sorted anew, and finds its places in the largest run, most of which is copied as it is.
std::shared_ptr<const Run> merged(std::span<const std::shared_ptr<const Run>> runs) {
  const auto base = std::ranges::max_element(runs, {}, &Run::size);
  size_t all = 0;
  for (const auto& run : runs) all += run->size();
  std::vector<Keyed> rows;
  rows.reserve(all - (*base)->size());
  for (const auto& run : runs) {
    if (run != *base) add(rows, *run);
  }
  return std::make_shared<const Run>(merged(**base, sorted(std::move(rows))));
}

// In searches of one run.
uint64_t price_of_merging(std::span<const std::shared_ptr<const Run>> runs) {
  size_t all = 0;
  size_t largest = 0;
  for (const auto& run : runs) {
    all += run->size();
    largest = std::max(largest, run->size());
  }
  return (all - largest) / kSortedPerSearch + all / kCopiedPerSearch;
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
  std::vector<Keyed> rows;
  rows.reserve(waiting_.size());
  add(rows, waiting_);
  waiting_.clear();
  Runs runs = *runs_;
  runs.push_back(std::make_shared<const Run>(sorted(std::move(rows))));
  runs_ = std::make_shared<const Runs>(std::move(runs));
}

// REQUIRES: mutex_ is held.
void EntryRuns::place_waiting() {
  if (waiting_.size() > kFewForTreeMax) return sort_waiting();
  for (const char* entry : waiting_) tree_.insert(entry);
  waiting_.clear();
}

std::shared_ptr<const EntryRuns::Runs> EntryRuns::runs() {
  std::unique_lock lock(mutex_);
  place_waiting();
  return searched_runs_.load(std::memory_order_relaxed) > price_of_merging(*runs_) ? merge(lock) : runs_;
}

std::shared_ptr<const EntryRuns::Runs> EntryRuns::one_run() {
  std::unique_lock lock(mutex_);
  place_waiting();
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
  const std::shared_ptr<const Runs> all = runs();
  uint64_t count = tree_.count_between(from, to);
  for (const auto& run : *all) {
    const char* const* begin = run->data();
    const char* const* end = begin + run->size();
    const char* const* first = lower_bound(begin, end, from);
    count += static_cast<uint64_t>(std::max<ptrdiff_t>(lower_bound(begin, end, to) - first, 0));
  }
  return count;
}

// In every run where `choose` says; its end: this run has no entry in this direction.
template <typename Choose>
void EntryRuns::Cursor::stand_in_runs(const Choose& choose) {
  in_runs_.clear();
  for (const auto& run : *runs_) {
    Place place{run->data(), nullptr, run->data() + run->size()};
    place.at = choose(place);
    if (place.at != place.end) in_runs_.push_back(place);
  }
  std::ranges::make_heap(in_runs_, [this](const Place& left, const Place& right) { return is_nearer(*right.at, *left.at); });
  compare_with_tree();
}

bool EntryRuns::Cursor::is_nearer(const char* left, const char* right) const {
  return goes_back_ ? is_before(right, left) : is_before(left, right);
}

void EntryRuns::Cursor::compare_with_tree() {
  is_tree_nearest_ = in_tree_.valid() && (in_runs_.empty() || is_nearer(in_tree_.entry(), *in_runs_.front().at));
}

void EntryRuns::Cursor::seek(const EntryKey& at_or_after) {
  entries_->pay_for(*runs_);
  goes_back_ = false;
  in_tree_.seek(at_or_after);
  stand_in_runs([&](const Place& place) { return lower_bound(place.begin, place.end, at_or_after); });
}

void EntryRuns::Cursor::stand_before(const EntryKey& key) {
  entries_->pay_for(*runs_);
  goes_back_ = true;
  in_tree_.seek(key);
  in_tree_.valid() ? in_tree_.previous() : in_tree_.seek_last();
  stand_in_runs([&](const Place& place) {
    const char* const* behind = lower_bound(place.begin, place.end, key);
    return behind == place.begin ? place.end : behind - 1;
  });
}

void EntryRuns::Cursor::seek_first() {
  runs_ = entries_->one_run();
  goes_back_ = false;
  in_tree_.seek_first();
  stand_in_runs([](const Place& place) { return place.begin; });
}

void EntryRuns::Cursor::seek_last() {
  goes_back_ = true;
  in_tree_.seek_last();
  stand_in_runs([](const Place& place) { return place.end - 1; });
}

void EntryRuns::Cursor::next() {
  if (goes_back_) seek(EntryKey::of(entry()));
  if (is_tree_nearest_) {
    in_tree_.next();
  } else {
    Place& nearest = in_runs_.front();
    if (nearest.end - nearest.at > kFetchedAhead) __builtin_prefetch(nearest.at[kFetchedAhead]);
    leave_nearest_place(++nearest.at == nearest.end);
  }
  compare_with_tree();
}

void EntryRuns::Cursor::previous() {
  if (!goes_back_) return stand_before(EntryKey::of(entry()));
  if (is_tree_nearest_) {
    in_tree_.previous();
  } else {
    Place& nearest = in_runs_.front();
    const bool is_at_its_end = nearest.at == nearest.begin;
    if (!is_at_its_end) --nearest.at;
    leave_nearest_place(is_at_its_end);
  }
  compare_with_tree();
}

// The place in front has moved on, or has come to the end of its run.
void EntryRuns::Cursor::leave_nearest_place(bool is_at_its_end) {
  if (is_at_its_end) {
    in_runs_.front() = in_runs_.back();
    in_runs_.pop_back();
  }
  for (size_t hole = 0, child = 1; child < in_runs_.size(); child = 2 * hole + 1) {
    if (child + 1 < in_runs_.size() && is_nearer(*in_runs_[child + 1].at, *in_runs_[child].at)) ++child;
    if (!is_nearer(*in_runs_[child].at, *in_runs_[hole].at)) return;
    std::swap(in_runs_[hole], in_runs_[child]);
    hole = child;
  }
}

}  // namespace partita
