#include "document/json/utf8.h"
#include "document/number.h"
#include "document/stored/stored_form.h"
#include "document/value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

// Trusts nothing: every offset and length is checked before it is used.
namespace partita {

using stored::ContainerForm;
using stored::Tag;

namespace {

// Deeper than any value the database writes; bounds the stack of everything that walks a value.
constexpr size_t kStoredNestingMax = 512;

Status corrupt(std::string_view what) { return fail(ErrorCode::kCorruption, fmt::format("Not a stored value: {}.", what)); }

Status validate_value(std::string_view bytes, size_t depth);

Status validate_integer(std::string_view payload) {
  if (!std::has_single_bit(payload.size()) || payload.size() > sizeof(int64_t)) return corrupt("an integer of impossible length");
  return {};
}

Status validate_double(std::string_view payload) {
  if (payload.size() != sizeof(double)) return corrupt("a double of impossible length");
  const auto value = std::bit_cast<double>(load_little_endian<uint64_t>(payload.data()));
  if (!std::isfinite(value)) return corrupt("a double that is not finite");
  return {};
}

Status validate_number_text(std::string_view payload) {
  const NumberKind kind = parse_number(payload).kind;
  if (kind == NumberKind::kInvalid || kind == NumberKind::kTooLarge) return corrupt("a number text that is not a number");
  return {};
}

Status validate_text(std::string_view text) {
  if (well_formed_utf8_bytes(text, Surrogates::kAccepted) != text.size()) return corrupt("a string that is not UTF-8");
  return {};
}

Status validate_length(std::string_view payload, size_t bytes) {
  if (payload.size() != bytes) return corrupt("a value of impossible length");
  return {};
}

Status validate_float64(std::string_view payload, bool is_special) {
  TRY(validate_length(payload, sizeof(double)));
  if (std::isfinite(stored::load_double(payload)) == is_special) return corrupt("a float64 that its tag is not for");
  return {};
}

Status validate_decimal(std::string_view payload, bool is_special) {
  TRY(validate_length(payload, stored::kDecimalBytes));
  if (stored::load_decimal(payload).is_finite() == is_special) return corrupt("a decimal128 that its tag is not for");
  return {};
}

Status validate_regular_expression(std::string_view payload) {
  const size_t end = payload.find('\0');
  if (end == std::string_view::npos || payload.find('\0', end + 1) != std::string_view::npos)
    return corrupt("a regular expression without one end of its pattern");
  TRY(validate_text(payload.substr(0, end)));
  return validate_text(payload.substr(end + 1));
}

// The key's length, which may claim anything, and then the value.
Status validate_member(std::string_view member, size_t depth) {
  size_t key_bytes = 0;
  size_t at = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at == member.size() || shift > 28) return corrupt("a key length that does not end");
    const auto byte = static_cast<uint8_t>(member[at++]);
    key_bytes |= static_cast<size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  if (key_bytes >= member.size() - at) return corrupt("a key that leaves no room for its value");
  TRY(validate_text(member.substr(at, key_bytes)));
  return validate_value(member.substr(at + key_bytes), depth);
}

// Entries follow each other without gap from behind the tag up to the tables.
Status validate_offsets(const stored::Container& container) {
  size_t previous = 0;
  for (size_t i = 0; i < container.count(); ++i) {
    const size_t offset = container.entry_offset(i);
    if (i == 0 ? offset != stored::kTagBytes : offset <= previous)
      return corrupt("offsets that do not ascend from the first entry");
    previous = offset;
  }
  if (container.count() == 0 && container.entries_end() != stored::kTagBytes) return corrupt("bytes in an empty container");
  if (previous >= container.entries_end()) return corrupt("an offset behind the entries");
  return {};
}

Status validate_hashes(const stored::Container& object) {
  for (size_t i = 0; i < object.count(); ++i) {
    const auto hash = load_little_endian<uint16_t>(object.hashes() + i * stored::kHashBytes);
    if (hash != stored::hash_of_key(stored::split_member(object.entry(i)).key)) return corrupt("a hash that is not its key's");
  }
  return {};
}

// Strictly ascending by key and then position, so it is a permutation too.
Status validate_key_order(const stored::Container& object) {
  std::string_view previous_key;
  size_t previous = 0;
  for (size_t position = 0; position < object.count(); ++position) {
    const size_t index = object.sorted_member(position);
    if (index >= object.count()) return corrupt("a key order that names no member");
    const std::string_view key = stored::split_member(object.entry(index)).key;
    const bool is_ascending = position == 0 || previous_key < key || (previous_key == key && previous < index);
    if (!is_ascending) return corrupt("a key order that does not ascend");
    previous_key = key;
    previous = index;
  }
  return {};
}

Status validate_container(std::string_view bytes, const ContainerForm& form, size_t depth) {
  if (depth >= kStoredNestingMax) return corrupt("too many values inside each other");
  if (bytes.size() < stored::kTagBytes + form.offset_bytes) return corrupt("a container without count");
  const size_t count = stored::load_offset(bytes.data() + bytes.size() - form.offset_bytes, form.offset_bytes);
  const size_t room = bytes.size() - stored::kTagBytes - form.offset_bytes;
  if (count > room / form.entry_table_bytes()) return corrupt("tables larger than their container");

  const stored::Container container(bytes);
  TRY(validate_offsets(container));
  for (size_t i = 0; i < count; ++i) {
    const std::string_view entry = container.entry(i);
    TRY(form.is_object ? validate_member(entry, depth + 1) : validate_value(entry, depth + 1));
  }
  if (form.is_hashed) TRY(validate_hashes(container));
  if (form.is_sorted) TRY(validate_key_order(container));
  return {};
}

Status validate_value(std::string_view bytes, size_t depth) {
  if (bytes.empty()) return corrupt("no bytes");
  const auto tag = static_cast<Tag>(bytes.front());
  const std::string_view payload = bytes.substr(stored::kTagBytes);
  switch (tag) {
    case Tag::kNull:
    case Tag::kFalse:
    case Tag::kTrue:
    case Tag::kMinKey:
    case Tag::kMaxKey: return payload.empty() ? Status{} : corrupt("bytes behind a value");
    case Tag::kInteger: return validate_integer(payload);
    case Tag::kDouble: return validate_double(payload);
    case Tag::kNumberText: return validate_number_text(payload);
    case Tag::kString:
    case Tag::kCode:
    case Tag::kSymbol: return validate_text(payload);
    case Tag::kInt32: return validate_length(payload, sizeof(int32_t));
    case Tag::kInt64:
    case Tag::kDateTime:
    case Tag::kTimestamp: return validate_length(payload, sizeof(uint64_t));
    case Tag::kFloat64:
    case Tag::kSpecialFloat64: return validate_float64(payload, tag == Tag::kSpecialFloat64);
    case Tag::kDecimal128:
    case Tag::kSpecialDecimal128: return validate_decimal(payload, tag == Tag::kSpecialDecimal128);
    case Tag::kObjectId: return validate_length(payload, kObjectIdBytes);
    case Tag::kBinary: return payload.empty() ? corrupt("binary bytes without subtype") : Status{};
    case Tag::kRegularExpression: return validate_regular_expression(payload);
    case Tag::kNarrowArray:
    case Tag::kWideArray:
    case Tag::kNarrowObject:
    case Tag::kWideObject:
    case Tag::kLargeObject: return validate_container(bytes, form_of(tag), depth);
  }
  return corrupt(fmt::format("unknown tag 0x{:02X}", static_cast<uint8_t>(bytes.front())));
}

}  // namespace

Status validate_stored_form(std::string_view stored) { return validate_value(stored, 0); }

}  // namespace partita
