#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Strings as the query language sees them. All text is UTF-8 in generalised form: a lone surrogate has three bytes of its own.
// Positions and lengths of the language count UTF-16 units, as in JavaScript and .NET.
namespace partita::query {

// Reads the code point at `at` and moves `at` behind it. A byte that starts no sequence is a code point of its own.
uint32_t decode_code_point(std::string_view text, size_t& at);
void append_code_point(std::string& out, uint32_t code_point);

// Whether every sequence is well formed (surrogates allowed).
bool is_generalised_utf8(std::string_view text);

size_t utf16_length(std::string_view text);
std::u16string to_utf16(std::string_view text);
// Pairs of surrogates become one code point, lone ones stay.
std::string from_utf16(std::u16string_view units);
bool is_ascii(std::string_view text);
// Whether a pair of surrogates meets at the seam of two texts, so that appending their bytes would not be the text of both.
bool is_split_pair(std::string_view left, std::string_view right);

// With double quotes and JSON escapes; a lone surrogate becomes a \u escape.
void append_quoted(std::string& out, std::string_view text);

// Simple one-to-one case mapping, independent of any locale.
uint32_t lower_case(uint32_t code_point);
uint32_t upper_case(uint32_t code_point);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

}  // namespace partita::query
