#include "tools/transfer/source/byte_source.h"

#include <array>

// What is decompressed may be without end: so much of it is looked at.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::tools::transfer;
  constexpr size_t kReadMax = size_t{1} << 20;
  partita::Result<std::unique_ptr<ByteSource>> source =
      decompressed(source_of(std::string(reinterpret_cast<const char*>(data), size)), "text");
  if (!source) return 0;
  std::array<char, 4096> piece{};
  for (size_t read = 0; read < kReadMax;) {
    const partita::Result<size_t> bytes = (*source)->read(piece);
    if (!bytes || *bytes == 0) return 0;
    read += *bytes;
  }
  return 0;
}
