#pragma once

#include "document/value.h"
#include "document/value_path.h"
#include "engine/index/indexing_policy.h"

#include <cstdint>
#include <span>
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
  PathHash cells() const;
  PathHash words() const;
  PathHash vector() const;
  // Well mixed.
  uint64_t value() const;

 private:
  PathHash step(uint8_t kind) const;

  uint64_t state_ = 0xCBF29CE484222325ULL;
};

// TermList: the index terms of one document, sorted and without duplicates. A term is a path hash (big-endian) and a value in key
// form, or other bytes of which none are a prefix of others. Some have a payload: the value of their row. Reusable; clear() keeps
// the memory.
class TermList {
 public:
  void clear();
  void add(PathHash path, const Value& value, ValueOrder order = ValueOrder::kJson);
  void add(PathHash path, std::string_view bytes, std::string_view payload = {});
  void add(PathHash path, uint64_t number);
  void sort();
  size_t size() const { return spans_.size(); }
  std::string_view operator[](size_t index) const;
  std::string_view payload(size_t index) const;

 private:
  struct Span {
    uint32_t offset;
    uint32_t size;
    uint32_t payload_size;  // of what follows the term
  };
  void end_term(size_t offset, std::string_view payload = {});

  std::string bytes_;
  std::vector<Span> spans_;
};

// One term for every value that the policy includes, in the key form of its documents' order: in JSON's scalars with their value,
// arrays and objects with their type alone, so that existence and order over mixed types can be answered from the index. Elements
// of an array share one path. Of several members with one name only the last counts. Besides, one term for the document's shape,
// and one for every composite index. Where the policy has spatial indexes, one term for every cell of the covering of a valid
// geometry. Where it indexes texts, one for every word, with its positions; where it indexes vectors, one with the numbers.
void collect_terms(const Value& document, const IndexingPolicy& policy, TermList& terms);

// The value at a path without element steps; undefined when there is none.
Value value_at(Value document, std::span<const ValuePath::Step> steps);

// Where the shapes of documents are in the index: at the root, which has no other terms. Documents have the same shape when they
// have terms at the same paths, those through arrays left aside. So one of them tells which paths all of them lack.
inline ValuePath shape_path() { return {}; }
bool is_shape(std::string_view term);

// Where the entries of a composite index are: at a path that no document has, because it begins with an element of the root. The
// first part is ascending there; all are turned round if it was declared otherwise, which is the same index read backwards.
ValuePath composite_path(const CompositeIndex& index);
// Not of paths through arrays, where a document may have many values, nor of what has no terms by itself.
bool has_entries(const CompositeIndex& index, const DocumentForm& form = {});

}  // namespace partita
