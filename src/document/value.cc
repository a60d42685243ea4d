#include "document/value.h"

#include "base/check.h"
#include "document/number.h"
#include "document/stored/stored_form.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace partita {

using stored::Container;
using stored::Tag;

constexpr std::array<ValueType, 256> stored::kTypeOfTag = [] {
  std::array<ValueType, 256> types{};
  const auto assign = [&](std::initializer_list<Tag> tags, ValueType type) {
    for (const Tag tag : tags) types[static_cast<uint8_t>(tag)] = type;
  };
  assign({Tag::kNull}, ValueType::kNull);
  assign({Tag::kFalse, Tag::kTrue}, ValueType::kBool);
  assign({Tag::kInteger, Tag::kDouble, Tag::kNumberText, Tag::kInt32, Tag::kInt64, Tag::kFloat64, Tag::kDecimal128},
         ValueType::kNumber);
  assign({Tag::kString}, ValueType::kString);
  assign({Tag::kNarrowArray, Tag::kWideArray}, ValueType::kArray);
  assign({Tag::kNarrowObject, Tag::kWideObject, Tag::kLargeObject}, ValueType::kObject);
  assign({Tag::kBinary, Tag::kDateTime, Tag::kObjectId, Tag::kRegularExpression, Tag::kTimestamp, Tag::kMinKey, Tag::kMaxKey,
          Tag::kCode, Tag::kSymbol, Tag::kSpecialFloat64, Tag::kSpecialDecimal128},
         ValueType::kExtended);
  return types;
}();

constexpr std::array<ValueKind, 256> stored::kKindOfTag = [] {
  std::array<ValueKind, 256> kinds{};
  const auto assign = [&](std::initializer_list<Tag> tags, ValueKind kind) {
    for (const Tag tag : tags) kinds[static_cast<uint8_t>(tag)] = kind;
  };
  assign({Tag::kNull}, ValueKind::kNull);
  assign({Tag::kFalse, Tag::kTrue}, ValueKind::kBool);
  assign({Tag::kInteger, Tag::kDouble, Tag::kNumberText}, ValueKind::kNumber);
  assign({Tag::kInt32}, ValueKind::kInt32);
  assign({Tag::kInt64}, ValueKind::kInt64);
  assign({Tag::kFloat64, Tag::kSpecialFloat64}, ValueKind::kFloat64);
  assign({Tag::kDecimal128, Tag::kSpecialDecimal128}, ValueKind::kDecimal128);
  assign({Tag::kString}, ValueKind::kString);
  assign({Tag::kNarrowArray, Tag::kWideArray}, ValueKind::kArray);
  assign({Tag::kNarrowObject, Tag::kWideObject, Tag::kLargeObject}, ValueKind::kObject);
  assign({Tag::kBinary}, ValueKind::kBinary);
  assign({Tag::kDateTime}, ValueKind::kDateTime);
  assign({Tag::kObjectId}, ValueKind::kObjectId);
  assign({Tag::kRegularExpression}, ValueKind::kRegularExpression);
  assign({Tag::kTimestamp}, ValueKind::kTimestamp);
  assign({Tag::kMinKey}, ValueKind::kMinKey);
  assign({Tag::kMaxKey}, ValueKind::kMaxKey);
  assign({Tag::kCode}, ValueKind::kCode);
  assign({Tag::kSymbol}, ValueKind::kSymbol);
  return kinds;
}();

namespace {

Tag tag_of(std::string_view bytes) { return static_cast<Tag>(bytes.front()); }

// A decimal can be beyond all doubles.
double finite(double value) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::clamp(value, -kMax, kMax);
}

}  // namespace

bool Value::boolean() const {
  CHECK(is_bool());
  return tag_of(bytes_) == Tag::kTrue;
}

double Value::number() const {
  CHECK(is_number());
  const std::string_view payload = bytes_.substr(stored::kTagBytes);
  switch (tag_of(bytes_)) {
    case Tag::kInteger:
    case Tag::kInt32:
    case Tag::kInt64: return static_cast<double>(stored::load_integer(payload));
    case Tag::kDouble:
    case Tag::kFloat64: return stored::load_double(payload);
    case Tag::kDecimal128: return finite(stored::load_decimal(payload).nearest_double());
    default: return parse_number(payload).real;
  }
}

std::optional<int64_t> Value::integer() const {
  CHECK(is_number());
  const std::string_view payload = bytes_.substr(stored::kTagBytes);
  switch (tag_of(bytes_)) {
    case Tag::kInteger:
    case Tag::kInt32:
    case Tag::kInt64: return stored::load_integer(payload);
    case Tag::kDouble:
    case Tag::kFloat64: return exact_integer(stored::load_double(payload));
    case Tag::kDecimal128: return stored::load_decimal(payload).exact_integer();
    default: return std::nullopt;  // the writer keeps no text of what an int64 holds
  }
}

std::optional<std::string_view> Value::number_text() const {
  CHECK(is_number());
  if (tag_of(bytes_) != Tag::kNumberText) return std::nullopt;
  return bytes_.substr(stored::kTagBytes);
}

std::string_view Value::string() const {
  CHECK(is_string());
  return bytes_.substr(stored::kTagBytes);
}

double Value::float64() const {
  CHECK(kind() == ValueKind::kFloat64);
  return stored::load_double(bytes_.substr(stored::kTagBytes));
}

Decimal128 Value::decimal() const {
  CHECK(kind() == ValueKind::kDecimal128);
  return stored::load_decimal(bytes_.substr(stored::kTagBytes));
}

Value::Binary Value::binary() const {
  CHECK(kind() == ValueKind::kBinary);
  return {static_cast<uint8_t>(bytes_[stored::kTagBytes]), bytes_.substr(stored::kTagBytes + 1)};
}

int64_t Value::milliseconds() const {
  CHECK(kind() == ValueKind::kDateTime);
  return stored::load_integer(bytes_.substr(stored::kTagBytes));
}

std::string_view Value::object_id() const {
  CHECK(kind() == ValueKind::kObjectId);
  return bytes_.substr(stored::kTagBytes);
}

Value::RegularExpression Value::regular_expression() const {
  CHECK(kind() == ValueKind::kRegularExpression);
  const std::string_view payload = bytes_.substr(stored::kTagBytes);
  const size_t end = payload.find('\0');
  return {payload.substr(0, end), payload.substr(end + 1)};
}

uint64_t Value::timestamp() const {
  CHECK(kind() == ValueKind::kTimestamp);
  return load_little_endian<uint64_t>(bytes_.data() + stored::kTagBytes);
}

std::string_view Value::text() const {
  CHECK(kind() == ValueKind::kCode || kind() == ValueKind::kSymbol);
  return bytes_.substr(stored::kTagBytes);
}

size_t Value::size() const {
  CHECK(is_array() || is_object());
  return Container(bytes_).count();
}

Value Value::element(size_t index) const {
  CHECK(is_array());
  const Container array(bytes_);
  CHECK(index < array.count());
  return Value(array.entry(index));
}

Value::Member Value::member(size_t index) const {
  CHECK(is_object());
  const Container object(bytes_);
  CHECK(index < object.count());
  const auto [key, value] = stored::split_member(object.entry(index));
  return {key, Value(value)};
}

}  // namespace partita
