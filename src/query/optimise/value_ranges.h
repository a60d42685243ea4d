#pragma once

#include "document/key/key_form.h"
#include "query/plan/operation.h"
#include "query/value/datum.h"

#include <span>
#include <string_view>
#include <vector>

namespace partita::query {

// ValueRanges: a set of values as ranges of their key forms, sorted and without overlap.
//
// Key forms do not tell all values apart; then the set has more values than it should and is not exact.
struct ValueRanges {
  std::vector<KeyFormRange> ranges;
  bool is_exact = true;

  static ValueRanges nothing() { return {}; }
  static ValueRanges defined() { return {{key_forms_of_defined()}, true}; }
  static ValueRanges of_type(ValueType type) { return {{key_forms_of(type)}, true}; }
  static ValueRanges of_prefix(std::string_view prefix);
  // The values v for which `v operation constant` is true.
  static ValueRanges of_comparison(Operation operation, const Datum& constant);
};

ValueRanges united(ValueRanges left, ValueRanges right);
// Sorts and joins what overlaps or touches: for many at once.
void normalise(std::vector<KeyFormRange>& ranges);
ValueRanges intersected(const ValueRanges& left, const ValueRanges& right);
// The same for many at once, in time that hardly grows faster than the number of all ranges.
ValueRanges intersected(std::span<const ValueRanges> all);
// Values of `whole` that are not in `part`; all of them when part is not exact.
ValueRanges without(const ValueRanges& whole, const ValueRanges& part);

// [1, 2) or ["a", "b"] or null: one text per range.
std::string to_text(const KeyFormRange& range);

}  // namespace partita::query
