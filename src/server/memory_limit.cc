#include "server/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace partita::server {
namespace {

constexpr uint64_t kCacheShare = 8;
constexpr uint64_t kCacheBytesMin = 64ULL << 20;
constexpr uint64_t kCacheBytesMax = 4ULL << 30;

}  // namespace

uint64_t memory_limit(uint64_t machine_bytes, std::span<const std::string> limit_files) {
  uint64_t least = machine_bytes;
  for (const std::string& path : limit_files) {
    std::ifstream file(path);
    uint64_t bytes = 0;
    if (file >> bytes && bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

uint64_t memory_limit() {
  // Of control groups, version 2 and 1, as they look from inside of a container.
  const std::array<std::string, 2> files = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  return memory_limit(pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)), files);
}

size_t default_cache_bytes(uint64_t memory_bytes) {
  return std::clamp(memory_bytes / kCacheShare, kCacheBytesMin, kCacheBytesMax);
}

}  // namespace partita::server
