#include "base/check.h"
#include "base/encodings.h"
#include "document/json/byte_scan.h"
#include "document/json/json.h"
#include "document/json/utf8.h"
#include "document/number.h"
#include "document/stored/stored_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Stored form to JSON text: one walk over the bytes.
namespace partita {

using stored::Container;
using stored::Tag;

namespace {

// What may need an escape: quote, backslash, controls, and the lead byte that surrogates share with U+D000-U+D7FF.
constexpr char kSurrogateLead = '\xED';

bool may_need_escape(char character) {
  return static_cast<uint8_t>(character) < 0x20 || character == '"' || character == '\\' || character == kSurrogateLead;
}

constexpr size_t kBlockBytes = 32;

// Copies whole blocks, so up to kBlockBytes - 1 bytes too many, from the text to `out`. Returns how many of the text's bytes come
// before the first that may need an escape. REQUIRES: as many bytes to read and to write behind the text.
#ifdef __AVX2__
size_t copy_plain_blocks(char* out, std::string_view text) {
  for (size_t at = 0; at < text.size(); at += kBlockBytes) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at), block);
    const __m256i controls = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(0x1F)), block);
    const __m256i quotes = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('"'));
    const __m256i backslashes = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\'));
    const __m256i surrogates = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(kSurrogateLead));
    const __m256i special = _mm256_or_si256(_mm256_or_si256(controls, quotes), _mm256_or_si256(backslashes, surrogates));
    const auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(special));
    if (mask != 0) return std::min(at + static_cast<size_t>(std::countr_zero(mask)), text.size());
  }
  return text.size();
}
#else
bool is_plain(std::string_view text) {
  return !any_word(text, [](uint64_t word) {
    return (any_below(word, 0x20) | any_equal(word, '"') | any_equal(word, '\\') | any_equal(word, kSurrogateLead)) != 0;
  });
}

size_t copy_plain_blocks(char* out, std::string_view text) {
  for (size_t at = 0; at < text.size(); at += kBlockBytes) {
    const std::string_view block = text.substr(at, kBlockBytes);
    std::memcpy(out + at, block.data(), block.size());
    if (!is_plain(block)) return at + static_cast<size_t>(std::ranges::find_if(block, may_need_escape) - block.begin());
  }
  return text.size();
}
#endif

const char* end_of(std::string_view bytes) { return bytes.data() + bytes.size(); }

// JsonText: appends to a string through a bare pointer.
//
// Invariant: kSlackBytes can be written at at_ without asking; who writes more reserves first.
class JsonText {
 public:
  // Nothing that is appended later reads behind `source_end`.
  JsonText(std::string& out, size_t expected_bytes, const char* source_end) : out_(out), source_end_(source_end) {
    grow(out.size(), expected_bytes);
  }
  ~JsonText() { out_.resize(static_cast<size_t>(at_ - out_.data())); }
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  void append_value(std::string_view stored) {
    const std::string_view payload = stored.substr(stored::kTagBytes);
    reserve(0);
    switch (static_cast<Tag>(stored.front())) {
      case Tag::kNull: return append_word("null");
      case Tag::kFalse: return append_word("false");
      case Tag::kTrue: return append_word("true");
      case Tag::kInteger: at_ = std::to_chars(at_, at_ + kSlackBytes, stored::load_integer(payload)).ptr; return;
      case Tag::kDouble: at_ = write_double(at_, stored::load_double(payload)); return;
      case Tag::kNumberText: return append_text(payload);
      case Tag::kString: return append_string(payload);
      case Tag::kNarrowArray:
      case Tag::kWideArray: return append_array(Container(stored));
      case Tag::kNarrowObject:
      case Tag::kWideObject:
      case Tag::kLargeObject: return append_object(Container(stored));
      default: return append_extended(Value::view(stored));
    }
  }

