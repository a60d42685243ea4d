#pragma once

#include "storage/memtable/entry_key.h"
#include "storage/memtable/entry_tree.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace partita {

// EntryRuns: the entries of one memtable that is written far more often than searched.
//
// An entry that comes waits, unsorted, until they are many or somebody reads. Many are sorted together, into a run that never
// changes: that takes a quarter of the time in which each would find its place in a tree, which is in no cache by then. The few
// that wait when somebody reads go into a tree. A reader goes through the tree and all runs at once.
//
// Whoever searches pays for every run but one. Once searches have paid as much as it takes to merge all runs, that is done; and
// also for whoever begins at the first entry, because that one means to read all of them.
//
// One thread inserts; any number of threads read at the same time. Nothing is ever removed. Entries belong to the caller and
// outlive this.
class EntryRuns {
 public:
  EntryRuns();

  // REQUIRES: no entry with the same key is there.
  void insert(const char* entry);

  // These are safe to call from any thread. About as much memory as entries take, be they in a run or in the tree: RocksDB relies
  // on it that a memtable does not grow when it is only read.
  size_t bytes() const { return size() * kBytesPerEntry; }
  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // How many entries are in [from, to).
  uint64_t count_between(const EntryKey& from, const EntryKey& to);

 private:
  static constexpr size_t kBytesPerEntry = 16;
  using Run = std::vector<const char*>;
  using Runs = std::vector<std::shared_ptr<const Run>>;

 public:
  // Cursor: a position in the tree and in the runs that were there when it was made, and with them all entries of that time.
  // Entries that are inserted while it stands may or may not be met.
  class Cursor {
   public:
    explicit Cursor(EntryRuns& entries) : entries_(&entries), runs_(entries.runs()), in_tree_(entries.tree_) {}

    bool valid() const { return in_tree_.valid() || !in_runs_.empty(); }
    const char* entry() const { return is_tree_nearest_ ? in_tree_.entry() : *in_runs_.front().at; }
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
    void stand_in_runs(const Choose& choose);
    void stand_before(const EntryKey& key);
    bool is_nearer(const char* left, const char* right) const;
    void leave_nearest_place(bool is_at_its_end);
    void compare_with_tree();

    EntryRuns* entries_;
    std::shared_ptr<const Runs> runs_;
    bool goes_back_ = false;
    bool is_tree_nearest_ = false;
    EntryTree::Cursor in_tree_;
    std::vector<Place> in_runs_;  // a heap of those that have an entry in this direction, the nearest in front
  };

 private:
  // With the tree they hold all that is there.
  std::shared_ptr<const Runs> runs();
  std::shared_ptr<const Runs> one_run();
  std::shared_ptr<const Runs> merge(std::unique_lock<std::mutex>& lock);
  void sort_waiting();
  void place_waiting();
  void pay_for(const Runs& runs) {
    if (runs.size() > 1) searched_runs_.fetch_add(runs.size() - 1, std::memory_order_relaxed);
  }

  std::atomic<size_t> size_{0};
  std::atomic<uint64_t> searched_runs_{0};  // since the last merge
  EntryTree tree_;                          // whoever holds the mutex inserts

  std::mutex mutex_;  // guards what follows
  Run waiting_;
  std::shared_ptr<const Runs> runs_;  // oldest first
  bool is_merging_ = false;           // the runs of that moment; only new ones may come meanwhile
};

}  // namespace partita
