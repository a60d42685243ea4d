#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

// In Cosmos' total order.
enum class ValueType : uint8_t { kUndefined, kNull, kBool, kNumber, kString, kArray, kObject };

namespace stored {
// By the first byte of a value; kUndefined where no value begins with that byte.
extern const std::array<ValueType, 256> kTypeOfTag;
}  // namespace stored

// Value: a read-only view of one value in stored form (docs/formats/stored-form.md).
//
// A view is two words, cheap to copy, and valid while the bytes it was made from live. Immutable, so freely shared between
// threads. Nothing is decoded before it is asked for: find() on an object costs one hash comparison per 16 members.
// Accessors of the wrong type are broken invariants (CHECK).
class Value {
 public:
  struct Member;

  Value() = default;  // undefined

  // REQUIRES: bytes written by StoredWriter, or accepted by validate_stored_form.
  static Value view(std::string_view stored) { return Value(stored); }

  ValueType type() const {
    return bytes_.empty() ? ValueType::kUndefined : stored::kTypeOfTag[static_cast<uint8_t>(bytes_.front())];
  }
  bool is_undefined() const { return bytes_.empty(); }
  bool is_null() const { return type() == ValueType::kNull; }
  bool is_bool() const { return type() == ValueType::kBool; }
  bool is_number() const { return type() == ValueType::kNumber; }
  bool is_string() const { return type() == ValueType::kString; }
  bool is_array() const { return type() == ValueType::kArray; }
  bool is_object() const { return type() == ValueType::kObject; }

  bool boolean() const;
  // The nearest double, also for numbers that are stored exactly as integer or text.
  double number() const;
  // The exact value when the number is an integer that fits.
  std::optional<int64_t> integer() const;
  // Text of a number that neither a double nor an int64 reproduces, as the client wrote it.
  std::optional<std::string_view> number_text() const;
  // UTF-8; a lone surrogate of the JSON text is kept in its three-byte generalised form.
  std::string_view string() const;

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

// Whether these bytes are one well-formed value, so that every accessor stays within them. For bytes read from outside.
Status validate_stored_form(std::string_view stored);

}  // namespace partita
