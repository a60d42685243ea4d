#include "document/key/extended_key_form.h"

#include "base/bytes.h"
#include "document/exact_number.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace partita {

namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr uint8_t kExactMark = 0;
constexpr uint8_t kDecimalMark = 1;
constexpr int kExponentBias = 0x4000;
constexpr std::string_view kEscapedZero("\x00\xFF", 2);
constexpr std::string_view kEnd("\x00\x01", 2);

uint8_t rank_byte(const Value& value) { return static_cast<uint8_t>(rank_of(value.kind())); }

// ExtendedKeyFormWriter: appends key forms and stops when it has written enough; what is beyond `bytes_max` is cut by the caller.
class ExtendedKeyFormWriter {
 public:
  ExtendedKeyFormWriter(std::string& out, size_t bytes_max) : out_(out), start_(out.size()), bytes_max_(bytes_max) {}

  void value(const Value& value) {
    byte(rank_byte(value));
    payload(value);
  }

 private:
  bool is_full() const { return out_.size() - start_ >= bytes_max_; }
  void byte(uint8_t value) { out_ += static_cast<char>(value); }

  // What is behind the rank.
  void payload(const Value& value) {
    switch (rank_of(value.kind())) {
      case ExtendedRank::kMinKey:
      case ExtendedRank::kUndefined:
      case ExtendedRank::kNull:
      case ExtendedRank::kMaxKey: return;
      case ExtendedRank::kNumber: return number(ExactNumber::of(value));
      case ExtendedRank::kString: return text(value.is_string() ? value.string() : value.text());
      case ExtendedRank::kObject: return object(value);
      case ExtendedRank::kArray: return array(value);
      case ExtendedRank::kBinary: return binary(value.binary());
      case ExtendedRank::kObjectId: out_ += value.object_id(); return;
      case ExtendedRank::kBool: return byte(value.boolean() ? 1 : 0);
      case ExtendedRank::kDateTime: return append_big_endian(out_, static_cast<uint64_t>(value.milliseconds()) ^ kSignBit);
      case ExtendedRank::kTimestamp: return append_big_endian(out_, value.timestamp());
      case ExtendedRank::kRegularExpression:
        text(value.regular_expression().pattern);
        return text(value.regular_expression().options);
      case ExtendedRank::kCode: return text(value.text());
    }
  }

  void number(const ExactNumber& number) {
    const size_t begin = out_.size();
    if (std::isnan(number.truncated)) {
      out_.append(sizeof(uint64_t) + 1, '\0');
      return;
    }
    append_big_endian(out_, std::bit_cast<uint64_t>(number.truncated) | kSignBit);
    byte(number.is_exact ? kExactMark : kDecimalMark);
    if (!number.is_exact) digits(number.whole);
    if (!std::signbit(number.truncated)) return;
    for (size_t i = begin; i < out_.size(); ++i) out_[i] = static_cast<char>(~out_[i]);
  }

  void digits(const DecimalNumber& number) {
    char digits[kUint128DigitsMax];
    const size_t count = write_digits(digits, number.coefficient);
    append_big_endian(out_, static_cast<uint16_t>(number.exponent + static_cast<int>(count) - 1 + kExponentBias));
    const auto half = [&](size_t i) { return i < count ? static_cast<unsigned>(digits[i] - '0' + 1) : 0U; };
    for (size_t i = 0; i <= count; i += 2) byte(static_cast<uint8_t>(half(i) << 4 | half(i + 1)));
  }

  // Of a text that is longer than what is kept, only that is looked at.
  void text(std::string_view bytes) {
    bytes = bytes.substr(0, bytes_max_);
    for (size_t at = 0;;) {
      const size_t zero = bytes.find('\0', at);
      out_.append(bytes.substr(at, zero - at));
      if (zero == std::string_view::npos) break;
      out_ += kEscapedZero;
      at = zero + 1;
    }
    out_ += kEnd;
  }

  void object(const Value& object) {
    for (size_t i = 0; i < object.size() && !is_full(); ++i) {
      const Value::Member member = object.member(i);
      byte(rank_byte(member.value));
      text(member.key);
      payload(member.value);
    }
    byte(0);
  }

  void array(const Value& array) {
    for (size_t i = 0; i < array.size() && !is_full(); ++i) value(array.element(i));
    byte(0);
  }

  void binary(const Value::Binary& binary) {
    append_big_endian(out_, static_cast<uint32_t>(binary.bytes.size()));
    byte(binary.subtype);
    out_ += binary.bytes.substr(0, bytes_max_);
  }

  std::string& out_;
  size_t start_;
  size_t bytes_max_;
};

}  // namespace

void append_extended_key_form(std::string& out, const Value& value) {
  const size_t start = out.size();
  ExtendedKeyFormWriter(out, kExtendedKeyFormBytesMax).value(value);
  if (out.size() - start > kExtendedKeyFormBytesMax) out.resize(start + kExtendedKeyFormBytesMax);
}

void append_whole_extended_key_form(std::string& out, const Value& value) {
  ExtendedKeyFormWriter(out, std::string_view::npos).value(value);
}

}  // namespace partita
