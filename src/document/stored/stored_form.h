#pragma once

#include "base/bytes.h"
#include "document/decimal128.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The layout of the stored form, shared by its writer, its reader and its validator. docs/formats/stored-form.md describes it;
// stored_form_test.cc pins it byte by byte.
//
//   null, false, true   | tag |
//   integer             | tag | two's complement, 1, 2, 4 or 8 bytes: the fewest that hold it |
//   double              | tag | IEEE 754, 8 bytes |
//   number text, string | tag | text |
//   array               | tag | elements | offset of each element | count |
//   object              | tag | members  | hash of each key | offset of each member | count |
//   large object        | tag | members  | offset of each member | members in key order | count |
//   member              | key length, varint | key | value |
//
// Types that JSON does not have; a document of JSON text never contains them:
//
//   int32, int64        | tag | two's complement, 4 or 8 bytes |
//   float64             | tag | IEEE 754, 8 bytes |
//   decimal128          | tag | IEEE 754-2008 in binary encoding, 16 bytes |
//   infinity or NaN     | tag | as float64 or decimal128; their tags are others, so that a number's tag means a finite number |
//   binary              | tag | subtype, 1 byte | bytes |
//   date-time           | tag | milliseconds since 1970, two's complement, 8 bytes |
//   object id           | tag | 12 bytes |
//   regular expression  | tag | pattern | 00 | options |
//   timestamp           | tag | unsigned, 8 bytes |
//   min key, max key    | tag |
//   code, symbol        | tag | text |
//
// Integers are little-endian. Offsets count from the container's tag. A value does not say how long it is: whoever holds it knows
// (the offset of the next sibling, or the start of the tables), so a table is found from the end, and a value's bytes mean the
// same wherever they are copied to. Narrow containers have 16-bit offsets and count, wide and large ones 32-bit.
namespace partita::stored {

enum class Tag : uint8_t {
  kNull = 0x01,
  kFalse = 0x02,
  kTrue = 0x03,
  kInteger = 0x04,
  kDouble = 0x05,
  kNumberText = 0x06,
  kString = 0x07,
  kNarrowArray = 0x08,
  kWideArray = 0x09,
  kNarrowObject = 0x0A,
  kWideObject = 0x0B,
  kLargeObject = 0x0C,
  kInt32 = 0x10,
  kInt64 = 0x11,
  kFloat64 = 0x12,
  kDecimal128 = 0x13,
  kBinary = 0x14,
  kDateTime = 0x15,
  kObjectId = 0x16,
  kRegularExpression = 0x17,
  kTimestamp = 0x18,
  kMinKey = 0x19,
  kMaxKey = 0x1A,
  kCode = 0x1B,
  kSymbol = 0x1C,
  kSpecialFloat64 = 0x1D,
  kSpecialDecimal128 = 0x1E,
};

// Objects with more members are large: a binary search over their keys replaces the scan over hashes.
inline constexpr size_t kScannedMembersMax = 256;

inline constexpr size_t kTagBytes = 1;
inline constexpr size_t kHashBytes = sizeof(uint16_t);

// What a container's tag says about its tables.
struct ContainerForm {
  bool is_object = false;
  bool is_hashed = false;
  bool is_sorted = false;
  uint8_t offset_bytes = 0;  // of an offset, of the count and of a position in the key order; 0: not a container

