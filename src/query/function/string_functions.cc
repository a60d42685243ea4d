#include "query/function/groups.h"

#include "query/value/find_text.h"
#include "query/value/text.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

// Functions that make strings from strings. Positions count UTF-16 units.
namespace partita::query {
namespace {

constexpr int64_t kReplicatedUnitsMax = 10000;

bool are_strings(Arguments arguments) {
  return std::ranges::all_of(arguments, [](const Datum& argument) { return argument.is_string(); });
}

Datum concatenate(Arguments arguments, FunctionContext& context) { return context.concatenation(arguments); }

// The units [start, start + length) that exist.
Datum slice(std::string_view text, int64_t start, int64_t length, FunctionContext& context) {
  bool is_plain = is_ascii(text);
  std::u16string units = is_plain ? std::u16string() : to_utf16(text);
  auto size = static_cast<int64_t>(is_plain ? text.size() : units.size());
  if (start < 0 || start >= size || length <= 0) return Datum::string("");
  auto first = static_cast<size_t>(start);
  auto count = static_cast<size_t>(std::min(length, size - start));
  if (is_plain) return Datum::string(text.substr(first, count));
  return context.string(from_utf16(std::u16string_view(units).substr(first, count)));
}

Datum left(Arguments arguments, FunctionContext& context) {
  auto length = arguments[1].integer();
  return arguments[0].is_string() && length ? slice(arguments[0].string(), 0, *length, context) : Datum();
}

Datum right(Arguments arguments, FunctionContext& context) {
  auto length = arguments[1].integer();
  if (!arguments[0].is_string() || !length) return {};
  auto size = static_cast<int64_t>(utf16_length(arguments[0].string()));
  int64_t taken = std::clamp(*length, int64_t{0}, size);
  return slice(arguments[0].string(), size - taken, taken, context);
}

Datum substring(Arguments arguments, FunctionContext& context) {
  auto start = arguments[1].integer();
  auto length = arguments[2].integer();
  return arguments[0].is_string() && start && length ? slice(arguments[0].string(), *start, *length, context) : Datum();
}

template <std::string (*Map)(std::string_view)>
Datum map_case(Arguments arguments, FunctionContext& context) {
  return arguments[0].is_string() ? context.string(Map(arguments[0].string())) : Datum();
}

bool is_space(uint32_t code_point) { return u_isUWhiteSpace(static_cast<UChar32>(code_point)); }

// What is trimmed: white space, or the characters of the second argument.
struct TrimmedSet {
  std::optional<std::vector<uint32_t>> characters;  // sorted

  bool contains(uint32_t code_point) const {
    return characters ? std::ranges::binary_search(*characters, code_point) : is_space(code_point);
  }
};

enum : unsigned { kAtStart = 1, kAtEnd = 2 };

template <unsigned Sides>
Datum trim(Arguments arguments, FunctionContext&) {
  if (!are_strings(arguments)) return {};
  TrimmedSet trimmed;
  if (arguments.size() == 2) {
    trimmed.characters.emplace();
    for (size_t at = 0; at < arguments[1].string().size();)
      trimmed.characters->push_back(decode_code_point(arguments[1].string(), at));
    std::ranges::sort(*trimmed.characters);
  }
  std::string_view text = arguments[0].string();
  size_t first = text.size();
  size_t last = 0;  // behind the last character that stays
  for (size_t at = 0; at < text.size();) {
    size_t start = at;
    if (trimmed.contains(decode_code_point(text, at))) continue;
    first = std::min(first, start);
    last = at;
  }
  size_t begin = Sides & kAtStart ? first : 0;
  size_t end = Sides & kAtEnd ? std::max(last, begin) : text.size();
  return Datum::string(text.substr(begin, end - begin));
}

Datum replace(Arguments arguments, FunctionContext& context) {
  if (!are_strings(arguments) || arguments[1].string().empty()) return {};
  std::string_view text = arguments[0].string();
  std::string_view wanted = arguments[1].string();
  std::string_view substitute = arguments[2].string();
  std::string out;
  size_t at = 0;
  for (size_t found = find_text(text, wanted); found != text.npos; found = find_text(text, wanted, at)) {
    if (!context.has_room_for(out.size() + substitute.size())) return {};
    out += text.substr(at, found - at);
    out += substitute;
    at = found + wanted.size();
  }
  out += text.substr(at);
  return context.string(out);
}

Datum replicate(Arguments arguments, FunctionContext& context) {
  if (!arguments[0].is_string() || !arguments[1].is_number()) return {};
  double times = std::trunc(arguments[1].number());
  auto units = static_cast<double>(utf16_length(arguments[0].string()));
  if (times < 0 || units * times > kReplicatedUnitsMax) return {};
  if (units == 0) return Datum::string("");
  std::string out;
  for (double i = 0; i < times; ++i) out += arguments[0].string();
  return context.string(out);
}

Datum reverse(Arguments arguments, FunctionContext& context) {
  if (!arguments[0].is_string()) return {};
  std::string_view text = arguments[0].string();
  std::string out(text.size(), '\0');
  size_t end = text.size();
  for (size_t at = 0; at < text.size();) {
    size_t start = at;
    decode_code_point(text, at);
    end -= at - start;
    text.copy(out.data() + end, at - start, start);
  }
  return context.string(out);
}

Datum string_join(Arguments arguments, FunctionContext& context) {
  if (!arguments[0].is_array() || !arguments[1].is_string()) return {};
  std::string out;
  for (size_t i = 0; i < arguments[0].size(); ++i) {
    Datum element = arguments[0].element_at(i);
    if (!element.is_string()) return {};
    if (i > 0) out += arguments[1].string();
    out += element.string();
    if (!context.has_room_for(out.size())) return {};
  }
  return context.string(out);
}

Datum string_split(Arguments arguments, FunctionContext& context) {
  if (!are_strings(arguments)) return {};
  std::string_view text = arguments[0].string();
  std::string_view separator = arguments[1].string();
  StoredWriter& out = context.writer();
  out.begin_array();
  while (!separator.empty()) {
    size_t found = find_text(text, separator);
    if (found == std::string_view::npos) break;
    out.string(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  out.string(text);
  out.end_array();
  return context.stored(out);
}

constexpr Function kFunctions[] = {
    {"CONCAT", 2, Function::kUnbounded, concatenate},
    {"LEFT", 2, 2, left},
    {"RIGHT", 2, 2, right},
    {"SUBSTRING", 3, 3, substring},
    {"LOWER", 1, 1, map_case<to_lower>},
    {"UPPER", 1, 1, map_case<to_upper>},
    {"TRIM", 1, 2, trim<kAtStart | kAtEnd>},
    {"LTRIM", 1, 2, trim<kAtStart>},
    {"RTRIM", 1, 2, trim<kAtEnd>},
    {"REPLACE", 3, 3, replace},
    {"REPLICATE", 2, 2, replicate},
    {"REVERSE", 1, 1, reverse},
    {"STRINGJOIN", 2, 2, string_join},
    {"STRINGSPLIT", 2, 2, string_split},
};

}  // namespace

std::span<const Function> string_functions() { return kFunctions; }

}  // namespace partita::query
