#include "document/stored/stored_writer.h"

#include "base/check.h"
#include "document/number.h"
#include "document/stored/stored_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace partita {

using stored::Tag;

namespace {

constexpr size_t kInitialBytes = 1024;
// What a writer keeps for the next value; a larger buffer is given back.
constexpr size_t kKeptBytesMax = size_t{1} << 20;
constexpr size_t kVarintBytesMax = 5;

// Doubles up to here are integers without gaps, and print as such.
constexpr double kSafeIntegerMax = 9007199254740992.0;

char* write_varint(char* at, size_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

size_t integer_bytes(int64_t value) {
  if (value == static_cast<int8_t>(value)) return 1;
  if (value == static_cast<int16_t>(value)) return 2;
  if (value == static_cast<int32_t>(value)) return 4;
  return 8;
}

char* write_offset(char* at, uint32_t offset, size_t offset_bytes) {
  if (offset_bytes == sizeof(uint16_t)) {
    store_little_endian(at, static_cast<uint16_t>(offset));
  } else {
    store_little_endian(at, offset);
  }
  return at + offset_bytes;
}

Tag container_tag(bool is_object, size_t bytes, size_t count) {
  const bool is_narrow = bytes <= std::numeric_limits<uint16_t>::max();
  if (!is_object) return is_narrow ? Tag::kNarrowArray : Tag::kWideArray;
  if (count > stored::kScannedMembersMax) return Tag::kLargeObject;
  return is_narrow ? Tag::kNarrowObject : Tag::kWideObject;
}

}  // namespace

void StoredWriter::grow(size_t bytes) { buffer_.resize(std::max({kInitialBytes, buffer_.size() * 2, used_ + bytes})); }

inline char* StoredWriter::extend(size_t bytes) {
  if (buffer_.size() - used_ < bytes) [[unlikely]]
    grow(bytes);
  char* at = buffer_.data() + used_;
  used_ += bytes;
  return at;
}

inline char* StoredWriter::begin_value(size_t bytes) {
  if (open_.empty()) {
    CHECK_MESSAGE(used_ == 0, "a second root value");
  } else if (open_.back().is_object) {
    CHECK_MESSAGE(is_key_written_, "a member without key");
    is_key_written_ = false;
  } else {
    entries_.emplace_back().offset = static_cast<uint32_t>(used_ - open_.back().start);
  }
  return extend(bytes);
}

void StoredWriter::null() { *begin_value(stored::kTagBytes) = static_cast<char>(Tag::kNull); }

void StoredWriter::boolean(bool value) { *begin_value(stored::kTagBytes) = static_cast<char>(value ? Tag::kTrue : Tag::kFalse); }

void StoredWriter::integer(int64_t value) {
  const size_t bytes = integer_bytes(value);
  char* at = begin_value(stored::kTagBytes + bytes);
  *at = static_cast<char>(Tag::kInteger);
  const uint64_t little_endian = to_little_endian(static_cast<uint64_t>(value));
  std::memcpy(at + stored::kTagBytes, &little_endian, bytes);
}

void StoredWriter::number(double value) {
  CHECK(std::isfinite(value));
  const auto exact = std::abs(value) <= kSafeIntegerMax ? exact_integer(value) : std::nullopt;
  if (exact) {
    integer(*exact);
  } else {
    write_double(value);
  }
}

void StoredWriter::write_double(double value) { write_word(static_cast<uint8_t>(Tag::kDouble), std::bit_cast<uint64_t>(value)); }

inline void StoredWriter::write_word(uint8_t tag, uint64_t word) {
  char* at = begin_value(stored::kTagBytes + sizeof word);
  *at = static_cast<char>(tag);
  store_little_endian(at + stored::kTagBytes, word);
}

void StoredWriter::int32(int32_t value) {
  char* at = begin_value(stored::kTagBytes + sizeof value);
  *at = static_cast<char>(Tag::kInt32);
  store_little_endian(at + stored::kTagBytes, static_cast<uint32_t>(value));
}

void StoredWriter::int64(int64_t value) { write_word(static_cast<uint8_t>(Tag::kInt64), static_cast<uint64_t>(value)); }

void StoredWriter::float64(double value) {
  const Tag tag = std::isfinite(value) ? Tag::kFloat64 : Tag::kSpecialFloat64;
  write_word(static_cast<uint8_t>(tag), std::bit_cast<uint64_t>(value));
}

void StoredWriter::decimal(const Decimal128& value) {
  char* at = begin_value(stored::kTagBytes + stored::kDecimalBytes);
  *at = static_cast<char>(value.is_finite() ? Tag::kDecimal128 : Tag::kSpecialDecimal128);
  store_little_endian(at + stored::kTagBytes, value.low());
  store_little_endian(at + stored::kTagBytes + sizeof(uint64_t), value.high());
}

void StoredWriter::binary(uint8_t subtype, std::string_view bytes) {
  char* at = begin_value(stored::kTagBytes + 1 + bytes.size());
  *at++ = static_cast<char>(Tag::kBinary);
  *at++ = static_cast<char>(subtype);
  std::copy_n(bytes.data(), bytes.size(), at);
}

void StoredWriter::date_time(int64_t milliseconds) {
  write_word(static_cast<uint8_t>(Tag::kDateTime), static_cast<uint64_t>(milliseconds));
}

void StoredWriter::object_id(std::string_view bytes) {
  CHECK(bytes.size() == kObjectIdBytes);
  write_text(static_cast<uint8_t>(Tag::kObjectId), bytes);
}

void StoredWriter::regular_expression(std::string_view pattern, std::string_view options) {
  CHECK(!pattern.contains('\0') && !options.contains('\0'));
  char* at = begin_value(stored::kTagBytes + pattern.size() + 1 + options.size());
  *at++ = static_cast<char>(Tag::kRegularExpression);
  at = std::copy_n(pattern.data(), pattern.size(), at);
  *at++ = '\0';
  std::copy_n(options.data(), options.size(), at);
}

void StoredWriter::timestamp(uint64_t value) { write_word(static_cast<uint8_t>(Tag::kTimestamp), value); }
void StoredWriter::min_key() { *begin_value(stored::kTagBytes) = static_cast<char>(Tag::kMinKey); }
void StoredWriter::max_key() { *begin_value(stored::kTagBytes) = static_cast<char>(Tag::kMaxKey); }
void StoredWriter::code(std::string_view utf8) { write_text(static_cast<uint8_t>(Tag::kCode), utf8); }
void StoredWriter::symbol(std::string_view utf8) { write_text(static_cast<uint8_t>(Tag::kSymbol), utf8); }

void StoredWriter::number_token(std::string_view token) {
  const ParsedNumber parsed = parse_number(token);
  switch (parsed.kind) {
    case NumberKind::kInteger: return integer(parsed.integer);
    case NumberKind::kDouble: return write_double(parsed.real);
    case NumberKind::kText: return write_text(static_cast<uint8_t>(Tag::kNumberText), token);
    case NumberKind::kInvalid:
    case NumberKind::kTooLarge: break;
  }
  CHECK_MESSAGE(false, "not a number token within the range of doubles");
}

void StoredWriter::string(std::string_view utf8) { write_text(static_cast<uint8_t>(Tag::kString), utf8); }

void StoredWriter::write_text(uint8_t tag, std::string_view text) {
  char* at = begin_value(stored::kTagBytes + text.size());
  *at = static_cast<char>(tag);
  std::copy_n(text.data(), text.size(), at + stored::kTagBytes);
}

void StoredWriter::value(const Value& copied) {
  CHECK(!copied.is_undefined());
  const std::string_view bytes = copied.bytes();
  std::copy_n(bytes.data(), bytes.size(), begin_value(bytes.size()));
}

void StoredWriter::begin_array() { begin_container(false); }
void StoredWriter::begin_object() { begin_container(true); }
void StoredWriter::end_array() { end_container(false); }
void StoredWriter::end_object() { end_container(true); }

void StoredWriter::begin_container(bool is_object) {
  const size_t start = static_cast<size_t>(begin_value(stored::kTagBytes) - buffer_.data());
  open_.push_back({.start = start, .first_entry = entries_.size(), .is_object = is_object});
}

void StoredWriter::key(std::string_view utf8) {
  CHECK_MESSAGE(!open_.empty() && open_.back().is_object && !is_key_written_, "a key outside an object or without value");
  is_key_written_ = true;
  const size_t offset = used_ - open_.back().start;
  char* at = extend(kVarintBytesMax + utf8.size());
  char* key_at = write_varint(at, utf8.size());
  std::copy_n(utf8.data(), utf8.size(), key_at);
  used_ -= kVarintBytesMax - static_cast<size_t>(key_at - at);
  // Written in place: building the entry first and copying it costs a failed store forwarding per member.
  Entry& entry = entries_.emplace_back();
  entry.offset = static_cast<uint32_t>(offset);
  entry.key_bytes = static_cast<uint32_t>(utf8.size());
  entry.key_start = static_cast<uint32_t>(key_at - buffer_.data());
  entry.key_hash = stored::hash_of_key(utf8);
}

void StoredWriter::end_container(bool is_object) {
  CHECK_MESSAGE(!open_.empty() && open_.back().is_object == is_object && !is_key_written_,
                "the end of a container that is not open");
  const OpenContainer container = open_.back();
  open_.pop_back();
  const size_t bytes = used_ - container.start;
  CHECK_MESSAGE(used_ <= std::numeric_limits<uint32_t>::max(), "a value of more than 4 GiB");
  const Entry* entries = entries_.data() + container.first_entry;
  const size_t count = entries_.size() - container.first_entry;

  const Tag tag = container_tag(is_object, bytes, count);
  const stored::ContainerForm form = form_of(tag);
  char* at = extend(count * form.entry_table_bytes() + form.offset_bytes);
  buffer_[container.start] = static_cast<char>(tag);
  if (form.is_hashed) {
    for (size_t i = 0; i < count; ++i, at += stored::kHashBytes) store_little_endian(at, entries[i].key_hash);
  }
  for (size_t i = 0; i < count; ++i) at = write_offset(at, entries[i].offset, form.offset_bytes);
  if (form.is_sorted) {
    write_key_order(at, entries, count);
    at += count * form.offset_bytes;
  }
  write_offset(at, static_cast<uint32_t>(count), form.offset_bytes);
  entries_.resize(container.first_entry);
}

void StoredWriter::write_key_order(char* at, const Entry* entries, size_t count) {
  order_.resize(count);
  for (size_t i = 0; i < count; ++i) order_[i] = static_cast<uint32_t>(i);
  const auto key_of = [&](uint32_t index) {
    return std::string_view(buffer_.data() + entries[index].key_start, entries[index].key_bytes);
  };
  std::sort(order_.begin(), order_.end(), [&](uint32_t left, uint32_t right) {
    const int order = key_of(left).compare(key_of(right));
    return order != 0 ? order < 0 : left < right;
  });
  for (const uint32_t index : order_) at = write_offset(at, index, sizeof(uint32_t));
}

void StoredWriter::clear() {
  if (buffer_.size() > kKeptBytesMax) buffer_ = {};
  used_ = 0;
  open_.clear();
  entries_.clear();
  is_key_written_ = false;
}

std::string_view StoredWriter::bytes() const {
  CHECK_MESSAGE(open_.empty() && used_ > 0, "no whole value was written");
  return {buffer_.data(), used_};
}

std::string StoredWriter::take() {
  std::string taken(bytes());
  clear();
  return taken;
}

}  // namespace partita