  constexpr size_t entry_table_bytes() const {
    return size_t{offset_bytes} + (is_hashed ? kHashBytes : 0) + (is_sorted ? offset_bytes : 0);
  }
};

inline constexpr auto kContainerForms = [] {
  std::array<ContainerForm, 256> forms{};
  const auto form = [&](Tag tag) -> ContainerForm& { return forms[static_cast<uint8_t>(tag)]; };
  form(Tag::kNarrowArray) = {.offset_bytes = sizeof(uint16_t)};
  form(Tag::kWideArray) = {.offset_bytes = sizeof(uint32_t)};
  form(Tag::kNarrowObject) = {.is_object = true, .is_hashed = true, .offset_bytes = sizeof(uint16_t)};
  form(Tag::kWideObject) = {.is_object = true, .is_hashed = true, .offset_bytes = sizeof(uint32_t)};
  form(Tag::kLargeObject) = {.is_object = true, .is_sorted = true, .offset_bytes = sizeof(uint32_t)};
  return forms;
}();

constexpr ContainerForm form_of(Tag tag) { return kContainerForms[static_cast<uint8_t>(tag)]; }

inline uint32_t load_offset(const char* at, size_t offset_bytes) {
  return offset_bytes == sizeof(uint16_t) ? load_little_endian<uint16_t>(at) : load_little_endian<uint32_t>(at);
}

// Of what follows the tag of an integer, also of an int32 or int64.
inline int64_t load_integer(std::string_view payload) {
  switch (payload.size()) {
    case 1: return static_cast<int8_t>(payload.front());
    case 2: return static_cast<int16_t>(load_little_endian<uint16_t>(payload.data()));
    case 4: return static_cast<int32_t>(load_little_endian<uint32_t>(payload.data()));
    default: return static_cast<int64_t>(load_little_endian<uint64_t>(payload.data()));
  }
}

// Of what follows the tag of a double or float64.
inline double load_double(std::string_view payload) {
  return std::bit_cast<double>(load_little_endian<uint64_t>(payload.data()));
}

inline constexpr size_t kDecimalBytes = 16;

// Of what follows the tag of a decimal128: the low half comes first.
inline Decimal128 load_decimal(std::string_view payload) {
  return {load_little_endian<uint64_t>(payload.data() + sizeof(uint64_t)), load_little_endian<uint64_t>(payload.data())};
}

// Container: where the parts of one array or object are. REQUIRES: a well-formed container.
class Container {
 public:
  explicit Container(std::string_view bytes)
      : bytes_(bytes.data()),
        form_(form_of(static_cast<Tag>(bytes.front()))),
        count_(load_offset(bytes.data() + bytes.size() - form_.offset_bytes, form_.offset_bytes)),
        tables_(bytes.size() - form_.offset_bytes - count_ * form_.entry_table_bytes()) {}

  const ContainerForm& form() const { return form_; }
  size_t count() const { return count_; }
  // Behind the last entry.
  size_t entries_end() const { return tables_; }
  const char* hashes() const { return bytes_ + tables_; }

  size_t entry_offset(size_t index) const {
    const size_t table = tables_ + (form_.is_hashed ? count_ * kHashBytes : 0);
    return load_offset(bytes_ + table + index * form_.offset_bytes, form_.offset_bytes);
  }
  // The element, or the member with its key.
  std::string_view entry(size_t index) const {
    const size_t begin = entry_offset(index);
    const size_t end = index + 1 < count_ ? entry_offset(index + 1) : tables_;
    return {bytes_ + begin, end - begin};
  }
  // The member at this position of the key order. REQUIRES: a large object.
  size_t sorted_member(size_t position) const {
    const size_t table = tables_ + count_ * form_.offset_bytes;
    return load_offset(bytes_ + table + position * form_.offset_bytes, form_.offset_bytes);
  }

 private:
  const char* bytes_;
  ContainerForm form_;
  size_t count_;
  size_t tables_;
};

struct Entry {
  std::string_view key;
  std::string_view value;
};

// REQUIRES: a well-formed member.
inline Entry split_member(std::string_view member) {
  size_t key_bytes = 0;
  size_t at = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(member[at++]);
    key_bytes |= static_cast<size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return {{member.data() + at, key_bytes}, {member.data() + at + key_bytes, member.size() - at - key_bytes}};
}

// Part of the format: a different hash would make written objects unsearchable.
inline uint16_t hash_of_key(std::string_view key) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t hash = key.size() * kMultiplier;
  const char* at = key.data();
  size_t left = key.size();
  for (; left >= 8; at += 8, left -= 8) {
    hash = (hash ^ load_little_endian<uint64_t>(at)) * kMultiplier;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  if (left >= 4) {
    // The two halves overlap when fewer than eight bytes are left.
    tail = load_little_endian<uint32_t>(at) | uint64_t{load_little_endian<uint32_t>(at + left - 4)} << 32;
  } else if (left > 0) {
    tail = static_cast<uint64_t>(static_cast<uint8_t>(at[0])) | static_cast<uint64_t>(static_cast<uint8_t>(at[left / 2])) << 8 |
           static_cast<uint64_t>(static_cast<uint8_t>(at[left - 1])) << 16;
  }
  hash = (hash ^ tail) * kMultiplier;
  hash ^= hash >> 32;
  return static_cast<uint16_t>((hash * kMultiplier) >> 48);
}

}  // namespace partita::stored
