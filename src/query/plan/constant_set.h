#pragma once

#include "query/value/datum.h"

#include <string>
#include <unordered_set>

namespace partita::query {

// ConstantSet: the constants of a long IN list, found by hash. Immutable once filled. Undefined is never a member.
class ConstantSet {
 public:
  void add(const Datum& value) {
    if (!value.is_undefined()) identities_.insert(identity_of(value));
  }
  bool contains(const Datum& value) const { return identities_.contains(identity_of(value)); }

 private:
  static std::string identity_of(const Datum& value) {
    std::string identity;
    append_identity(identity, value);
    return identity;
  }

  std::unordered_set<std::string> identities_;
};

}  // namespace partita::query
