#include "base/check.h"
#include "protocols/cosmos/codec/changes/change_etag.h"

// What is accepted survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const auto position = cosmos::decode_change_etag({reinterpret_cast<const char*>(data), size});
  if (!position || position->by_range.empty()) return 0;
  ChangePage page;
  page.next = *position;
  const auto again = cosmos::decode_change_etag(cosmos::encode_change_etag(page));
  CHECK(again && again->by_range == position->by_range);
  return 0;
}
