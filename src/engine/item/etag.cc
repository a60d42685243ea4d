#include "engine/item/etag.h"

#include <fmt/format.h>

namespace partita {

std::string EtagSource::next(int64_t unix_seconds) {
  const uint64_t version = next_.fetch_add(1, std::memory_order_relaxed);
  return fmt::format("\"{:08x}-{:04x}-0100-0000-{:08x}0000\"", version & 0xFFFFFFFF, (version >> 32) & 0xFFFF,
                     static_cast<uint64_t>(unix_seconds) & 0xFFFFFFFF);
}

}  // namespace partita
