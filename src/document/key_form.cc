#include "document/key_form.h"

#include "base/bytes.h"
#include "base/check.h"

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
};

// A zero byte inside a string is 00 FF; its end is 00 01, or 00 02 when it was cut.
constexpr std::string_view kEscapedZero("\x00\xFF", 2);
constexpr std::string_view kEnd("\x00\x01", 2);
constexpr std::string_view kCutEnd("\x00\x02", 2);

void append_lead(std::string& out, Lead lead) { out += static_cast<char>(lead); }

void append_string(std::string& out, std::string_view bytes, std::string_view end) {
  append_lead(out, Lead::kString);
  for (size_t at = 0;;) {
    const size_t zero = bytes.find('\0', at);
    out.append(bytes.substr(at, zero - at));
    if (zero == std::string_view::npos) break;
    out.append(kEscapedZero);
    at = zero + 1;
  }
  out.append(end);
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

}  // namespace partita
