#pragma once

#include "document/value.h"

#include <string>
#include <string_view>

namespace partita {

// Order-preserving key form (docs/formats/key-form.md): memcmp on key forms is compare() on values, and no key form is a prefix
// of another one, so key forms can be concatenated.

// Strings are cut to this many bytes in index keys; a cut one sorts directly after the exact string of its first bytes.
inline constexpr size_t kKeyStringBytesMax = 1024;

// Scalars and undefined only: an array or an object is written as its type alone.
void append_key_form(std::string& out, const Value& value);
void append_key_form_undefined(std::string& out);
void append_key_form_null(std::string& out);
void append_key_form_bool(std::string& out, bool value);
void append_key_form_number(std::string& out, double value);
// Cut at kKeyStringBytesMax (on any byte) and marked as cut.
void append_key_form_string(std::string& out, std::string_view utf8);
// Never cut: for primary keys.
void append_key_form_whole_string(std::string& out, std::string_view utf8);

}  // namespace partita
