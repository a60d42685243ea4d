#include "query/function/groups.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "document/system_properties.h"

#include <algorithm>
#include <string>

namespace partita::query {
namespace {

// The condition is met by true alone.
Datum if_else(Arguments arguments, FunctionContext&) { return arguments[0].is_true() ? arguments[1] : arguments[2]; }

// The document's number, which its resource id holds in its last eight bytes.
Datum document_id(Arguments arguments, FunctionContext& context) {
  constexpr size_t kDocumentResourceIdBytes = 16;
  Datum resource_id = arguments[0].member(system_property::kResourceId);
  if (!resource_id.is_string()) return {};
  std::string text(resource_id.string());
  std::ranges::replace(text, '-', '/');  // resource ids must fit into paths
  auto bytes = from_base64(text);
  if (!bytes || bytes->size() != kDocumentResourceIdBytes) return {};
  return context.integer(static_cast<int64_t>(load_little_endian<uint64_t>(bytes->data() + 8)));
}

constexpr Function kFunctions[] = {
    {.name = "IIF", .arguments_min = 3, .arguments_max = 3, .body = if_else, .takes_undefined = true},
    {"DOCUMENTID", 1, 1, document_id},
};

}  // namespace

std::span<const Function> item_functions() { return kFunctions; }

}  // namespace partita::query
