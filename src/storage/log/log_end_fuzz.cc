#include "base/check.h"
#include "storage/log/log_end.h"

#include <algorithm>
#include <cstdint>

// The end is in the block, a header of zeros is there, and what comes behind it does not matter.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view block(reinterpret_cast<const char*>(data), std::min(size, partita::kLogBlockBytes));
  const std::optional<size_t> end = partita::find_log_end(block);
  if (!end) return 0;
  CHECK(*end + partita::kLogHeaderBytes <= block.size());
  CHECK(partita::find_log_end(block.substr(0, *end + partita::kLogHeaderBytes)) == end);
  CHECK(!partita::find_log_end(block.substr(0, *end)));
  return 0;
}
