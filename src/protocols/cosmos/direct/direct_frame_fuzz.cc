#include "base/check.h"
#include "protocols/cosmos/codec/resource_path.h"
#include "protocols/cosmos/direct/context.h"
#include "protocols/cosmos/direct/direct_request.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

// Frames as they come from a connection: heads, tokens, and what they ask for.
using namespace partita::cosmos;
using namespace partita::cosmos::direct;

namespace {

void check(const DirectRequest& request) {
  if (request.mistake()) {
    CHECK(!request.mistake()->message.empty());
    return;
  }
  // Whatever the names are, they end up in a path that is one, and that leads to what they are names of.
  CHECK(request.request().path.starts_with("/dbs"));
  const auto path = ResourcePath::parse(request.request().path);
  CHECK(path.has_value());
  CHECK(!request.request().method.empty());
  CHECK(request.request().header("x-ms-activity-id").size() == kGuidTextBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < kFixedHeadBytes) return 0;
  const auto head = parse_request_head(bytes);
  const std::string_view tokens = bytes.substr(kFixedHeadBytes);
  (void)parse_context(tokens);
  DirectRequest request;
  if (request.read(head.value_or(RequestHead{.kind = 3, .operation = 1}), tokens, "2020-07-15")) check(request);
  return 0;
}
