#include "document/key/key_form.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/prefix_end.h"

#include <bit>
#include <cmath>

namespace partita {

namespace {

// First byte of every key form, in the order of the types. Smaller and larger bytes are left to those who concatenate key forms.
enum class Lead : uint8_t {
  kUndefined = 0x10,
  kNull = 0x20,
  kFalse = 0x30,
  kTrue = 0x38,
  kNumber = 0x40,
  kString = 0x50,
  kArray = 0x60,
  kObject = 0x70,
  kExtended = 0x78,
};

// A zero byte inside a string is 00 FF; its end is 00 01, or 00 02 when it was cut.
constexpr std::string_view kEscapedZero("\x00\xFF", 2);
constexpr std::string_view kEnd("\x00\x01", 2);
constexpr std::string_view kCutEnd("\x00\x02", 2);

void append_lead(std::string& out, Lead lead) { out += static_cast<char>(lead); }

void append_escaped(std::string& out, std::string_view bytes) {
  for (size_t at = 0;;) {
    const size_t zero = bytes.find('\0', at);
    out.append(bytes.substr(at, zero - at));
    if (zero == std::string_view::npos) break;
    out.append(kEscapedZero);
    at = zero + 1;
  }
}

void append_string(std::string& out, std::string_view bytes, std::string_view end) {
  append_lead(out, Lead::kString);
  append_escaped(out, bytes);
  out.append(end);
}

KeyFormRange range_of(Lead first, Lead last) {
  KeyFormRange range;
  append_lead(range.from, first);
  range.to += static_cast<char>(static_cast<uint8_t>(last) + 1);
  return range;
}

// The bytes between lead and end, with zero bytes as they were. Nothing when an escape is broken.
std::optional<std::string_view> unescape(std::string_view bytes, std::string& scratch) {
  size_t zero = bytes.find('\0');
  if (zero == std::string_view::npos) return bytes;
  scratch.clear();
  size_t at = 0;
  for (; zero != std::string_view::npos; zero = bytes.find('\0', at)) {
    if (bytes.substr(zero, kEscapedZero.size()) != kEscapedZero) return std::nullopt;
    scratch.append(bytes.substr(at, zero + 1 - at));
    at = zero + kEscapedZero.size();
  }
  scratch.append(bytes.substr(at));
  return scratch;
}

std::optional<KeyFormValue> read_string(std::string_view payload, std::string& scratch) {
  const bool is_cut = payload.ends_with(kCutEnd);
  if (!is_cut && !payload.ends_with(kEnd)) return std::nullopt;
  const auto text = unescape(payload.substr(0, payload.size() - kEnd.size()), scratch);
  if (!text) return std::nullopt;
  KeyFormValue value{.type = ValueType::kString, .is_exact = !is_cut};
  value.string = *text;
  return value;
}

// Behind the lead and the end of the string; nothing when it has no end.
std::optional<size_t> string_form_bytes(std::string_view bytes) {
  size_t at = 1;
  while (true) {
    at = bytes.find('\0', at);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view mark = bytes.substr(at, kEnd.size());
    at += kEnd.size();
    if (mark == kEnd || mark == kCutEnd) return at;
    if (mark != kEscapedZero) return std::nullopt;
  }
}

std::optional<KeyFormValue> read_number(std::string_view payload) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (payload.size() != sizeof(uint64_t)) return std::nullopt;
  const auto bits = load_big_endian<uint64_t>(payload.data());
  KeyFormValue value{.type = ValueType::kNumber};
  value.number = std::bit_cast<double>((bits & kSign) != 0 ? bits & ~kSign : ~bits);
  value.is_exact = std::abs(value.number) < kKeyIntegerMax;
  return std::isfinite(value.number) ? std::optional(value) : std::nullopt;
}

std::optional<KeyFormValue> read_extended(std::string_view payload) {
  if (first_extended_key_form_bytes(payload) != payload.size()) return std::nullopt;
  return KeyFormValue{.type = ValueType::kExtended, .is_exact = false};
}

}  // namespace

