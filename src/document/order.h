#pragma once

#include "document/value.h"

#include <compare>

namespace partita {

// ValueOrder: which of two total orders a container's values have.
//
// kJson: undefined < null < false < true < numbers < strings < arrays < objects < whatever JSON has no type for. Strings compare
// by code point, numbers as doubles whatever their representation, arrays element by element and then by length, objects as their
// members sorted by key (so that member order does not matter), the rest as in kExtended.
//
// kExtended: ExtendedRank, and within a rank: numbers of all kinds by their exact value, NaN first; strings and symbols by bytes;
// objects member by member in their own order, each by rank, name and value; arrays element by element and then by length; binary
// by length, subtype and bytes; regular expressions by pattern and options.
enum class ValueOrder : uint8_t { kJson, kExtended };

std::strong_ordering compare(const Value& left, const Value& right);
std::strong_ordering compare_extended(const Value& left, const Value& right);
inline std::strong_ordering compare(const Value& left, const Value& right, ValueOrder order) {
  return order == ValueOrder::kJson ? compare(left, right) : compare_extended(left, right);
}

// Structural equality, consistent with compare() in ValueOrder::kJson.
bool equal(const Value& left, const Value& right);

// What comes first in kExtended. ON DISK: the first byte of a key form, with gaps for what may come between.
enum class ExtendedRank : uint8_t {
  kMinKey = 0x10,
  kUndefined = 0x14,
  kNull = 0x18,
  kNumber = 0x20,
  kString = 0x28,
  kObject = 0x30,
  kArray = 0x38,
  kBinary = 0x40,
  kObjectId = 0x48,
  kBool = 0x50,
  kDateTime = 0x58,
  kTimestamp = 0x60,
  kRegularExpression = 0x68,
  kCode = 0x6C,
  kMaxKey = 0x70,
};
ExtendedRank rank_of(ValueKind kind);

}  // namespace partita
