#include "base/check.h"
#include "document/json.h"
#include "document/order.h"

#include <cstdint>

// Any text either fails with a message, or gives a value whose JSON is a fixpoint.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stored = stored_from_json(text);
  if (!stored) {
    CHECK(stored.error().code == ErrorCode::kInvalidInput && !stored.error().message.empty());
    return 0;
  }
  CHECK(validate_stored_form(*stored));
  const Value value = Value::view(*stored);
  const std::string json = to_json(value);
  const auto again = stored_from_json(json);
  CHECK(again && *again == *stored);
  CHECK(to_json(Value::view(*again)) == json);
  CHECK(equal(value, Value::view(*again)));
  return 0;
}
