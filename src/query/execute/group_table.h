#pragma once

#include "query/execute/aggregator.h"
#include "query/execute/execution.h"
#include "query/plan/plan.h"

#include <span>
#include <string>
#include <vector>

namespace partita::query {

// GroupTable: the groups of a grouping, in the order of their keys. Every group has one string that says where it is in that
// order: the key forms of its keys, and a hash to tell apart those whose key forms are the same (arrays, objects, long strings).
class GroupTable {
 public:
  GroupTable(const Grouping& grouping, Execution& execution);
  ~GroupTable();

  // Adds the row that the slots hold, so often.
  void add_row(uint64_t times);
  // The same for a row whose keys, and behind them the arguments of the aggregates, are known.
  void add_row(std::span<const Datum> values, uint64_t times);
  // Adds so many rows of which nothing matters but their number. REQUIRES: no keys.
  void add_count(uint64_t rows);
  // Adds rows of which only the value is known that each aggregate has over them: a count or a sum. REQUIRES: no keys.
  void add_values(std::span<const double> values);
  // Binds the slots of the next group; false behind the last. No rows can be added any more.
  bool next_group();
  // Of the group whose slots are bound.
  const std::string& position() const { return groups_[order_[next_ - 1]].position; }
  bool has_group() const { return next_ > 0; }

 private:
  struct Group {
    std::string identity;  // of its keys
    std::vector<KeptDatum> keys;
    std::vector<Aggregator> aggregators;
    std::string position;
  };

  // Where the hash table says that a group is. Beside the hash, so that most comparisons look nowhere else.
  struct Place {
    uint64_t hash = 0;
    size_t group = kNone;
  };
  static constexpr size_t kNone = SIZE_MAX;

  Group& group_of_row();
  Group& group_of(std::span<const Datum> keys);
  Group& add_group(std::span<const Datum> keys, uint64_t hash);
  // That of the row's identity, or the free one where it belongs.
  Place& find_place(uint64_t hash);
  void grow();
  void sort();

  const Grouping& grouping_;
  Execution& execution_;
  std::vector<Group> groups_;
  // Open addressing: a power of two, at most half full.
  std::vector<Place> places_;
  std::vector<Datum> keys_;    // of the row that is being added
  std::string identity_;       // of these
  std::vector<size_t> order_;  // once all rows were added
  bool is_sorted_ = false;
  size_t bytes_ = 0;
  size_t next_ = 0;
};

}  // namespace partita::query
