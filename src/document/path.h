#pragma once

#include "base/result.h"
#include "document/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

// DocumentPath: the way from a document's root to one property, as container definitions write it: /a/b, /"with space"/c.
struct DocumentPath {
  std::vector<std::string> segments;

  // Property names only: no wildcard, no array position. The message names the path and what is wrong with it.
  static Result<DocumentPath> parse(std::string_view text);
  // Canonical text; segments that need it are quoted.
  std::string text() const;
  // Undefined when any step is missing or not an object.
  Value resolve(const Value& root) const;

  bool operator==(const DocumentPath&) const = default;
};

}  // namespace partita
