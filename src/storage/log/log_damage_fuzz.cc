#include "base/check.h"
#include "storage/log/log_damage.h"

#include <algorithm>
#include <cstdint>

// Whatever the bytes are, damage is reported within what was read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view log(reinterpret_cast<const char*>(data), size);
  partita::LogScan scan;
  while (!log.empty()) {
    scan.read(log.substr(0, partita::kLogBlockBytes));
    log.remove_prefix(std::min(log.size(), partita::kLogBlockBytes));
  }
  if (const std::optional<uint64_t> at = scan.damaged_at()) CHECK(*at < size);
  return 0;
}
