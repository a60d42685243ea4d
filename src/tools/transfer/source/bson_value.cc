#include "tools/transfer/source/bson_value.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/json/utf8.h"

#include <bson/bson.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

namespace partita::tools::transfer {
namespace {

constexpr int64_t kMillisecondsPerSecond = 1000;

Status wrong(std::string_view what) { return fail(ErrorCode::kInvalidInput, std::string(what)); }

Status write_text(std::string_view text, StoredWriter& out) {
  if (well_formed_utf8_bytes(text, Surrogates::kAccepted) != text.size()) return wrong("a string is not UTF-8");
  out.string(text);
  return {};
}

std::string object_id_text(const bson_iter_t& at) {
  char text[25];  // 24 digits and a zero byte
  ::bson_oid_to_string(::bson_iter_oid(&at), text);
  return text;
}

void write_double(double value, StoredWriter& out) {
  if (std::isfinite(value)) return out.number(value);
  out.string(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

// Years that ISO 8601 writes with four digits; others as milliseconds.
void write_date(int64_t milliseconds, StoredWriter& out) {
  constexpr int64_t kFirst = -62'135'596'800'000;  // 0001-01-01
  constexpr int64_t kEnd = 253'402'300'800'000;    // 10000-01-01
  if (milliseconds < kFirst || milliseconds >= kEnd) return out.integer(milliseconds);
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const int64_t rest = (time - day).count();
  const int64_t seconds = rest / kMillisecondsPerSecond;
  out.string(fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                         static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                         seconds / 60 % 60, seconds % 60, rest % kMillisecondsPerSecond));
}

// A number where a double has exactly this value, as text, else a string.
void write_decimal(const bson_iter_t& at, StoredWriter& out) {
  bson_decimal128_t decimal;
  char text[BSON_DECIMAL128_STRING];
  (void)::bson_iter_decimal128(&at, &decimal);
  ::bson_decimal128_to_string(&decimal, text);
  const std::string_view digits(text);
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  std::string again;
  if (problem == std::errc() && end == digits.data() + digits.size() && std::isfinite(value)) append_json_number(again, value);
  if (again == digits) return out.number(value);
  out.string(digits);
}

std::string uuid_text(std::string_view bytes) {
  std::string hex = hex_upper(bytes);
  std::ranges::transform(hex, hex.begin(), [](char digit) { return static_cast<char>(digit >= 'A' ? digit + 32 : digit); });
  for (const size_t at : {20UZ, 16UZ, 12UZ, 8UZ}) hex.insert(at, "-");
  return hex;
}

void write_binary(const bson_iter_t& at, StoredWriter& out) {
  constexpr size_t kUuidBytes = 16;
  bson_subtype_t subtype = BSON_SUBTYPE_BINARY;
  uint32_t size = 0;
  const uint8_t* data = nullptr;
  ::bson_iter_binary(&at, &subtype, &size, &data);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  out.string(subtype == BSON_SUBTYPE_UUID && size == kUuidBytes ? uuid_text(bytes) : base64(bytes));
}

void write_timestamp(const bson_iter_t& at, StoredWriter& out) {
  uint32_t seconds = 0;
  uint32_t counter = 0;
  ::bson_iter_timestamp(&at, &seconds, &counter);
  out.begin_object();
  out.key("t");
  out.integer(seconds);
  out.key("i");
  out.integer(counter);
  out.end_object();
}

Status write_regular_expression(const bson_iter_t& at, StoredWriter& out) {
  const char* options = nullptr;
  const char* pattern = ::bson_iter_regex(&at, &options);
  return write_text(fmt::format("/{}/{}", pattern, options == nullptr ? "" : options), out);
}

Status write_value(const bson_iter_t& at, StoredWriter& out, size_t depth);
Status write_members(bson_iter_t& at, StoredWriter& out, size_t depth);

Status write_nested(const bson_iter_t& at, StoredWriter& out, size_t depth) {
  if (depth >= kNestingMax) return wrong(fmt::format("objects and arrays are nested more than {} times", kNestingMax));
  bson_iter_t child;
  if (!::bson_iter_recurse(&at, &child)) return wrong("an object or array is damaged");
  const bool is_array = ::bson_iter_type(&at) == BSON_TYPE_ARRAY;
  if (!is_array) {
    out.begin_object();
    TRY(write_members(child, out, depth + 1));
    out.end_object();
    return {};
  }
  out.begin_array();
  while (::bson_iter_next(&child)) {
    // An element that is undefined still has its place.
    if (::bson_iter_type(&child) == BSON_TYPE_UNDEFINED) {
      out.null();
    } else {
      TRY(write_value(child, out, depth + 1));
    }
  }
  if (child.err_off != 0) return wrong("an array is damaged");
  out.end_array();
  return {};
}

Status write_marker(std::string_view name, StoredWriter& out) {
  out.begin_object();
  out.key(name);
  out.integer(1);
  out.end_object();
  return {};
}

Status write_code(const bson_iter_t& at, StoredWriter& out) {
  uint32_t size = 0;
  const char* text = ::bson_iter_type(&at) == BSON_TYPE_CODE ? ::bson_iter_code(&at, &size) : nullptr;
  uint32_t scope_size = 0;
  const uint8_t* scope = nullptr;
  if (text == nullptr) text = ::bson_iter_codewscope(&at, &size, &scope_size, &scope);
  if (text == nullptr) return wrong("a piece of code is damaged");
  return write_text({text, size}, out);
}

Status write_pointer(const bson_iter_t& at, StoredWriter& out) {
  uint32_t size = 0;
  const char* collection = nullptr;
  const bson_oid_t* id = nullptr;
  ::bson_iter_dbpointer(&at, &size, &collection, &id);
  if (collection == nullptr || id == nullptr) return wrong("a pointer is damaged");
  char text[25];
  ::bson_oid_to_string(id, text);
  out.begin_object();
  out.key("$ref");
  TRY(write_text({collection, size}, out));
  out.key("$id");
  out.string(text);
  out.end_object();
  return {};
}

Status write_value(const bson_iter_t& at, StoredWriter& out, size_t depth) {
  uint32_t size = 0;
  switch (::bson_iter_type(&at)) {
    case BSON_TYPE_DOUBLE: write_double(::bson_iter_double(&at), out); return {};
    case BSON_TYPE_INT32: out.integer(::bson_iter_int32(&at)); return {};
    case BSON_TYPE_INT64: out.integer(::bson_iter_int64(&at)); return {};
    case BSON_TYPE_DECIMAL128: write_decimal(at, out); return {};
    case BSON_TYPE_BOOL: out.boolean(::bson_iter_bool(&at)); return {};
    case BSON_TYPE_NULL: out.null(); return {};
    case BSON_TYPE_UTF8: {
      const char* text = ::bson_iter_utf8(&at, &size);
      return write_text({text, size}, out);
    }
    case BSON_TYPE_SYMBOL: {
      const char* text = ::bson_iter_symbol(&at, &size);
      return write_text({text, size}, out);
    }
    case BSON_TYPE_DOCUMENT:
    case BSON_TYPE_ARRAY: return write_nested(at, out, depth);
    case BSON_TYPE_OID: out.string(object_id_text(at)); return {};
    case BSON_TYPE_DATE_TIME: write_date(::bson_iter_date_time(&at), out); return {};
    case BSON_TYPE_BINARY: write_binary(at, out); return {};
    case BSON_TYPE_REGEX: return write_regular_expression(at, out);
    case BSON_TYPE_TIMESTAMP: write_timestamp(at, out); return {};
    case BSON_TYPE_CODE:
    case BSON_TYPE_CODEWSCOPE: return write_code(at, out);
    case BSON_TYPE_DBPOINTER: return write_pointer(at, out);
    case BSON_TYPE_MINKEY: return write_marker("$minKey", out);
    case BSON_TYPE_MAXKEY: return write_marker("$maxKey", out);
    case BSON_TYPE_EOD:
    case BSON_TYPE_UNDEFINED: break;
  }
  return wrong("a value has a type that BSON does not have");
}

Status write_key(const bson_iter_t& at, StoredWriter& out) {
  const std::string_view key = ::bson_iter_key(&at);
  if (well_formed_utf8_bytes(key, Surrogates::kAccepted) != key.size()) return wrong("the name of a property is not UTF-8");
  out.key(key);
  return {};
}

Status write_members(bson_iter_t& at, StoredWriter& out, size_t depth) {
  while (::bson_iter_next(&at)) {
    if (::bson_iter_type(&at) == BSON_TYPE_UNDEFINED) continue;
    TRY(write_key(at, out));
    TRY(write_value(at, out, depth));
  }
  return at.err_off == 0 ? Status() : wrong("an object is damaged");
}

// The text of what identifies the document: ids are strings.
Status write_id(const bson_iter_t& at, StoredWriter& out) {
  StoredWriter value;
  TRY(write_value(at, value, 1));
  out.key("id");
  if (value.view().is_string()) {
    out.string(value.view().string());
  } else {
    out.string(to_json(value.view()));
  }
  return {};
}

}  // namespace

Status write_bson_document(std::string_view bson, StoredWriter& out) {
  bson_t document;
  bson_iter_t at;
  const auto* bytes = reinterpret_cast<const uint8_t*>(bson.data());
  if (!::bson_init_static(&document, bytes, bson.size())) return wrong("the document's length is wrong");
  const bool has_id = ::bson_iter_init_find(&at, &document, "id");
  if (!::bson_iter_init(&at, &document)) return wrong("the document is damaged");
  out.begin_object();
  while (::bson_iter_next(&at)) {
    const std::string_view key = ::bson_iter_key(&at);
    if (::bson_iter_type(&at) == BSON_TYPE_UNDEFINED) continue;
    if (key == "id" || (key == "_id" && !has_id)) {
      TRY(write_id(at, out));
    } else {
      TRY(write_key(at, out));
      TRY(write_value(at, out, 1));
    }
  }
  if (at.err_off != 0) return wrong("the document is damaged");
  out.end_object();
  return {};
}

}  // namespace partita::tools::transfer
