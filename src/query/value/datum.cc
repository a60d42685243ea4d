#include "query/value/datum.h"

#include "base/bytes.h"
#include "document/json/json.h"
#include "document/key/extended_key_form.h"
#include "document/key/key_form.h"
#include "document/order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace partita::query {
namespace {

// Below this, a double holds every integer exactly.
constexpr double kExactIntegerMax = 9007199254740992.0;

std::strong_ordering compare_doubles(double left, double right) {
  if (left < right) return std::strong_ordering::less;
  return left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::optional<int64_t> exact_integer(double value) {
  if (value < -0x1p63 || value >= 0x1p63 || std::trunc(value) != value) return std::nullopt;
  return static_cast<int64_t>(value);
}

void append_sized(std::string& out, std::string_view bytes) {
  append_little_endian(out, static_cast<uint64_t>(bytes.size()));
  out += bytes;
}

// The last member of each key, in key order.
std::vector<Value::Member> sorted_members(const Value& object) {
  std::vector<Value::Member> members;
  members.reserve(object.size());
  for (size_t i = 0; i < object.size(); ++i) members.push_back(object.member(i));
  std::ranges::sort(members, {}, &Value::Member::key);
  auto repeated = std::ranges::unique(members, {}, &Value::Member::key);
  if (repeated.empty()) return members;
  members.erase(repeated.begin(), repeated.end());
  for (Value::Member& member : members) member.value = object.find(member.key);
  return members;
}

void append_number_identity(std::string& out, const Datum& value) {
  double number = value.number() == 0 ? 0.0 : value.number();  // -0 is 0
  append_little_endian(out, std::bit_cast<uint64_t>(number));
  if (std::abs(number) < kExactIntegerMax) return;
  if (auto integer = value.integer()) append_little_endian(out, static_cast<uint64_t>(*integer));
}

}  // namespace

Datum Datum::boolean(bool value) {
  Datum datum(ValueType::kBool);
  datum.boolean_ = value;
  return datum;
}

Datum Datum::number(double value) {
  if (!std::isfinite(value)) return {};
  Datum datum(ValueType::kNumber);
  datum.number_ = value + 0.0;  // no negative zero
  return datum;
}

Datum Datum::string(std::string_view utf8) {
  Datum datum(ValueType::kString);
  datum.bytes_ = utf8;
  return datum;
}

Datum Datum::of(const Value& value) {
  Datum datum(value.type());
  switch (datum.type_) {
    case ValueType::kUndefined:
    case ValueType::kNull: break;
    case ValueType::kBool: datum.boolean_ = value.boolean(); break;
    case ValueType::kNumber:
      datum.number_ = value.number();
      datum.bytes_ = value.bytes();
      break;
    case ValueType::kString: datum.bytes_ = value.string(); break;
    case ValueType::kArray:
    case ValueType::kObject:
    case ValueType::kExtended: datum.bytes_ = value.bytes(); break;
  }
  return datum;
}

std::optional<int64_t> Datum::integer() const {
  if (!is_number()) return std::nullopt;
  if (!bytes_.empty() && std::abs(number_) >= kExactIntegerMax) return Value::view(bytes_).integer();
  return exact_integer(number_);
}

Datum Datum::member(std::string_view key) const { return is_object() ? of(container().find(key)) : Datum(); }

Datum Datum::element(int64_t index) const {
  if (!is_array() || index < 0) return {};
  Value array = container();
  return static_cast<uint64_t>(index) < array.size() ? of(array.element(static_cast<size_t>(index))) : Datum();
}

void Datum::write_to(StoredWriter& out) const {
  switch (type_) {
    case ValueType::kUndefined: break;
    case ValueType::kNull: return out.null();
    case ValueType::kBool: return out.boolean(boolean_);
    case ValueType::kNumber: return bytes_.empty() ? out.number(number_) : out.value(Value::view(bytes_));
    case ValueType::kString: return out.string(bytes_);
    case ValueType::kArray:
    case ValueType::kObject:
    case ValueType::kExtended: return out.value(Value::view(bytes_));
  }
}

std::strong_ordering compare(const Datum& left, const Datum& right) {
  if (left.type_ != right.type_) return left.type_ <=> right.type_;
  switch (left.type_) {
    case ValueType::kUndefined:
    case ValueType::kNull: break;
    case ValueType::kBool: return left.boolean_ <=> right.boolean_;
    case ValueType::kNumber: {
      std::strong_ordering order = compare_doubles(left.number_, right.number_);
      if (order != 0 || std::abs(left.number_) < kExactIntegerMax) return order;
      auto left_integer = left.integer();
      auto right_integer = right.integer();
      return left_integer && right_integer ? *left_integer <=> *right_integer : order;
    }
    case ValueType::kString: return left.bytes_ <=> right.bytes_;
    case ValueType::kArray:
    case ValueType::kObject:
    case ValueType::kExtended: return partita::compare(left.container(), right.container());
  }
  return std::strong_ordering::equal;
}

void append_identity(std::string& out, const Datum& value) {
  out += static_cast<char>(value.type());
  switch (value.type()) {
    case ValueType::kUndefined:
    case ValueType::kNull: break;
    case ValueType::kBool: out += value.boolean() ? '\1' : '\0'; break;
    case ValueType::kNumber: append_number_identity(out, value); break;
    case ValueType::kString: append_sized(out, value.string()); break;
    case ValueType::kArray:
      append_little_endian(out, static_cast<uint64_t>(value.size()));
      for (size_t i = 0; i < value.size(); ++i) append_identity(out, value.element_at(i));
      break;
    case ValueType::kObject: {
      std::vector<Value::Member> members = sorted_members(value.container());
      append_little_endian(out, static_cast<uint64_t>(members.size()));
      for (const Value::Member& member : members) {
        append_sized(out, member.key);
        append_identity(out, Datum::of(member.value));
      }
      break;
    }
    // Equal values of this type have equal key forms.
    case ValueType::kExtended: append_whole_extended_key_form(out, value.container()); break;
  }
}

void append_key_form(std::string& out, const Datum& value) {
  switch (value.type()) {
    case ValueType::kUndefined: return append_key_form_undefined(out);
    case ValueType::kNull: return append_key_form_null(out);
    case ValueType::kBool: return append_key_form_bool(out, value.boolean());
    case ValueType::kNumber: return append_key_form_number(out, value.number());
    case ValueType::kString: return append_key_form_string(out, value.string());
    case ValueType::kArray:
    case ValueType::kObject:
    case ValueType::kExtended: return partita::append_key_form(out, value.container());
  }
}

void append_json_of(std::string& out, const Datum& value) {
  if (value.is_undefined()) return;
  StoredWriter writer;
  value.write_to(writer);
  append_json(out, writer.view());
}

}  // namespace partita::query
