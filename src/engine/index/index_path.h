#pragma once

#include "base/result.h"
#include "document/value_path.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

// IndexPath: a path of an indexing policy, from a document's root: property names, and [] for every element of an array.
struct IndexPath {
  using Step = ValuePath::Step;

  std::vector<Step> steps;
  bool is_exact = false;  // the value here (/?) and not everything at or below it (/*)

  // With its wildcard: /a/?, /a/[]/b/*, /"with space"/?, /*. Errors name the path and the rule it breaks.
  static Result<IndexPath> parse(std::string_view text);
  // Without a wildcard, as composite indexes and the like name the value at a path: /a/b.
  static Result<IndexPath> parse_bare(std::string_view text);

  bool operator==(const IndexPath&) const = default;
};

// kInvalidInput: the path could not be accepted, and why.
std::unexpected<Error> bad_index_path(std::string_view path, std::string_view why);

}  // namespace partita
