#pragma once

#include "base/memory_budget.h"
#include "engine/index/document_set.h"
#include "engine/item/identity.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita {

// PredicateCache: which documents of a partition match index predicates that queries use again and again, as readers of its index
// found out.
//
// Thread-safe. Bounded in bytes and in number, and by the memory that all partitions share; what was not asked for longest goes
// first. Writers need not know of it: an entry says which writes it has seen, and whoever uses it looks up what was written
// since.
class PredicateCache {
 public:
  struct Matches {
    std::shared_ptr<const DocumentSet> documents;  // those that matched the predicate
    std::shared_ptr<const DocumentSet> changed;    // those that were written since: nothing is known about them
    Lsn shown;                                     // writes up to this one are considered,
    Lsn lsn;                                       // none behind this one is
  };

  explicit PredicateCache(std::shared_ptr<MemoryBudget> budget, size_t bytes_max = 8UL << 20)
      : budget_(std::move(budget)), bytes_max_(bytes_max) {}
  ~PredicateCache() { budget_->give_back(bytes_); }
  PredicateCache(const PredicateCache&) = delete;
  PredicateCache& operator=(const PredicateCache&) = delete;

  // A predicate is named by any bytes that tell it from others, of other generations of the index too.
  std::optional<Matches> find(std::string_view predicate);
  // Replaces what is cached, unless that is newer. Matches that are too large, or that there is no memory for, are not kept.
  void insert(std::string_view predicate, Matches matches);
  void forget(std::string_view predicate);

  // Counts documents that were loaded only to find that they do not match the predicate.
  void note_vain_loads(std::string_view predicate, uint64_t loads);
  // How many those are since its matches were cached last.
  uint64_t vain_loads(std::string_view predicate);

 private:
  struct Entry {
    std::optional<Matches> matches;
    uint64_t vain_loads = 0;
    uint64_t asked_at = 0;

    size_t bytes() const { return matches ? matches->documents->bytes() + matches->changed->bytes() : 0; }
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Entry& entry_of(std::string_view predicate);
  bool take_room(size_t bytes);
  void drop(Entries::iterator entry);
  void drop_oldest();

  const std::shared_ptr<MemoryBudget> budget_;
  const size_t bytes_max_;
  std::mutex mutex_;
  Entries entries_;
  size_t bytes_ = 0;  // taken from the budget
  uint64_t asked_ = 0;
};

}  // namespace partita
