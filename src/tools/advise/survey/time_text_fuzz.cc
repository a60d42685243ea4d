#include "base/check.h"
#include "tools/advise/survey/time_text.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace partita::tools::advise;
  constexpr int64_t kYear2200 = 7'258'118'400;
  const std::optional<Moment> moment = moment_in({reinterpret_cast<const char*>(bytes), size});
  if (moment) CHECK(moment->seconds >= 0 && moment->seconds < kYear2200 + 86'400 * 2 && moment->resolution > 0);
  return 0;
}
