#include "query/function/groups.h"

#include "document/json/json.h"

#include <string>

namespace partita::query {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The string's JSON value if it has the wanted type.
template <ValueType Wanted>
Datum parse(Arguments arguments, FunctionContext& context) {
  if (!arguments[0].is_string()) return {};
  std::string_view text = trimmed(arguments[0].string());
  if (text.empty() || !context.has_room_for(text.size())) return {};
  StoredWriter& out = context.writer();
  if (!read_json(text, out)) return {};
  Datum value = context.stored(out);
  return value.type() == Wanted ? value : Datum();
}

Datum to_string(Arguments arguments, FunctionContext& context) {
  if (arguments[0].is_string()) return arguments[0];
  std::string text;
  append_json_of(text, arguments[0]);
  return context.string(text);
}

constexpr Function kFunctions[] = {
    {"STRINGTOARRAY", 1, 1, parse<ValueType::kArray>},   {"STRINGTOBOOLEAN", 1, 1, parse<ValueType::kBool>},
    {"STRINGTONULL", 1, 1, parse<ValueType::kNull>},     {"STRINGTONUMBER", 1, 1, parse<ValueType::kNumber>},
    {"STRINGTOOBJECT", 1, 1, parse<ValueType::kObject>}, {"TOSTRING", 1, 1, to_string},
};

}  // namespace

std::span<const Function> conversion_functions() { return kFunctions; }

}  // namespace partita::query
