#include "base/check.h"
#include "tools/transfer/progress/state_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::tools::transfer;
  const partita::Result<Checkpoint> checkpoint = Checkpoint::parse({reinterpret_cast<const char*>(data), size});
  if (checkpoint) CHECK(Checkpoint::parse(checkpoint->to_json()).value() == *checkpoint);
  return 0;
}
