#pragma once

#include "base/result.h"
#include "document/stored/stored_writer.h"
#include "document/value.h"

#include <span>
#include <string>
#include <string_view>

namespace partita {

// JSON text in and out of the stored form. Thread-safe: parsers are kept per thread.

// Arrays and objects inside each other; the service's limit.
inline constexpr size_t kNestingMax = 128;

// Writes the one value of the text. Errors are kInvalidInput and say what is wrong and at which byte; after one, the writer holds
// half a value and must be cleared. A byte order mark at the beginning is skipped.
Status read_json(std::string_view text, StoredWriter& out);

// The text must be one object: writes its members into the object that `out` has open, without those whose key is in `skipped`.
// The caller adds members of its own and ends the object.
Status read_json_members(std::string_view text, std::span<const std::string_view> skipped, StoredWriter& out);

// The stored bytes of the text's value.
Result<std::string> stored_from_json(std::string_view text);

// Writes JSON without white space. An undefined value writes nothing. A lone surrogate becomes a \u escape.
void append_json(std::string& out, const Value& value);
std::string to_json(const Value& value);

// The string as a JSON string literal with its quotes: valid JSON for any bytes, as those that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// A number as append_json writes it: integers without fraction, else the shortest text that reads back the same.
void append_json_number(std::string& out, double value);

}  // namespace partita
