#include "base/check.h"
#include "document/json/json.h"
#include "document/key/key_form.h"
#include "document/order.h"

#include <cmath>
#include <cstdint>

namespace partita {

namespace {

void walk(const Value& value);
void walk_extended(const Value& value);

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
      CHECK(std::isfinite(value.number()));
      (void)value.integer();
      (void)value.number_text();
      break;
    case ValueType::kString: (void)value.string(); break;
    case ValueType::kArray: walk_array(value); break;
    case ValueType::kObject: walk_object(value); break;
    case ValueType::kExtended: walk_extended(value); break;
    case ValueType::kUndefined:
    case ValueType::kNull: break;
  }
}

// Whether JSON text can say this value.
bool is_json(const Value& value) {
  if (value.kind() >= ValueKind::kInt32 && value.kind() <= ValueKind::kDecimal128) return false;
  if (value.type() == ValueType::kExtended) return false;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    if (!is_json(value.element(i))) return false;
  }
  for (size_t i = 0; value.is_object() && i < value.size(); ++i) {
    if (!is_json(value.member(i).value)) return false;
  }
  return true;
}

// The value again, from what its accessors say.
void copy(const Value& value, StoredWriter& out) {
  switch (value.kind()) {
    case ValueKind::kInt32: return out.int32(static_cast<int32_t>(*value.integer()));
    case ValueKind::kInt64: return out.int64(*value.integer());
    case ValueKind::kFloat64: return out.float64(value.float64());
    case ValueKind::kDecimal128: return out.decimal(value.decimal());
    case ValueKind::kBinary: return out.binary(value.binary().subtype, value.binary().bytes);
    case ValueKind::kDateTime: return out.date_time(value.milliseconds());
    case ValueKind::kObjectId: return out.object_id(value.object_id());
    case ValueKind::kRegularExpression:
      return out.regular_expression(value.regular_expression().pattern, value.regular_expression().options);
    case ValueKind::kTimestamp: return out.timestamp(value.timestamp());
    case ValueKind::kMinKey: return out.min_key();
    case ValueKind::kMaxKey: return out.max_key();
    case ValueKind::kCode: return out.code(value.text());
    case ValueKind::kSymbol: return out.symbol(value.text());
    default: return out.value(value);
  }
}

void walk_extended(const Value& value) {
  StoredWriter again;
  copy(value, again);
  CHECK(again.bytes() == value.bytes());
}

}  // namespace

}  // namespace partita

// Whatever validate_stored_form accepts is safe to read in every way; its JSON, if JSON has its types, and its extended key form
// can be read back to an equal value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!validate_stored_form(bytes)) return 0;
  const Value value = Value::view(bytes);
  walk(value);
  CHECK(equal(value, value) && compare(value, value) == 0);
  std::string key;
  append_key_form(key, value);
  std::string extended;
  append_whole_extended_key_form(extended, value);
  StoredWriter read;
  CHECK(read_extended_key_form(extended, read) && compare_extended(read.view(), value) == 0);
  const auto again = stored_from_json(to_json(value));
  if (again && is_json(value)) CHECK(compare(Value::view(*again), value) == 0);
  return 0;
}
