#include "query/function/groups.h"

#include <string>
#include <unordered_set>

// Arrays as sets: duplicates count once, and results keep the order of the first appearance.
namespace partita::query {
namespace {

using Identities = std::unordered_set<std::string>;

std::string identity_of(const Datum& value) {
  std::string identity;
  append_identity(identity, value);
  return identity;
}

Identities identities_of(const Datum& array) {
  Identities identities;
  for (size_t i = 0; i < array.size(); ++i) identities.insert(identity_of(array.element_at(i)));
  return identities;
}

bool are_arrays(Arguments arguments) { return arguments[0].is_array() && arguments[1].is_array(); }

// Writes the elements whose identity is (or is not) among the others, each once.
void write_members(const Datum& array, const Identities& others, bool must_be_other, Identities& written, StoredWriter& out) {
  for (size_t i = 0; i < array.size(); ++i) {
    std::string identity = identity_of(array.element_at(i));
    if (others.contains(identity) == must_be_other && written.insert(std::move(identity)).second) {
      out.value(array.container().element(i));
    }
  }
}

// In the order of the second set.
Datum intersect(Arguments arguments, FunctionContext& context) {
  if (!are_arrays(arguments)) return {};
  StoredWriter& out = context.writer();
  Identities written;
  out.begin_array();
  write_members(arguments[1], identities_of(arguments[0]), true, written, out);
  out.end_array();
  return context.stored(out);
}

Datum unite(Arguments arguments, FunctionContext& context) {
  if (!are_arrays(arguments)) return {};
  StoredWriter& out = context.writer();
  Identities written;
  out.begin_array();
  write_members(arguments[0], {}, false, written, out);
  write_members(arguments[1], {}, false, written, out);
  out.end_array();
  return context.stored(out);
}

Datum subtract(Arguments arguments, FunctionContext& context) {
  if (!are_arrays(arguments)) return {};
  StoredWriter& out = context.writer();
  Identities written;
  out.begin_array();
  write_members(arguments[0], identities_of(arguments[1]), false, written, out);
  out.end_array();
  return context.stored(out);
}

Datum is_equal(Arguments arguments, FunctionContext&) {
  if (!are_arrays(arguments)) return {};
  return Datum::boolean(identities_of(arguments[0]) == identities_of(arguments[1]));
}

constexpr Function kFunctions[] = {
    {"SETDIFFERENCE", 2, 2, subtract},
    {"SETEQUAL", 2, 2, is_equal},
    {"SETINTERSECT", 2, 2, intersect},
    {"SETUNION", 2, 2, unite},
};

}  // namespace

std::span<const Function> set_functions() { return kFunctions; }

}  // namespace partita::query
