#include "tools/advise/survey/query_workload.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  (void)partita::tools::advise::parse_workload({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
