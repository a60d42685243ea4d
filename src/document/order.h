#pragma once

#include "document/value.h"

#include <compare>

namespace partita {

// The total order over all values: undefined < null < false < true < numbers < strings < arrays < objects. Strings compare by
// code point, numbers by value whatever their representation, arrays element by element and then by length, objects as
// their members sorted by key (so that member order does not matter).
std::strong_ordering compare(const Value& left, const Value& right);

// Structural equality, consistent with compare().
bool equal(const Value& left, const Value& right);

}  // namespace partita