  // Relaxed extended JSON: numbers as numbers where JSON has them, everything else as an object with one member that begins with
  // $.
  [[gnu::noinline]] void append_extended(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kInt32:
      case ValueKind::kInt64: at_ = std::to_chars(at_, at_ + kSlackBytes, *value.integer()).ptr; return;
      case ValueKind::kFloat64: return append_float(value.float64());
      case ValueKind::kDecimal128: return append_wrapped("$numberDecimal", value.decimal().to_text());
      case ValueKind::kBinary: return append_binary(value.binary());
      case ValueKind::kDateTime: return append_date_time(value.milliseconds());
      case ValueKind::kObjectId: return append_wrapped("$oid", hex_lower(value.object_id()));
      case ValueKind::kRegularExpression: return append_regular_expression(value.regular_expression());
      case ValueKind::kTimestamp: return append_timestamp(value.timestamp());
      case ValueKind::kMinKey: return append_word(R"({"$minKey":1})");
      case ValueKind::kMaxKey: return append_word(R"({"$maxKey":1})");
      case ValueKind::kCode: return append_wrapped("$code", value.text());
      case ValueKind::kSymbol: return append_wrapped("$symbol", value.text());
      default: break;
    }
    CHECK_MESSAGE(false, "bytes that are not a stored form");
  }

  void append_string(std::string_view utf8) {
    reserve(utf8.size());
    *at_++ = '"';
    while (!utf8.empty()) {
      const size_t plain = append_plain(utf8);
      utf8.remove_prefix(plain);
      if (utf8.empty()) break;
      utf8.remove_prefix(append_escape(utf8));
      reserve(utf8.size());
    }
    *at_++ = '"';
  }

  void append_double(double value) {
    CHECK(std::isfinite(value));
    reserve(0);
    at_ = write_double(at_, value);
  }

 private:
  static constexpr size_t kSlackBytes = 2 * kBlockBytes;

  void append_float(double value) {
    if (std::isfinite(value)) {
      at_ = write_double(at_, value);
    } else {
      append_wrapped("$numberDouble", std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
    }
  }

  // {"name":"text"}
  void append_wrapped(std::string_view name, std::string_view text) {
    append_opening(name);
    append_own_string(text);
    append_word("}");
  }

  // A string that is none of the source's, so that nothing behind it may be read.
  void append_own_string(std::string_view text) {
    const char* source_end = std::exchange(source_end_, end_of(text));
    append_string(text);
    source_end_ = source_end;
    reserve(0);
  }

  // {"name":
  void append_opening(std::string_view name) {
    reserve(0);
    append_word("{\"");
    append_word(name);
    append_word("\":");
  }

  void append_binary(const Value::Binary& binary) {
    append_opening("$binary");
    append_word(R"({"base64":)");
    append_own_string(base64(binary.bytes));
    append_word(R"(,"subType":")");
    append_word(hex_lower({reinterpret_cast<const char*>(&binary.subtype), 1}));
    append_word(R"("}})");
  }

  // ISO 8601 where a year has four digits, else as a number of milliseconds.
  void append_date_time(int64_t milliseconds) {
    constexpr int64_t kEndOf9999 = 253'402'300'800'000;
    if (milliseconds < 0 || milliseconds >= kEndOf9999) {
      append_opening("$date");
      append_wrapped("$numberLong", std::to_string(milliseconds));
      return append_word("}");
    }
    const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    append_wrapped("$date",
                   fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                               static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                               clock.minutes().count(), clock.seconds().count(), clock.subseconds().count()));
  }

  void append_regular_expression(const Value::RegularExpression& expression) {
    append_opening("$regularExpression");
    append_word(R"({"pattern":)");
    append_own_string(expression.pattern);
    append_word(R"(,"options":)");
    append_own_string(expression.options);
    append_word("}}");
  }

  void append_timestamp(uint64_t value) {
    append_opening("$timestamp");
    append_text(fmt::format(R"({{"t":{},"i":{}}}}})", value >> 32, value & 0xFFFFFFFF));
  }

  static std::string hex_lower(std::string_view bytes) {
    std::string text = hex_upper(bytes);
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
  }

  static_assert(kSlackBytes >= kNumberTextBytesMax);

  // Room for so many bytes besides the slack.
  void reserve(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes + kSlackBytes) [[unlikely]]
      grow(static_cast<size_t>(at_ - out_.data()), bytes);
  }

  [[gnu::noinline]] void grow(size_t used, size_t bytes) {
    const size_t size = used + std::max(bytes, used) + 2 * kSlackBytes;
    out_.resize_and_overwrite(size, [](char*, size_t count) { return count; });
    at_ = out_.data() + used;
    end_ = out_.data() + size;
  }

  // Within the slack.
  void append_word(std::string_view word) {
    std::memcpy(at_, word.data(), word.size());
    at_ += word.size();
  }

  void append_text(std::string_view text) {
    reserve(text.size());
    append_word(text);
  }

  void append_array(const Container& array) {
    *at_++ = '[';
    for (size_t i = 0; i < array.count(); ++i) {
      if (i > 0) *at_++ = ',';
      append_value(array.entry(i));
    }
    reserve(0);
    *at_++ = ']';
  }

  void append_object(const Container& object) {
    *at_++ = '{';
    for (size_t i = 0; i < object.count(); ++i) {
      const auto [key, value] = stored::split_member(object.entry(i));
      if (i > 0) *at_++ = ',';
      append_string(key);
      *at_++ = ':';
      append_value(value);
    }
    reserve(0);
    *at_++ = '}';
  }

  // Appends what needs no escape at the beginning; returns its bytes. REQUIRES: room for the whole text.
  size_t append_plain(std::string_view utf8) {
    const bool is_readable_behind = static_cast<size_t>(source_end_ - utf8.data()) >= utf8.size() + kBlockBytes;
    const size_t in_blocks = is_readable_behind ? utf8.size() : utf8.size() / kBlockBytes * kBlockBytes;
    size_t plain = copy_plain_blocks(at_, utf8.substr(0, in_blocks));
    if (plain == in_blocks) {
      for (; plain < utf8.size() && !may_need_escape(utf8[plain]); ++plain) at_[plain] = utf8[plain];
    }
    at_ += plain;
    return plain;
  }

  // Appends the character at the beginning, which may need an escape; returns its bytes.
  size_t append_escape(std::string_view utf8) {
    switch (utf8.front()) {
      case '"': append_word("\\\""); return 1;
      case '\\': append_word("\\\\"); return 1;
      case '\b': append_word("\\b"); return 1;
      case '\f': append_word("\\f"); return 1;
      case '\n': append_word("\\n"); return 1;
      case '\r': append_word("\\r"); return 1;
      case '\t': append_word("\\t"); return 1;
      default: break;
    }
    const auto [code_point, bytes] = first_code_point(utf8);
    if (code_point < 0x20 || is_surrogate(code_point)) {
      append_unicode_escape(code_point);
    } else {
      append_word(utf8.substr(0, bytes));
    }
    return bytes;
  }

  void append_unicode_escape(uint32_t unit) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    append_word("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) *at_++ = kDigits[unit >> shift & 0xF];
  }

  std::string& out_;
  const char* source_end_;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace

void append_json(std::string& out, const Value& value) {
  if (value.is_undefined()) return;
  const std::string_view bytes = value.bytes();
  JsonText text(out, bytes.size() + bytes.size() / 4, end_of(bytes));
  text.append_value(bytes);
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  std::string repaired;
  if (well_formed_utf8_bytes(text, Surrogates::kAccepted) != text.size()) text = repaired = repaired_utf8(text);
  JsonText literal(out, text.size(), end_of(text));
  literal.append_string(text);
}

void append_json_number(std::string& out, double value) {
  JsonText text(out, 0, nullptr);
  text.append_double(value);
}

}  // namespace partita
