#include "query/function/groups.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace partita::query {
namespace {

// Of several members with one key only the last one counts.
bool is_last_of_its_key(const Value& object, const Value::Member& member) {
  return object.find(member.key).bytes().data() == member.value.bytes().data();
}

// Whether the value has everything that the sample has: for objects all its members, recursively; other values are equal.
bool has_all_of(const Datum& value, const Datum& sample) {
  if (!sample.is_object()) return equal(value, sample);
  if (!value.is_object()) return false;
  for (size_t i = 0; i < sample.size(); ++i) {
    Value::Member member = sample.container().member(i);
    if (!is_last_of_its_key(sample.container(), member)) continue;
    if (!has_all_of(value.member(member.key), Datum::of(member.value))) return false;
  }
  return true;
}

bool has_element(const Datum& array, const Datum& wanted, bool is_partial = false) {
  for (size_t i = 0; i < array.size(); ++i) {
    Datum element = array.element_at(i);
    if (is_partial ? has_all_of(element, wanted) : equal(element, wanted)) return true;
  }
  return false;
}

Datum array_concat(Arguments arguments, FunctionContext& context) {
  size_t bytes = 0;
  for (const Datum& argument : arguments) {
    if (!argument.is_array()) return {};
    bytes += argument.container().bytes().size();
  }
  if (!context.has_room_for(bytes)) return {};
  StoredWriter& out = context.writer();
  out.begin_array();
  for (const Datum& argument : arguments) {
    for (size_t i = 0; i < argument.size(); ++i) out.value(argument.container().element(i));
  }
  out.end_array();
  return context.stored(out);
}

Datum array_contains(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_array() || arguments[1].is_undefined()) return {};
  bool has_mode = arguments.size() == 3 && !arguments[2].is_undefined();
  if (has_mode && !arguments[2].is_bool()) return {};
  return Datum::boolean(has_element(arguments[0], arguments[1], has_mode && arguments[2].boolean()));
}

// ElementSearch: tells which values an array has. For many of them it remembers the elements by their identities.
class ElementSearch {
 public:
  ElementSearch(const Datum& array, size_t searches) : array_(array), is_hashed_(searches >= kHashedMin) {
    for (size_t i = 0; is_hashed_ && i < array.size(); ++i) identities_.insert(identity_of(array.element_at(i)));
  }
  bool finds(const Datum& wanted) const {
    return is_hashed_ ? identities_.contains(identity_of(wanted)) : has_element(array_, wanted);
  }

 private:
  static constexpr size_t kHashedMin = 8;

  static std::string identity_of(const Datum& value) {
    std::string identity;
    append_identity(identity, value);
    return identity;
  }

  const Datum& array_;
  bool is_hashed_;
  std::unordered_set<std::string> identities_;
};

// False as soon as one value is missing; undefined when all others are there but one of them is undefined.
Datum array_contains_all(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_array()) return {};
  bool is_known = true;
  const ElementSearch search(arguments[0], arguments.size() - 1);
  for (const Datum& wanted : arguments.subspan(1)) {
    if (wanted.is_undefined()) {
      is_known = false;
    } else if (!search.finds(wanted)) {
      return Datum::boolean(false);
    }
  }
  return is_known ? Datum::boolean(true) : Datum();
}

Datum array_contains_any(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_array()) return {};
  bool is_known = true;
  const ElementSearch search(arguments[0], arguments.size() - 1);
  for (const Datum& wanted : arguments.subspan(1)) {
    if (wanted.is_undefined()) {
      is_known = false;
    } else if (search.finds(wanted)) {
      return Datum::boolean(true);
    }
  }
  return is_known ? Datum::boolean(false) : Datum();
}

Datum array_length(Arguments arguments, FunctionContext&) {
  return arguments[0].is_array() ? Datum::number(static_cast<double>(arguments[0].size())) : Datum();
}

Datum array_slice(Arguments arguments, FunctionContext& context) {
  auto start = arguments[1].integer();
  if (!arguments[0].is_array() || !start) return {};
  auto size = static_cast<int64_t>(arguments[0].size());
  auto count = arguments.size() == 3 ? arguments[2].integer() : std::optional(size);
  if (!count) return {};
  int64_t first = *start < 0 ? std::max(*start + size, int64_t{0}) : std::min(*start, size);
  int64_t last = first + std::clamp(*count, int64_t{0}, size - first);
  if (first == 0 && last == size) return arguments[0];
  StoredWriter& out = context.writer();
  out.begin_array();
  for (int64_t i = first; i < last; ++i) out.value(arguments[0].container().element(static_cast<size_t>(i)));
  out.end_array();
  return context.stored(out);
}

// 1 is the first of the values that follow.
Datum choose(Arguments arguments, FunctionContext&) {
  auto index = arguments[0].integer();
  if (!index || *index < 1 || static_cast<uint64_t>(*index) >= arguments.size()) return {};
  return arguments[static_cast<size_t>(*index)];
}

Datum object_to_array(Arguments arguments, FunctionContext& context) {
  if (!arguments[0].is_object()) return {};
  for (const Datum& name : arguments.subspan(1)) {
    if (!name.is_string()) return {};
  }
  std::string_view key_name = arguments.size() > 1 ? arguments[1].string() : "k";
  std::string_view value_name = arguments.size() > 2 ? arguments[2].string() : "v";
  StoredWriter& out = context.writer();
  out.begin_array();
  for (size_t i = 0; i < arguments[0].size(); ++i) {
    Value::Member member = arguments[0].container().member(i);
    if (!is_last_of_its_key(arguments[0].container(), member)) continue;
    out.begin_object();
    out.key(key_name);
    out.string(member.key);
    out.key(value_name);
    out.value(member.value);
    out.end_object();
  }
  out.end_array();
  return context.stored(out);
}

constexpr int kMany = Function::kUnbounded;
constexpr Function kFunctions[] = {
    {"ARRAY_CONCAT", 2, kMany, array_concat},
    {.name = "ARRAY_CONTAINS", .arguments_min = 2, .arguments_max = 3, .body = array_contains, .takes_undefined = true},
    {.name = "_TRY_ARRAY_CONTAINS", .arguments_min = 2, .arguments_max = 3, .body = array_contains, .takes_undefined = true},
    {.name = "ARRAY_CONTAINS_ALL",
     .arguments_min = 2,
     .arguments_max = kMany,
     .body = array_contains_all,
     .takes_undefined = true},
    {.name = "ARRAY_CONTAINS_ANY",
     .arguments_min = 2,
     .arguments_max = kMany,
     .body = array_contains_any,
     .takes_undefined = true},
    {"ARRAY_LENGTH", 1, 1, array_length},
    {"ARRAY_SLICE", 2, 3, array_slice},
    {.name = "CHOOSE", .arguments_min = 2, .arguments_max = kMany, .body = choose, .takes_undefined = true},
    {"OBJECTTOARRAY", 1, 3, object_to_array},
    {"_OBJECTTOARRAY", 1, 3, object_to_array},
};

}  // namespace

std::span<const Function> array_functions() { return kFunctions; }

}  // namespace partita::query
