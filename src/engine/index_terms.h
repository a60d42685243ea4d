#pragma once

#include "document/value.h"
#include "document/value_path.h"
#include "engine/indexing_policy.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// PathHash: names a path of property names and array steps in index keys. ON DISK: docs/formats/index.md, pinned by tests.
class PathHash {
 public:
  static PathHash of(const ValuePath& path);
  PathHash property(std::string_view name) const;
  PathHash element() const;
  // Well mixed.
  uint64_t value() const;

 private:
  uint64_t state_ = 0xCBF29CE484222325ULL;
};

// TermList: the index terms of one document, sorted and without duplicates. A term is a path hash (big-endian) and a value in key
// form. Reusable; clear() keeps the memory.
class TermList {
 public:
  void clear();
  void add(PathHash path, const Value& value);
  void sort();
  size_t size() const { return spans_.size(); }
  std::string_view operator[](size_t index) const;

 private:
  struct Span {
    uint32_t offset;
    uint32_t size;
  };
  std::string bytes_;
  std::vector<Span> spans_;
};

// One term for every value that the policy includes: scalars with their value, arrays and objects with their type alone, so that
// existence and order over mixed types can be answered from the index. Elements of an array share one path. Of several members
// with one name only the last counts.
void collect_terms(const Value& document, const IndexingPolicy& policy, TermList& terms);

}  // namespace partita
