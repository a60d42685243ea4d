#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Bytes as text: hexadecimal, base64 and percent-encoding.
namespace partita {

std::string hex_upper(std::string_view bytes);
// Nothing when the text has an odd length or a character that is not a hexadecimal digit.
std::optional<std::string> from_hex(std::string_view text);

// The standard alphabet, padded.
std::string base64(std::string_view bytes);
// Strict: standard alphabet, padding required, no white space.
std::optional<std::string> from_base64(std::string_view text);

// Decodes %XX; nothing when an escape is cut short or not hexadecimal. A plus sign stays a plus sign.
std::optional<std::string> percent_decode(std::string_view text);
// Keeps unreserved characters (letters, digits and -_.~), escapes all others.
std::string percent_encode(std::string_view text);

}  // namespace partita
