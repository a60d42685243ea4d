#include "base/check.h"
#include "partition/heat/heat_history.h"

#include <cstdint>

// Any record either is damaged, or reads back from its own text; and a partition can go on from it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const Result<HeatHistory> history = decode_heat({reinterpret_cast<const char*>(data), size});
  if (!history) {
    CHECK(history.error().code == ErrorCode::kCorruption);
    return 0;
  }
  CHECK(decode_heat(encode_heat(*history)) == *history);
  Heat heat(0);
  heat.restore(*history, 0);
  CHECK(heat.report(0).hot_keys.size() <= Heat::kHotKeys);
  return 0;
}
