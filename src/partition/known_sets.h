#pragma once

#include "base/memory_room.h"
#include "engine/document_set.h"
#include "engine/identity.h"

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

// KnownSets: which documents of a partition meet demands that queries make again and again, as readers of its index found out.
//
// Thread-safe. Bounded in bytes and in number, and by the room that all partitions share; what was not asked for longest goes
// first. Writers need not know of it: a set says which writes it has seen, and whoever uses it looks up what was written since.
class KnownSets {
 public:
  struct Known {
    std::shared_ptr<const DocumentSet> met;      // those that met the demand
    std::shared_ptr<const DocumentSet> changed;  // those that were written since: nothing is known about them
    Lsn shown;                                   // writes up to this one are considered,
    Lsn lsn;                                     // none behind this one is
  };

  explicit KnownSets(std::shared_ptr<MemoryRoom> room, size_t bytes_max = 8UL << 20)
      : room_(std::move(room)), bytes_max_(bytes_max) {}
  ~KnownSets() { room_->give_back(bytes_); }
  KnownSets(const KnownSets&) = delete;
  KnownSets& operator=(const KnownSets&) = delete;

  // A demand is named by any bytes that tell it from others, of other generations of the index too.
  std::optional<Known> find(std::string_view demand);
  // Instead of what is known, unless that is newer. One that is too large, or that the room has no place for, is not kept.
  void insert(std::string_view demand, Known known);
  void forget(std::string_view demand);

  // That documents were loaded only to find that they do not meet the demand.
  void note_vain_loads(std::string_view demand, uint64_t loads);
  // How many, since it was known last.
  uint64_t vain_loads(std::string_view demand);

 private:
  struct Entry {
    std::optional<Known> known;
    uint64_t vain_loads = 0;
    uint64_t asked_at = 0;

    size_t bytes() const { return known ? known->met->bytes() + known->changed->bytes() : 0; }
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Entry& entry_of(std::string_view demand);
  bool take_room(size_t bytes);
  void drop(Entries::iterator entry);
  void drop_oldest();

  const std::shared_ptr<MemoryRoom> room_;
  const size_t bytes_max_;
  std::mutex mutex_;
  Entries entries_;
  size_t bytes_ = 0;  // taken from the room
  uint64_t asked_ = 0;
};

}  // namespace partita
