#pragma once

#include "base/result.h"
#include "document/decimal128.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

// What JSON says a value is, in the order of ValueOrder::kJson. A finite number of any kind is kNumber; what JSON has no type
// for, infinities and NaN included, is kExtended, and kind() says what it is.
enum class ValueType : uint8_t { kUndefined, kNull, kBool, kNumber, kString, kArray, kObject, kExtended };

// What exactly a value is. kNumber is a number of JSON, which has no size; the four behind it are other wires' types.
enum class ValueKind : uint8_t {
  kUndefined,
  kNull,
  kBool,
  kNumber,
  kInt32,
  kInt64,
  kFloat64,
  kDecimal128,
  kString,
  kArray,
  kObject,
  kBinary,
  kDateTime,
  kObjectId,
  kRegularExpression,
  kTimestamp,
  kMinKey,
  kMaxKey,
  kCode,
  kSymbol,
};

inline constexpr size_t kObjectIdBytes = 12;

namespace stored {
// By the first byte of a value; kUndefined where no value begins with that byte.
extern const std::array<ValueType, 256> kTypeOfTag;
extern const std::array<ValueKind, 256> kKindOfTag;
}  // namespace stored

// Value: a read-only view of one value in stored form (docs/formats/stored-form.md).
//
// A view is two words, cheap to copy, and valid while the bytes it was made from live. Immutable, so freely shared between
// threads. Nothing is decoded before it is asked for: find() on an object costs one hash comparison per 16 members.
// Accessors of the wrong type are broken invariants (CHECK).
class Value {
 public:
  struct Member;
  struct Binary;
  struct RegularExpression;

  Value() = default;  // undefined

  // REQUIRES: bytes written by StoredWriter, or accepted by validate_stored_form.
  static Value view(std::string_view stored) { return Value(stored); }

  ValueType type() const {
    return bytes_.empty() ? ValueType::kUndefined : stored::kTypeOfTag[static_cast<uint8_t>(bytes_.front())];
  }
  ValueKind kind() const {
    return bytes_.empty() ? ValueKind::kUndefined : stored::kKindOfTag[static_cast<uint8_t>(bytes_.front())];
  }
  bool is_undefined() const { return bytes_.empty(); }
  bool is_null() const { return type() == ValueType::kNull; }
  bool is_bool() const { return type() == ValueType::kBool; }
  bool is_number() const { return type() == ValueType::kNumber; }
  bool is_string() const { return type() == ValueType::kString; }
  bool is_array() const { return type() == ValueType::kArray; }
  bool is_object() const { return type() == ValueType::kObject; }

  bool boolean() const;
  // The nearest finite double, also for numbers that are stored exactly as integer, text or decimal.
  double number() const;
  // The exact value when the number is an integer that fits.
  std::optional<int64_t> integer() const;
  // Text of a number that neither a double nor an int64 reproduces, as the client wrote it.
  std::optional<std::string_view> number_text() const;
  // UTF-8; a lone surrogate of the JSON text is kept in its three-byte generalised form.
  std::string_view string() const;

  // Of the kinds kFloat64 and kDecimal128: infinities and NaN too.
  double float64() const;
  Decimal128 decimal() const;
  // Of kBinary.
  Binary binary() const;
  // Of kDateTime: since 1970.
  int64_t milliseconds() const;
  // Of kObjectId: kObjectIdBytes bytes.
  std::string_view object_id() const;
  // Of kRegularExpression.
  RegularExpression regular_expression() const;
  // Of kTimestamp: seconds since 1970 above a counter, 32 bits each.
  uint64_t timestamp() const;
  // Of kCode or kSymbol: UTF-8.
  std::string_view text() const;

  // Elements of an array or members of an object, in source order.
  size_t size() const;
  Value element(size_t index) const;
  Member member(size_t index) const;
  // The last member with this key, as in JavaScript; undefined when there is none or this is not an object.
  Value find(std::string_view key) const;
  // Whether this is an object in which several members have this key.
  bool is_repeated(std::string_view key) const;

  // The bytes of exactly this value; a stored form of its own.
  std::string_view bytes() const { return bytes_; }

 private:
  explicit Value(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

struct Value::Member {
  std::string_view key;
  Value value;
};

struct Value::Binary {
  uint8_t subtype = 0;
  std::string_view bytes;
};

// Neither of them has a zero byte.
struct Value::RegularExpression {
  std::string_view pattern;
  std::string_view options;
};

// Whether these bytes are one well-formed value, so that every accessor stays within them. For bytes read from outside.
Status validate_stored_form(std::string_view stored);

}  // namespace partita
