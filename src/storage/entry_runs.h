#pragma once

#include "storage/entry_key.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace partita {

// EntryRuns: the entries of one memtable that is written far more often than searched.
//
// An entry that comes waits, unsorted, until they are many or somebody reads. Then they are sorted together, into a run that
// never changes, and a reader goes through all runs at once. Sorting thousands takes a quarter of the time in which each would
// find its place in a tree, which is in no cache by then.
//
// Whoever searches pays for every run. Once searches have paid as much as it takes to merge all runs into one, that is done; and
// also for whoever begins at the first entry, because that one means to read all of them.
//
// One thread inserts; any number of threads read at the same time. Nothing is ever removed. Entries belong to the caller and
// outlive this.
class EntryRuns {
 public:
  EntryRuns();

  // REQUIRES: no entry with the same key is there.
  void insert(const char* entry);

  // These are safe to call from any thread.
  size_t bytes() const { return size() * sizeof(const char*); }
  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // How many entries are in [from, to).
  uint64_t count_between(const EntryKey& from, const EntryKey& to);

 private:
  using Run = std::vector<const char*>;
  using Runs = std::vector<std::shared_ptr<const Run>>;

 public:
  // Cursor: a position among the entries that were there when it was made.
  class Cursor {
   public:
    explicit Cursor(EntryRuns& entries) : entries_(&entries), runs_(entries.runs()) {}

    bool valid() const { return !places_.empty(); }
    const char* entry() const { return *places_.front().at; }
    void next();
    void previous();
    void seek(const EntryKey& at_or_after);
    void seek_first();
    void seek_last();

   private:
    // Where it stands in one run.
    struct Place {
      const char* const* begin;
      const char* const* at;
      const char* const* end;
    };
    template <typename Choose>
    void stand(const Choose& choose);
    void stand_before(const EntryKey& key);
    bool is_nearer(const Place& left, const Place& right) const;
    void leave_nearest(bool is_at_its_end);

    EntryRuns* entries_;
    std::shared_ptr<const Runs> runs_;
    bool goes_back_ = false;
    std::vector<Place> places_;  // a heap of those that have an entry in this direction, the nearest in front
  };

 private:
  // All that is there, in runs.
  std::shared_ptr<const Runs> runs();
  std::shared_ptr<const Runs> one_run();
  std::shared_ptr<const Runs> merge(std::unique_lock<std::mutex>& lock);
  void sort_waiting();

  std::atomic<size_t> size_{0};
  std::atomic<uint64_t> searched_runs_{0};  // since the last merge

  std::mutex mutex_;  // guards what follows
  Run waiting_;
  std::shared_ptr<const Runs> runs_;  // oldest first
  bool is_merging_ = false;           // the runs of that moment; only new ones may come meanwhile
};

}  // namespace partita
