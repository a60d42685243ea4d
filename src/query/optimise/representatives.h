#pragma once

#include "query/optimise/access.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::query {

// Representatives: of all documents that a plan scans it needs only some, chosen by their values at one path; the others would
// not change its answer.
struct Representatives {
  enum class Which : uint8_t {
    kFirstOfEachValue,  // the one with the smallest number, as for DISTINCT
    kEnds,              // those with the least and the greatest value, or one with an array or object, as for MIN and MAX
    kCountOfEachValue,  // one of each value, and how many there are of it, as for COUNT by groups
  };

  Which which;
  ValuePath path;
  std::vector<KeyFormRange> ranges;  // of the values that are concerned; sorted, without overlap
  bool has_missing = false;          // documents without a value are concerned too
  bool has_least = true;             // of the two ends: the least is wanted,
  bool has_greatest = true;          // and the greatest
};

// /path, each value
std::string to_text(const Representatives& representatives);

// Nothing when the plan may need other documents too. `access` is what the plan's filter demands.
std::optional<Representatives> representatives_of(const Plan& plan, const Access& access, const IndexedPaths& indexed);

}  // namespace partita::query
