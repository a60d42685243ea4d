#include "document/json.h"

#include "base/bytes.h"
#include "base/check.h"
#include "document/number.h"
#include "document/utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

// Stored form to JSON text.
namespace partita {

namespace {

// Every character that may need an escape: quote, backslash, controls, and the lead byte that surrogates share with U+D000-U+D7FF.
constexpr char kSurrogateLead = '\xED';

bool may_need_escape(char character) {
  return static_cast<uint8_t>(character) < 0x20 || character == '"' || character == '\\' || character == kSurrogateLead;
}

constexpr uint64_t in_every_byte(uint8_t byte) { return 0x0101010101010101u * byte; }

// The two functions below look at eight bytes at once, in any order.
constexpr uint64_t bytes_below(uint64_t word, uint8_t limit) { return (word - in_every_byte(limit)) & ~word & in_every_byte(0x80); }
constexpr uint64_t bytes_equal(uint64_t word, char wanted) {
  return bytes_below(word ^ in_every_byte(static_cast<uint8_t>(wanted)), 1);
}

bool is_plain(uint64_t word) {
  return (bytes_below(word, 0x20) | bytes_equal(word, '"') | bytes_equal(word, '\\') | bytes_equal(word, kSurrogateLead)) == 0;
}

bool is_plain(std::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  if (left >= 8) {
    for (; left > 8; at += 8, left -= 8) {
      if (!is_plain(load_little_endian<uint64_t>(at))) return false;
    }
    return is_plain(load_little_endian<uint64_t>(text.data() + text.size() - 8));  // may overlap the word before
  }
  uint64_t word = in_every_byte('x');
  std::memcpy(&word, at, left);
  return is_plain(word);
}

// JsonText: appends to a string through a bare pointer, so that the room for several pieces is checked once.
class JsonText {
 public:
  JsonText(std::string& out, size_t expected_bytes) : out_(out), at_(out.data() + out.size()), end_(at_) { reserve(expected_bytes); }
  ~JsonText() { out_.resize(static_cast<size_t>(at_ - out_.data())); }
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  void append(const Value& value) {
    switch (value.type()) {
      case ValueType::kUndefined: return;
      case ValueType::kNull: return append("null");
      case ValueType::kBool: return append(value.boolean() ? std::string_view("true") : std::string_view("false"));
      case ValueType::kNumber: return append_number(value);
      case ValueType::kString: return append_string(value.string());
      case ValueType::kArray: return append_array(value);
      case ValueType::kObject: return append_object(value);
    }
  }

  void append_string(std::string_view utf8) {
    reserve(utf8.size() + 2);
    *at_++ = '"';
    if (is_plain(utf8)) {
      std::memcpy(at_, utf8.data(), utf8.size());
      at_ += utf8.size();
    } else {
      append_escaped(utf8);
    }
    reserve(1);
    *at_++ = '"';
  }

  void append_double(double value) {
    CHECK(std::isfinite(value));
    reserve(kNumberTextBytesMax);
    at_ = write_double(at_, value);
  }

 private:
  static constexpr size_t kSmallestGrowth = 256;

  void reserve(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) >= bytes) return;
    const auto used = static_cast<size_t>(at_ - out_.data());
    const size_t size = used + std::max({bytes, used, kSmallestGrowth});
    out_.resize_and_overwrite(size, [](char*, size_t count) { return count; });
    at_ = out_.data() + used;
    end_ = out_.data() + size;
  }

  void append(std::string_view text) {
    reserve(text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void append(char character) {
    reserve(1);
    *at_++ = character;
  }

  void append_number(const Value& value) {
    if (const auto integer = value.stored_integer()) {
      reserve(kNumberTextBytesMax);
      at_ = std::to_chars(at_, end_, *integer).ptr;
    } else if (const auto text = value.number_text()) {
      append(*text);
    } else {
      append_double(value.number());
    }
  }

  void append_array(const Value& array) {
    append('[');
    const size_t size = array.size();
    for (size_t i = 0; i < size; ++i) {
      if (i > 0) append(',');
      append(array.element(i));
    }
    append(']');
  }

  void append_object(const Value& object) {
    append('{');
    const size_t size = object.size();
    for (size_t i = 0; i < size; ++i) {
      if (i > 0) append(',');
      const auto [key, value] = object.member(i);
      append_string(key);
      append(':');
      append(value);
    }
    append('}');
  }

  void append_escaped(std::string_view utf8) {
    constexpr size_t kPieceBytes = 32;
    while (!utf8.empty()) {
      if (const std::string_view piece = utf8.substr(0, kPieceBytes); is_plain(piece)) {
        append(piece);
        utf8.remove_prefix(piece.size());
        continue;
      }
      size_t plain = 0;
      while (plain < utf8.size() && !may_need_escape(utf8[plain])) ++plain;
      append(utf8.substr(0, plain));
      utf8.remove_prefix(plain);
      if (!utf8.empty()) utf8.remove_prefix(append_escape(utf8));
    }
  }

  // Appends the character at the beginning, which may need an escape; returns its bytes.
  size_t append_escape(std::string_view utf8) {
    switch (utf8.front()) {
      case '"': append("\\\""); return 1;
      case '\\': append("\\\\"); return 1;
      case '\b': append("\\b"); return 1;
      case '\f': append("\\f"); return 1;
      case '\n': append("\\n"); return 1;
      case '\r': append("\\r"); return 1;
      case '\t': append("\\t"); return 1;
      default: break;
    }
    const auto [code_point, bytes] = first_code_point(utf8);
    if (code_point < 0x20 || is_surrogate(code_point)) {
      append_unicode_escape(code_point);
    } else {
      append(utf8.substr(0, bytes));
    }
    return bytes;
  }

  void append_unicode_escape(uint32_t unit) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) append(kDigits[unit >> shift & 0xF]);
  }

  std::string& out_;
  char* at_;
  char* end_;
};

}  // namespace

void append_json(std::string& out, const Value& value) {
  JsonText text(out, value.bytes().size() + value.bytes().size() / 4);
  text.append(value);
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

void append_json_string(std::string& out, std::string_view utf8) {
  JsonText text(out, utf8.size() + 2);
  text.append_string(utf8);
}

void append_json_number(std::string& out, double value) {
  JsonText text(out, kNumberTextBytesMax);
  text.append_double(value);
}

}  // namespace partita
