#pragma once

#include "document/key/extended_key_form.h"
#include "document/order.h"
#include "document/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace partita {

// Order-preserving key form (docs/formats/key-form.md): memcmp on key forms is compare() on values, and no key form is a prefix
// of another one, so key forms can be concatenated.

// Strings are cut to this many bytes in index keys; a cut one sorts directly after the exact string of its first bytes.
inline constexpr size_t kKeyStringBytesMax = 1024;

// Of ValueOrder::kJson. Scalars and undefined only: an array or an object is written as its type alone. What JSON has no type for
// is written in the extended key form behind a first byte of its own.
void append_key_form(std::string& out, const Value& value);
// Of either order; arrays and objects are written whole in the extended one.
inline void append_key_form(std::string& out, const Value& value, ValueOrder order) {
  order == ValueOrder::kJson ? append_key_form(out, value) : append_extended_key_form(out, value);
}
void append_key_form_undefined(std::string& out);
void append_key_form_null(std::string& out);
void append_key_form_bool(std::string& out, bool value);
void append_key_form_number(std::string& out, double value);
// Cut at kKeyStringBytesMax (on any byte) and marked as cut.
void append_key_form_string(std::string& out, std::string_view utf8);
// Never cut: for primary keys.
void append_key_form_whole_string(std::string& out, std::string_view utf8);
// What the key forms of all strings with this prefix begin with. A long prefix is cut.
void append_key_form_prefix(std::string& out, std::string_view utf8);

// KeyFormRange: all key forms from `from` up to, not including, `to`.
struct KeyFormRange {
  std::string from;
  std::string to;

  bool operator==(const KeyFormRange&) const = default;
};
KeyFormRange key_forms_of(ValueType type);
KeyFormRange key_forms_of_defined();
// All key forms that begin with these bytes; given a whole key form, only that one.
KeyFormRange key_forms_beginning_with(std::string_view bytes);

// From this on a double, and so a key form, no longer tells all integers apart.
inline constexpr double kKeyIntegerMax = 0x1p53;

// KeyFormValue: what a key form says about the value it was made from.
struct KeyFormValue {
  ValueType type = ValueType::kUndefined;
  bool is_exact =
      true;  // false when several values have this key form: arrays, objects, cut strings, huge integers, extended ones
  bool boolean = false;
  double number = 0;
  std::string_view string = {};  // the first bytes of a cut one
};
// Strings are views of the key, or of `scratch` when they have zero bytes. Nothing when these bytes are not one key form.
std::optional<KeyFormValue> read_key_form(std::string_view key, std::string& scratch);
// How many bytes the key form at the beginning has; nothing when these bytes do not begin with one.
std::optional<size_t> first_key_form_bytes(std::string_view bytes);

}  // namespace partita
