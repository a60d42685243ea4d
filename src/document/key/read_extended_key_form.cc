#include "base/bytes.h"
#include "document/exact_number.h"
#include "document/json/utf8.h"
#include "document/key/extended_key_form.h"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

// Trusts nothing: a key form may come from a client's continuation.
namespace partita {

namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr int kExponentBias = 0x4000;
// As deep as stored forms are.
constexpr size_t kNestingMax = 512;

// KeyFormReader: one key form from left to right, into a writer if there is one.
//
// Every step returns false when these bytes are no key form; is_short() tells whether more bytes could have made them one.
class KeyFormReader {
 public:
  KeyFormReader(std::string_view bytes, StoredWriter* out) : bytes_(bytes), rest_(bytes), out_(out) {}

  bool value() {
    uint8_t rank = 0;
    return byte(rank) && payload(rank);
  }
  bool is_short() const { return is_short_; }
  size_t read_bytes() const { return bytes_.size() - rest_.size(); }

 private:
  bool take(size_t count, std::string_view& taken) {
    is_short_ = rest_.size() < count;
    if (is_short_) return false;
    taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
  }

  bool byte(uint8_t& value) {
    std::string_view taken;
    if (!take(1, taken)) return false;
    value = static_cast<uint8_t>(taken.front());
    return true;
  }

  template <typename T>
  bool word(T& value) {
    std::string_view taken;
    if (!take(sizeof(T), taken)) return false;
    value = load_big_endian<T>(taken.data());
    return true;
  }

  // The bytes of a text as they were, into `text`.
  bool unescaped(std::string& text) {
    text.clear();
    while (true) {
      const size_t zero = rest_.find('\0');
      is_short_ = zero == std::string_view::npos || zero + 1 == rest_.size();
      if (is_short_) return false;
      text += rest_.substr(0, zero);
      const auto mark = static_cast<uint8_t>(rest_[zero + 1]);
      rest_.remove_prefix(zero + 2);
      if (mark == 0x01) return well_formed_utf8_bytes(text, Surrogates::kAccepted) == text.size();
      if (mark != 0xFF) return false;
      text += '\0';
    }
  }

  bool payload(uint8_t rank) {
    switch (static_cast<ExtendedRank>(rank)) {
      case ExtendedRank::kUndefined: return out_ == nullptr;  // it has no stored form
      case ExtendedRank::kMinKey: return write([&] { out_->min_key(); });
      case ExtendedRank::kNull: return write([&] { out_->null(); });
      case ExtendedRank::kMaxKey: return write([&] { out_->max_key(); });
      case ExtendedRank::kNumber: return number();
      case ExtendedRank::kString: return unescaped(text_) && write([&] { out_->string(text_); });
      case ExtendedRank::kCode: return unescaped(text_) && write([&] { out_->code(text_); });
      case ExtendedRank::kObject: return object();
      case ExtendedRank::kArray: return array();
      case ExtendedRank::kBinary: return binary();
      case ExtendedRank::kObjectId: {
        std::string_view id;
        return take(kObjectIdBytes, id) && write([&] { out_->object_id(id); });
      }
      case ExtendedRank::kBool: {
        uint8_t value = 0;
        return byte(value) && value <= 1 && write([&] { out_->boolean(value == 1); });
      }
      case ExtendedRank::kDateTime: {
        uint64_t value = 0;
        return word(value) && write([&] { out_->date_time(static_cast<int64_t>(value ^ kSignBit)); });
      }
      case ExtendedRank::kTimestamp: {
        uint64_t value = 0;
        return word(value) && write([&] { out_->timestamp(value); });
      }
      case ExtendedRank::kRegularExpression: return regular_expression();
    }
    return false;
  }

  bool write(const auto& call) {
    if (out_ != nullptr) call();
    return true;
  }

  bool binary() {
    uint32_t size = 0;
    uint8_t subtype = 0;
    std::string_view bytes;
    return word(size) && byte(subtype) && take(size, bytes) && write([&] { out_->binary(subtype, bytes); });
  }

