#pragma once

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

inline constexpr size_t kUniqueKeysMax = 10;
inline constexpr size_t kUniqueKeyPathsMax = 16;

// UniqueKeys: combinations of values that no two documents of one logical partition may share. Immutable once parsed; a
// container's never change.
//
// A missing value counts as null and takes part like any other.
class UniqueKeys {
 public:
  UniqueKeys() = default;
  // {"uniqueKeys":[{"paths":["/a","/b/c"]}]}; undefined or null is none. kInvalidInput names the rule that is broken.
  static Result<UniqueKeys> parse(const Value& policy);

  bool is_empty() const { return keys_.empty(); }
  // One text per key, in their order: equal for two documents exactly when they agree in that key's values (or, for long ones, in
  // a hash of 128 bits). ON DISK: docs/formats/keyspace.md.
  std::vector<std::string> values_of(const Value& document) const;

  bool operator==(const UniqueKeys&) const = default;

 private:
  std::vector<std::vector<DocumentPath>> keys_;
};

}  // namespace partita