void append_key_form(std::string& out, const Value& value) {
  switch (value.type()) {
    case ValueType::kUndefined: return append_key_form_undefined(out);
    case ValueType::kNull: return append_key_form_null(out);
    case ValueType::kBool: return append_key_form_bool(out, value.boolean());
    case ValueType::kNumber: return append_key_form_number(out, value.number());
    case ValueType::kString: return append_key_form_string(out, value.string());
    case ValueType::kArray: return append_lead(out, Lead::kArray);
    case ValueType::kObject: return append_lead(out, Lead::kObject);
    case ValueType::kExtended: append_lead(out, Lead::kExtended); return append_extended_key_form(out, value);
  }
}

void append_key_form_undefined(std::string& out) { append_lead(out, Lead::kUndefined); }
void append_key_form_null(std::string& out) { append_lead(out, Lead::kNull); }
void append_key_form_bool(std::string& out, bool value) { append_lead(out, value ? Lead::kTrue : Lead::kFalse); }

void append_key_form_number(std::string& out, double value) {
  CHECK(std::isfinite(value));
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);  // -0 and 0 are one number
  append_lead(out, Lead::kNumber);
  append_big_endian(out, (bits & kSign) != 0 ? ~bits : bits | kSign);
}

void append_key_form_string(std::string& out, std::string_view utf8) {
  const bool is_cut = utf8.size() > kKeyStringBytesMax;
  append_string(out, utf8.substr(0, kKeyStringBytesMax), is_cut ? kCutEnd : kEnd);
}

void append_key_form_whole_string(std::string& out, std::string_view utf8) { append_string(out, utf8, kEnd); }

void append_key_form_prefix(std::string& out, std::string_view utf8) {
  append_lead(out, Lead::kString);
  append_escaped(out, utf8.substr(0, kKeyStringBytesMax));
}

KeyFormRange key_forms_of(ValueType type) {
  switch (type) {
    case ValueType::kUndefined: return range_of(Lead::kUndefined, Lead::kUndefined);
    case ValueType::kNull: return range_of(Lead::kNull, Lead::kNull);
    case ValueType::kBool: return range_of(Lead::kFalse, Lead::kTrue);
    case ValueType::kNumber: return range_of(Lead::kNumber, Lead::kNumber);
    case ValueType::kString: return range_of(Lead::kString, Lead::kString);
    case ValueType::kArray: return range_of(Lead::kArray, Lead::kArray);
    case ValueType::kObject: return range_of(Lead::kObject, Lead::kObject);
    case ValueType::kExtended: return range_of(Lead::kExtended, Lead::kExtended);
  }
  return {};
}

KeyFormRange key_forms_of_defined() { return range_of(Lead::kNull, Lead::kExtended); }

KeyFormRange key_forms_beginning_with(std::string_view bytes) { return {std::string(bytes), prefix_end(bytes)}; }

std::optional<KeyFormValue> read_key_form(std::string_view key, std::string& scratch) {
  if (key.empty()) return std::nullopt;
  const std::string_view payload = key.substr(1);
  const auto lead = static_cast<Lead>(key.front());
  if (lead == Lead::kNumber) return read_number(payload);
  if (lead == Lead::kString) return read_string(payload, scratch);
  if (lead == Lead::kExtended) return read_extended(payload);
  if (!payload.empty()) return std::nullopt;
  switch (lead) {
    case Lead::kUndefined: return KeyFormValue{};
    case Lead::kNull: return KeyFormValue{.type = ValueType::kNull};
    case Lead::kFalse: return KeyFormValue{.type = ValueType::kBool};
    case Lead::kTrue: return KeyFormValue{.type = ValueType::kBool, .boolean = true};
    case Lead::kArray: return KeyFormValue{.type = ValueType::kArray, .is_exact = false};
    case Lead::kObject: return KeyFormValue{.type = ValueType::kObject, .is_exact = false};
    default: return std::nullopt;
  }
}

std::optional<size_t> first_key_form_bytes(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  std::optional<size_t> length = 1;
  if (static_cast<Lead>(bytes.front()) == Lead::kNumber) length = 1 + sizeof(uint64_t);
  if (static_cast<Lead>(bytes.front()) == Lead::kString) length = string_form_bytes(bytes);
  if (static_cast<Lead>(bytes.front()) == Lead::kExtended) {
    length = first_extended_key_form_bytes(bytes.substr(1)).transform([](size_t behind) { return behind + 1; });
  }
  std::string scratch;
  if (!length || *length > bytes.size() || !read_key_form(bytes.substr(0, *length), scratch)) return std::nullopt;
  return length;
}

}  // namespace partita
