#include "storage/log_end.h"

#include "base/bytes.h"

#include <cstdint>

namespace partita {

std::optional<size_t> find_log_end(std::string_view block) {
  size_t at = 0;
  while (at + kLogHeaderBytes <= block.size()) {
    const char* header = block.data() + at;
    const size_t length = load_little_endian<uint16_t>(header + kLogLengthAt);
    if (length == 0 && header[kLogTypeAt] == 0) return at;
    at += kLogHeaderBytes + length;
  }
  return std::nullopt;
}

}  // namespace partita
