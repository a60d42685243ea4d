#include "base/check.h"
#include "net/http/parser_transcript.h"

#include <cstddef>
#include <cstdint>

// The first byte chooses how the rest is cut; whatever the cuts, the parser must say the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::net;
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  HttpLimits limits;
  limits.request_line_bytes_max = 96;
  limits.header_bytes_max = 512;
  limits.header_count_max = 8;
  limits.body_bytes_max = 64;

  std::vector<std::string_view> pieces;
  uint32_t random = data[0];
  for (std::string_view rest = input; !rest.empty();) {
    random = random * 1664525 + 1013904223;
    size_t piece = 1 + (random >> 24) % (data[0] % 32 + 1);
    pieces.push_back(rest.substr(0, piece));
    rest.remove_prefix(pieces.back().size());
  }
  std::string whole = parser_transcript({input}, limits);
  CHECK_MESSAGE(parser_transcript(pieces, limits) == whole, whole);
  return 0;
}
