#pragma once

#include "document/order.h"
#include "document/stored/stored_writer.h"
#include "document/value.h"

#include <optional>
#include <string>
#include <string_view>

// The order-preserving key form of ValueOrder::kExtended (docs/formats/key-form.md): memcmp on key forms is compare_extended() on
// values, and no key form is a prefix of another one. Equal values have equal key forms, whatever kinds of numbers they are.
//
//   all         | rank |, and behind it:
//   number      | double, 8 bytes | 00 |  or  | double, 8 bytes | 01 | decimal exponent, 2 bytes | digits, half a byte each | 0 |
//   string      | bytes, 00 as 00 FF | 00 01 |, also code, and twice in a regular expression: pattern, options
//   object      | rank of member | name as a string | what is behind the rank of its value | ... | 00 |
//   array       | element | ... | 00 |
//   binary      | length, 4 bytes | subtype | bytes |
//   object id   | 12 bytes |
//   bool        | 00 or 01 |
//   date-time, timestamp | 8 bytes, the sign of a date-time inverted |
//
// A number is the double next to it toward zero, big-endian, with the sign bit set; where that is not the number itself, the
// number follows in decimal: exponent of its first digit + 0x4000, digits + 1. All of this is inverted below zero. NaN is zero
// bytes.
namespace partita {

// Index keys are cut to so many bytes. All values with one cut key form lie next to each other in the order, and a key form that
// is cut is still no prefix of another one.
inline constexpr size_t kExtendedKeyFormBytesMax = 1024;

void append_extended_key_form(std::string& out, const Value& value);
// Never cut: for primary keys.
void append_whole_extended_key_form(std::string& out, const Value& value);

// Writes a value that is equal to the one that the key form was made from, its numbers as float64 or decimal128. False when these
// bytes are not exactly one key form, or a cut one; then the writer holds half a value.
bool read_extended_key_form(std::string_view key, StoredWriter& out);
// How many bytes the key form at the beginning has, a cut one included; nothing when these bytes do not begin with one.
std::optional<size_t> first_extended_key_form_bytes(std::string_view bytes);

}  // namespace partita
