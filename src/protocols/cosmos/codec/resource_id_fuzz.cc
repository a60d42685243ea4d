#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocols/cosmos/codec/resource_id.h"

// What parses is written back as the same text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rid = partita::cosmos::parse_resource_id(text);
  if (rid) CHECK(partita::cosmos::rid_text(*rid) == text);
  return 0;
}
