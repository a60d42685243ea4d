#pragma once

#include "document/stored/stored_writer.h"
#include "document/value.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::query {

// Datum: one value while a query computes with it: undefined, a scalar, or a view of an array or object in stored form.
//
// Cheap to copy. Strings, arrays and objects are views, valid while what they were made from lives: the row, the plan or the
// arena. A number that was read from stored form remembers where, so that integers beyond a double's precision pass through
// a query unchanged.
class Datum {
 public:
  Datum() = default;  // undefined

  static Datum null() { return Datum(ValueType::kNull); }
  static Datum boolean(bool value);
  // Undefined when the number is not finite: the language has no such numbers.
  static Datum number(double value);
  static Datum string(std::string_view utf8);
  static Datum of(const Value& value);

  ValueType type() const { return type_; }
  bool is_undefined() const { return type_ == ValueType::kUndefined; }
  bool is_null() const { return type_ == ValueType::kNull; }
  bool is_bool() const { return type_ == ValueType::kBool; }
  bool is_number() const { return type_ == ValueType::kNumber; }
  bool is_string() const { return type_ == ValueType::kString; }
  bool is_array() const { return type_ == ValueType::kArray; }
  bool is_object() const { return type_ == ValueType::kObject; }
  // Null, boolean, number or string.
  bool is_primitive() const { return type_ >= ValueType::kNull && type_ <= ValueType::kString; }
  bool is_true() const { return is_bool() && boolean_; }
  bool is_false() const { return is_bool() && !boolean_; }

  // REQUIRES of each: the type.
  bool boolean() const { return boolean_; }
  double number() const { return number_; }
  std::string_view string() const { return bytes_; }
  // The array, the object, or the value of a type that JSON does not have.
  Value container() const { return Value::view(bytes_); }
  // The exact value of a number that is a 64-bit integer.
  std::optional<int64_t> integer() const;

  // Undefined when this is not an object or has no such member; not an array or has no such element.
  Datum member(std::string_view key) const;
  Datum element(int64_t index) const;
  size_t size() const { return container().size(); }
  Datum element_at(size_t index) const { return of(container().element(index)); }

  // Bytes that the value refers to elsewhere.
  size_t payload_bytes() const { return bytes_.size(); }

  // REQUIRES: not undefined.
  void write_to(StoredWriter& out) const;

  friend std::strong_ordering compare(const Datum& left, const Datum& right);

 private:
  explicit Datum(ValueType type) : type_(type) {}

  ValueType type_ = ValueType::kUndefined;
  union {
    bool boolean_ = false;
    double number_;
  };
  std::string_view bytes_;  // characters of a string, else stored form; empty for a number that was computed
};

// The total order of document/order.h.
std::strong_ordering compare(const Datum& left, const Datum& right);
inline bool equal(const Datum& left, const Datum& right) { return left.type() == right.type() && compare(left, right) == 0; }

// Bytes that are the same exactly for values that are equal: for hashing. Undefined has bytes, too.
void append_identity(std::string& out, const Datum& value);

// The order-preserving form of document/key/key_form.h.
void append_key_form(std::string& out, const Datum& value);

// JSON text; nothing for undefined.
void append_json_of(std::string& out, const Datum& value);

}  // namespace partita::query
