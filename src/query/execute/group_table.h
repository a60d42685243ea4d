#pragma once

#include "query/execute/aggregator.h"
#include "query/execute/execution.h"
#include "query/plan/plan.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace partita::query {

// GroupTable: the groups of a grouping, in the order in which they appeared.
class GroupTable {
 public:
  GroupTable(const Grouping& grouping, Execution& execution);
  ~GroupTable();

  // Adds the row that the slots hold.
  void add_row();
  // Binds the slots of the next group; false behind the last. No rows can be added any more.
  bool next_group();

 private:
  struct Group {
    std::vector<KeptDatum> keys;
    std::vector<Aggregator> aggregators;
  };

  Group& group_of_row();

  const Grouping& grouping_;
  Execution& execution_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, size_t> indexes_;
  size_t bytes_ = 0;
  size_t next_ = 0;
};

}  // namespace partita::query
