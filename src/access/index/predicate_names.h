#pragma once

#include "base/bytes.h"
#include "engine/index/index_terms.h"
#include "engine/item/identity.h"

#include <string>

namespace partita {

// Under which name a partition remembers (PredicateCache) that no document lacks a value at a path. Other sets about the path
// have names that begin so: the ends of its values one byte more, which is not 0, predicates their ranges, each behind its
// length.
inline std::string name_of_path(IndexId index, const ValuePath& path) {
  std::string name;
  append_big_endian(name, index.value);
  append_big_endian(name, PathHash::of(path).value());
  return name;
}

inline std::string name_of_ends(IndexId index, const ValuePath& path, bool has_least, bool has_greatest) {
  const char which = static_cast<char>((has_least ? 1 : 0) | (has_greatest ? 2 : 0));
  return name_of_path(index, path) + which;
}

}  // namespace partita
