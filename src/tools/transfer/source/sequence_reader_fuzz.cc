#include "tools/transfer/source/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::tools::transfer;
  fuzz_reader(data, size, [](std::unique_ptr<ByteSource> source) { return read_sequence(std::move(source)); });
  return 0;
}
