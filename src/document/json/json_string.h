#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// String literals of JSON: from their escaped text to bytes.
namespace partita {

// Appends what the text between the quotes of a literal means; escapes of unpaired surrogates become three-byte sequences.
// Returns npos, or where the escape begins that JSON does not have.
size_t append_unescaped(std::string& out, std::string_view escaped);

}  // namespace partita
