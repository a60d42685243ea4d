#pragma once

#include "query/execute/execution.h"
#include "query/plan/plan.h"

#include <memory>
#include <string>
#include <unordered_set>

namespace partita::query {

// Aggregator: one aggregate function over the rows of one group. Undefined inputs do not count.
class Aggregator {
 public:
  explicit Aggregator(AggregateKind kind) : kind_(kind) {}

  // So often. REQUIRES: once, or the aggregate does not depend on how often, or it is a count.
  void add(const Datum& value, uint64_t times, Execution& execution);
  // So many defined values that only a count needs.
  void add_count(uint64_t values) { count_ += values; }
  // Undefined when the inputs have no such aggregate: a sum with something that is not a number, the least of nothing.
  // Valid while this lives; nothing can be added any more.
  Datum result();

 private:
  // Everything that only MAKELIST and MAKESET need.
  struct Collection {
    StoredWriter array;
    std::unordered_set<std::string> identities;
    bool is_ended = false;
  };

  void add_number(const Datum& value);
  void add_extreme(const Datum& value);
  void collect(const Datum& value, Execution& execution);
  Datum collected();
  Collection& collection();

  AggregateKind kind_;
  bool is_valid_ = true;
  uint64_t count_ = 0;
  double sum_ = 0;
  KeptDatum extreme_;
  std::unique_ptr<Collection> collection_;
};

}  // namespace partita::query
