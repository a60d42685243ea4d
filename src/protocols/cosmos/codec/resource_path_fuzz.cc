#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encodings.h"
#include "protocols/cosmos/codec/resource_path.h"

using partita::cosmos::ResourceKind;
using partita::cosmos::ResourcePath;

// Any target can be parsed or refused; whatever name comes out goes in again when it is escaped.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view target(reinterpret_cast<const char*>(data), size);
  const size_t mark = target.find('?');
  const auto path = ResourcePath::parse(target.substr(0, mark), mark == std::string_view::npos ? "" : target.substr(mark + 1));
  if (!path) {
    CHECK(!path.error().message.empty());
    return 0;
  }
  CHECK(!path->signed_resources().empty());
  if (path->kind() != ResourceKind::kItem || path->is_feed()) return 0;
  const std::string again = "/dbs/" + partita::percent_encode(path->database()) + "/colls/" +
                            partita::percent_encode(path->container()) + "/docs/" + partita::percent_encode(path->name());
  const auto same = ResourcePath::parse(again);
  CHECK(same && same->database() == path->database() && same->container() == path->container() && same->name() == path->name());
  CHECK(same->signed_resources().size() <= path->signed_resources().size() + 1);
  return 0;
}
