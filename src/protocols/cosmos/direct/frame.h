#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Frames of direct mode (RNTBD). All numbers are little-endian.
//
//   bytes     0                4            6             8                24
//   request   | head bytes u32 | kind u16   | operation u16 | activity id  | tokens | payload bytes u32 | payload |
//   response  | head bytes u32 | status u32                 | activity id  | tokens | payload bytes u32 | payload |
//
// The head is everything in front of the payload's length. Length and payload are there only if the token "payload present" says
// so. The first frame of each side has neither, and agrees on how to go on (context.h).
namespace partita::cosmos::direct {

inline constexpr size_t kFixedHeadBytes = 24;
inline constexpr size_t kPayloadLengthBytes = 4;
// Clients warn of heads beyond that.
inline constexpr size_t kHeadBytesMax = 128 * 1024;

// As it is on the wire: the first three fields of a GUID are little-endian.
using ActivityId = std::array<char, 16>;

// "00112233-4455-6677-8899-aabbccddeeff".
inline constexpr size_t kGuidTextBytes = 36;
// REQUIRES: 16 bytes, and room for kGuidTextBytes.
void write_guid_text(char* out, std::string_view guid);

// What is asked for, by the numbers of the wire.
struct RequestHead {
  uint32_t head_bytes = 0;
  uint16_t kind = 0;
  uint16_t operation = 0;
  ActivityId activity_id{};

  bool is_context() const { return kind == 0 && operation == 0; }
};

// Nothing when the lengths are none that a head can have. REQUIRES: kFixedHeadBytes.
std::optional<RequestHead> parse_request_head(std::string_view bytes);

// Appends the fixed part of a response's head; finish_response_head() fills its length in once the tokens are behind it.
// Returns where it begins.
size_t begin_response_head(std::string& out, uint32_t status, const ActivityId& activity_id);
void finish_response_head(std::string& out, size_t begin);
void set_response_status(std::string& out, size_t begin, uint32_t status);

}  // namespace partita::cosmos::direct
