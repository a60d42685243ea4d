#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Numbers as JSON writes them: a token to the representation that reproduces it, and a double to its shortest text.
namespace partita {

enum class NumberKind : uint8_t {
  kInvalid,   // not a JSON number
  kTooLarge,  // beyond every finite double
  kInteger,   // exactly this int64, however it is spelled: 84, 84.0, 840e-1
  kDouble,    // the shortest text of this double denotes exactly the token's decimal number
  kText,      // neither: only the token itself is exact
};

struct ParsedNumber {
  NumberKind kind = NumberKind::kInvalid;
  int64_t integer = 0;  // of kInteger
  double real = 0;      // the nearest double; of all but kInvalid and kTooLarge
};

// The whole token must be a number. A negative zero is the double -0.0.
ParsedNumber parse_number(std::string_view token);

// The integer that this double is, when it is one that fits. Not for -0.0, which no integer is.
std::optional<int64_t> exact_integer(double value);

// Enough for every text below.
inline constexpr size_t kNumberTextBytesMax = 32;

// As JavaScript prints it, except that -0 keeps its sign. Returns the end. REQUIRES: finite, kNumberTextBytesMax bytes at `out`.
char* write_double(char* out, double value);

}  // namespace partita
