#include "base/check.h"
#include "document/json.h"
#include "document/key_form.h"
#include "document/order.h"

#include <cstdint>

namespace partita {

namespace {

void walk(const Value& value);

void walk_array(const Value& array) {
  for (size_t i = 0; i < array.size(); ++i) walk(array.element(i));
}

void walk_object(const Value& object) {
  for (size_t i = 0; i < object.size(); ++i) {
    const auto [key, value] = object.member(i);
    CHECK(!object.find(key).is_undefined());
    walk(value);
  }
  CHECK(object.find("\xFF not a key").is_undefined());
}

void walk(const Value& value) {
  switch (value.type()) {
    case ValueType::kBool: (void)value.boolean(); break;
    case ValueType::kNumber:
      (void)value.number();
      (void)value.integer();
      (void)value.number_text();
      break;
    case ValueType::kString: (void)value.string(); break;
    case ValueType::kArray: walk_array(value); break;
    case ValueType::kObject: walk_object(value); break;
    case ValueType::kUndefined:
    case ValueType::kNull: break;
  }
}

}  // namespace

}  // namespace partita

// Whatever validate_stored_form accepts is safe to read in every way, and its JSON can be read back to an equal value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!validate_stored_form(bytes)) return 0;
  const Value value = Value::view(bytes);
  walk(value);
  CHECK(equal(value, value) && compare(value, value) == 0);
  std::string key;
  append_key_form(key, value);
  const auto again = stored_from_json(to_json(value));
  if (again) CHECK(compare(Value::view(*again), value) == 0);
  return 0;
}