  bool regular_expression() {
    std::string pattern;
    if (!unescaped(pattern) || !unescaped(text_)) return false;
    if (pattern.contains('\0') || text_.contains('\0')) return false;
    return write([&] { out_->regular_expression(pattern, text_); });
  }

  bool array() {
    if (++depth_ > kNestingMax) return false;
    write([&] { out_->begin_array(); });
    for (uint8_t rank = 0; byte(rank);) {
      if (rank == 0) {
        --depth_;
        return write([&] { out_->end_array(); });
      }
      // Elements are never undefined.
      if (static_cast<ExtendedRank>(rank) == ExtendedRank::kUndefined || !payload(rank)) return false;
    }
    return false;
  }

  bool object() {
    if (++depth_ > kNestingMax) return false;
    write([&] { out_->begin_object(); });
    for (uint8_t rank = 0; byte(rank);) {
      if (rank == 0) {
        --depth_;
        return write([&] { out_->end_object(); });
      }
      if (!unescaped(text_)) return false;
      write([&] { out_->key(text_); });
      if (static_cast<ExtendedRank>(rank) == ExtendedRank::kUndefined || !payload(rank)) return false;
    }
    return false;
  }

  // Only the one key form that a number has is taken.
  bool number() {
    uint64_t bits = 0;
    uint8_t mark = 0;
    if (!word(bits) || !byte(mark)) return false;
    if (bits == 0 && mark == 0) return write([&] { out_->float64(std::numeric_limits<double>::quiet_NaN()); });
    const bool is_negative = (bits & kSignBit) == 0;
    const uint8_t inverted = is_negative ? 0xFF : 0;
    const auto truncated = std::bit_cast<double>(is_negative ? ~bits : bits & ~kSignBit);
    mark ^= inverted;
    if (std::isnan(truncated) || mark > 1) return false;
    if (mark == 1) return decimal(truncated, inverted);
    if (truncated == 0 && is_negative) return false;
    return write([&] { out_->float64(truncated); });
  }

  bool decimal(double truncated, uint8_t inverted) {
    uint16_t exponent = 0;
    if (!word(exponent)) return false;
    exponent ^= static_cast<uint16_t>(inverted << 8 | inverted);
    DecimalNumber number{.is_negative = inverted != 0};
    int count = 0;
    if (!digits(number.coefficient, count, inverted)) return false;
    number.exponent = static_cast<int>(exponent) - kExponentBias - count + 1;
    const std::optional<Decimal128> value = Decimal128::fitting(number);
    if (!value || number.coefficient % 10 == 0) return false;
    const ExactNumber exact = ExactNumber::of(*value);
    const bool is_its_own = !exact.is_exact && std::bit_cast<uint64_t>(exact.truncated) == std::bit_cast<uint64_t>(truncated);
    return is_its_own && write([&] { out_->decimal(*value); });
  }

  bool digits(Uint128& coefficient, int& count, uint8_t inverted) {
    for (uint8_t pair = 0; byte(pair);) {
      pair ^= inverted;
      for (const unsigned half : {static_cast<unsigned>(pair >> 4), static_cast<unsigned>(pair & 0xF)}) {
        if (half == 0) return (pair & 0xF) == 0;  // nothing may follow the end
        if (half > 10 || ++count > static_cast<int>(Decimal128::kDigitsMax)) return false;
        coefficient = coefficient * 10 + (half - 1);
      }
    }
    return false;
  }

  std::string_view bytes_;
  std::string_view rest_;
  StoredWriter* out_;
  std::string text_;
  size_t depth_ = 0;
  bool is_short_ = false;
};

}  // namespace

bool read_extended_key_form(std::string_view key, StoredWriter& out) {
  KeyFormReader reader(key, &out);
  return reader.value() && reader.read_bytes() == key.size();
}

std::optional<size_t> first_extended_key_form_bytes(std::string_view bytes) {
  KeyFormReader reader(bytes.substr(0, kExtendedKeyFormBytesMax), nullptr);
  if (reader.value()) return reader.read_bytes();
  const bool is_cut = reader.is_short() && bytes.size() >= kExtendedKeyFormBytesMax;
  return is_cut ? std::optional(kExtendedKeyFormBytesMax) : std::nullopt;
}

}  // namespace partita
