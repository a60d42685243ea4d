#pragma once

#include "client/query/query_plan.h"
#include "document/stored/stored_writer.h"
#include "document/value.h"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace partita::client {

// The same for equal values, whatever the order of their members and the form of their numbers.
std::string canonical_form(const Value& value);

// ValueSet: which values were seen, as 128 bits of each. Not thread-safe.
class ValueSet {
 public:
  // False when it was there.
  bool insert(const Value& value);
  size_t size() const { return hashes_.size(); }

 private:
  std::unordered_set<std::string> hashes_;
};

// Accumulator: one aggregate over all partitions. Not thread-safe.
//
// A partition's part is an object: `item` has the aggregate, or `item2` for those that must know how many values there were. A
// part without either is undefined, as the aggregate of values that cannot be aggregated is, and then so is the whole.
class Accumulator {
 public:
  explicit Accumulator(Aggregate aggregate) : aggregate_(aggregate) {}

  void add(const Value& part);
  // Writes the result; false, and nothing written, if it is undefined.
  bool write(StoredWriter& out, std::string_view key = {}) const;

 private:
  void add_number(const Value& number);
  void add_average(const Value& part);
  void add_extreme(const Value& part);
  void add_members(const Value& list);

  Aggregate aggregate_;
  bool is_undefined_ = false;
  bool has_value_ = false;
  double sum_ = 0;
  double count_ = 0;
  std::string extreme_;               // in stored form
  std::vector<std::string> members_;  // in stored form
  ValueSet distinct_;
};

}  // namespace partita::client
