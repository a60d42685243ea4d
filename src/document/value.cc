#include "document/value.h"

#include "base/check.h"
#include "document/number.h"
#include "document/stored_form.h"

#include <initializer_list>

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
  assign({Tag::kInteger, Tag::kDouble, Tag::kNumberText}, ValueType::kNumber);
  assign({Tag::kString}, ValueType::kString);
  assign({Tag::kNarrowArray, Tag::kWideArray}, ValueType::kArray);
  assign({Tag::kNarrowObject, Tag::kWideObject, Tag::kLargeObject}, ValueType::kObject);
  return types;
}();

namespace {

Tag tag_of(std::string_view bytes) { return static_cast<Tag>(bytes.front()); }

}  // namespace

bool Value::boolean() const {
  CHECK(is_bool());
  return tag_of(bytes_) == Tag::kTrue;
}

double Value::number() const {
  CHECK(is_number());
  const std::string_view payload = bytes_.substr(stored::kTagBytes);
  switch (tag_of(bytes_)) {
    case Tag::kInteger: return static_cast<double>(stored::load_integer(payload));
    case Tag::kDouble: return stored::load_double(payload);
    default: return parse_number(payload).real;
  }
}

std::optional<int64_t> Value::integer() const {
  CHECK(is_number());
  const std::string_view payload = bytes_.substr(stored::kTagBytes);
  switch (tag_of(bytes_)) {
    case Tag::kInteger: return stored::load_integer(payload);
    case Tag::kDouble: return exact_integer(stored::load_double(payload));
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
