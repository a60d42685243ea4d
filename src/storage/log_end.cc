#include "storage/log_end.h"

#include "base/bytes.h"

#include <cstdint>

namespace partita {
namespace {

constexpr size_t kLengthAt = 4;
constexpr size_t kTypeAt = 6;
constexpr size_t kHeaderBytes = 7;

}  // namespace

std::optional<size_t> find_log_end(std::string_view block) {
  size_t at = 0;
  while (at + kHeaderBytes <= block.size()) {
    const char* header = block.data() + at;
    const size_t length = load_little_endian<uint16_t>(header + kLengthAt);
    if (length == 0 && header[kTypeAt] == 0) return at;
    at += kHeaderBytes + length;
  }
  return std::nullopt;
}

}  // namespace partita
