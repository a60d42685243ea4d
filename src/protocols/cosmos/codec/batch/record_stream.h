#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// RecordIO: rows in a stream, as .NET clients send batches. Integers are little-endian.
//
//   row       81 | schema id (4) | what the schema says
//   segment   a row of schema 7FFFD8F0: 01 (length is present) | its own length (4) | maybe more
//   record    a row of schema 7FFFD8F1: length of what follows (4) | its CRC-32 (4), then that many bytes: a row
//
//   81 F0D8FF7F 01 0A000000   81 F1D8FF7F 1C000000 <crc> <28 bytes>   81 F1D8FF7F ...
namespace partita::cosmos {

inline constexpr uint8_t kRowVersion = 0x81;
inline constexpr size_t kRowHeaderBytes = 5;

// Whether a body is such a stream and not JSON.
bool is_record_stream(std::string_view bytes);

// The rows of all records. kInvalidInput when the stream is cut short, a checksum is wrong or a header is unknown.
Result<std::vector<std::string_view>> parse_record_stream(std::string_view bytes);

void begin_record_stream(std::string& out);
void append_record(std::string& out, std::string_view row);

}  // namespace partita::cosmos
