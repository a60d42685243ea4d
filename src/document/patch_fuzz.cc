#include "base/check.h"
#include "document/json/json.h"
#include "document/patch.h"

#include <cstdint>

// A document and a patch, separated by a line break: whatever is accepted yields a well-formed document that can be written and
// read back, and applying the patch never changes how it reads itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return 0;
  const Result<std::string> document = stored_from_json(text.substr(0, line_end));
  const Result<std::string> body = stored_from_json(text.substr(line_end + 1));
  if (!document || !body) return 0;
  const Result<Patch> patch = Patch::parse(Value::view(*body));
  if (!patch) return 0;
  for (const PatchOperation& operation : patch->operations) CHECK(PatchPath::parse(operation.path.text()) == operation.path);
  const Result<std::string> after = patch->apply(Value::view(*document));
  if (!after) return 0;
  CHECK(validate_stored_form(*after).has_value());
  const Result<std::string> again = stored_from_json(to_json(Value::view(*after)));
  CHECK(again && *again == *after);
  return 0;
}
