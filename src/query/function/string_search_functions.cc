#include "query/function/groups.h"

#include "query/value/find_text.h"
#include "query/value/text.h"

#include <algorithm>
#include <optional>
#include <string>

// Functions that look for strings in strings. Positions count UTF-16 units.
namespace partita::query {
namespace {

using Relation = bool (*)(std::string_view text, std::string_view wanted);

bool contains(std::string_view text, std::string_view wanted) { return find_text(text, wanted) != text.npos; }
bool starts_with(std::string_view text, std::string_view wanted) { return text.starts_with(wanted); }
bool ends_with(std::string_view text, std::string_view wanted) { return text.ends_with(wanted); }
bool is_same(std::string_view text, std::string_view wanted) { return text == wanted; }

Datum relate(Relation holds, const Datum& text, const Datum& wanted, bool ignores_case) {
  if (!text.is_string() || !wanted.is_string()) return {};
  if (!ignores_case) return Datum::boolean(holds(text.string(), wanted.string()));
  return Datum::boolean(holds(to_lower(text.string()), to_lower(wanted.string())));
}

template <Relation Holds>
Datum compare_strings(Arguments arguments, FunctionContext&) {
  if (arguments.size() == 3 && !arguments[2].is_bool()) return {};
  return relate(Holds, arguments[0], arguments[1], arguments.size() == 3 && arguments[2].boolean());
}

// AND of CONTAINS over all arguments but the first, with three-valued logic.
template <bool IgnoresCase>
Datum contains_all(Arguments arguments, FunctionContext& context) {
  bool is_known = true;
  for (const Datum& wanted : arguments.subspan(1)) {
    if (!context.keep_going()) return {};
    Datum found = relate(contains, arguments[0], wanted, IgnoresCase);
    if (found.is_false()) return found;
    is_known = is_known && found.is_bool();
  }
  return is_known ? Datum::boolean(true) : Datum();
}

// OR of CONTAINS.
template <bool IgnoresCase>
Datum contains_any(Arguments arguments, FunctionContext& context) {
  bool is_known = true;
  for (const Datum& wanted : arguments.subspan(1)) {
    if (!context.keep_going()) return {};
    Datum found = relate(contains, arguments[0], wanted, IgnoresCase);
    if (found.is_true()) return found;
    is_known = is_known && found.is_bool();
  }
  return is_known ? Datum::boolean(false) : Datum();
}

Datum position(size_t found) { return Datum::number(found == std::u16string::npos ? -1.0 : static_cast<double>(found)); }

Datum index_of(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_string() || !arguments[1].is_string()) return {};
  std::optional<int64_t> start = arguments.size() == 3 ? arguments[2].integer() : 0;
  if (!start) return {};
  std::u16string text = to_utf16(arguments[0].string());
  if (*start > static_cast<int64_t>(text.size())) return Datum::number(-1);
  const std::u16string wanted = to_utf16(arguments[1].string());
  return position(find_text<char16_t>(text, wanted, static_cast<size_t>(std::max(*start, int64_t{0}))));
}

// The search goes from the start position towards the beginning: a match must end there or before.
Datum last_index_of(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_string() || !arguments[1].is_string()) return {};
  std::u16string text = to_utf16(arguments[0].string());
  std::u16string wanted = to_utf16(arguments[1].string());
  if (arguments.size() == 3) {
    std::optional<int64_t> start = arguments[2].integer();
    if (!start) return {};
    if (*start < 0) return Datum::number(-1);
    text.resize(static_cast<size_t>(std::min(*start, static_cast<int64_t>(text.size()) - 1) + 1));
  }
  return position(find_last_text<char16_t>(text, wanted));
}

Datum length(Arguments arguments, FunctionContext&) {
  return arguments[0].is_string() ? Datum::number(static_cast<double>(utf16_length(arguments[0].string()))) : Datum();
}

using Finder = size_t (*)(std::string_view text, std::string_view wanted);
size_t find_first(std::string_view text, std::string_view wanted) { return find_text(text, wanted); }
size_t find_last(std::string_view text, std::string_view wanted) { return find_last_text(text, wanted); }

// The part before or behind an occurrence; undefined when there is none.
template <Finder Find, bool IsBefore>
Datum part(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_string() || !arguments[1].is_string()) return {};
  std::string_view text = arguments[0].string();
  size_t found = Find(text, arguments[1].string());
  if (found == std::string_view::npos) return {};
  return Datum::string(IsBefore ? text.substr(0, found) : text.substr(found + arguments[1].string().size()));
}

constexpr int kMany = Function::kUnbounded;
constexpr Function with_undefined(std::string_view name, FunctionBody body) {
  return {.name = name, .arguments_min = 2, .arguments_max = kMany, .body = body, .takes_undefined = true};
}

constexpr Function kFunctions[] = {
    {"CONTAINS", 2, 3, compare_strings<contains>},
    {"STARTSWITH", 2, 3, compare_strings<starts_with>},
    {"ENDSWITH", 2, 3, compare_strings<ends_with>},
    {"STRINGEQUALS", 2, 3, compare_strings<is_same>},
    {"INDEX_OF", 2, 3, index_of},
    {"LASTINDEXOF", 2, 3, last_index_of},
    {"LAST_INDEX_OF", 2, 3, last_index_of},
    {"LENGTH", 1, 1, length},
    {"SUBSTRINGBEFORE", 2, 2, part<find_first, true>},
    {"SUBSTRINGAFTER", 2, 2, part<find_first, false>},
    {"LASTSUBSTRINGBEFORE", 2, 2, part<find_last, true>},
    {"LASTSUBSTRINGAFTER", 2, 2, part<find_last, false>},
    with_undefined("CONTAINS_ALL_CI", contains_all<true>),
    with_undefined("CONTAINS_ALL_CS", contains_all<false>),
    with_undefined("CONTAINS_ANY_CI", contains_any<true>),
    with_undefined("CONTAINS_ANY_CS", contains_any<false>),
    with_undefined("CONTAINSALLCI", contains_all<true>),
    with_undefined("CONTAINSALLCS", contains_all<false>),
    with_undefined("CONTAINSANYCI", contains_any<true>),
    with_undefined("CONTAINSANYCS", contains_any<false>),
};

}  // namespace

std::span<const Function> string_search_functions() { return kFunctions; }

}  // namespace partita::query
