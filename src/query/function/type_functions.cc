#include "query/function/groups.h"

#include "query/function/date/date_time.h"

namespace partita::query {
namespace {

template <bool (Datum::*Test)() const>
Datum test(Arguments arguments, FunctionContext&) {
  return Datum::boolean((arguments[0].*Test)());
}

Datum is_defined(Arguments arguments, FunctionContext&) { return Datum::boolean(!arguments[0].is_undefined()); }
Datum is_integer(Arguments arguments, FunctionContext&) { return Datum::boolean(arguments[0].integer().has_value()); }

Datum is_date_time(Arguments arguments, FunctionContext&) {
  return Datum::boolean(arguments[0].is_string() && DateTime::parse(arguments[0].string()).has_value());
}

constexpr Function kFunctions[] = {
    {.name = "IS_ARRAY", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_array>, .takes_undefined = true},
    {.name = "IS_BOOL", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_bool>, .takes_undefined = true},
    // How the Java SDK spells it in the filters that resume an ORDER BY.
    {.name = "IS_BOOLEAN", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_bool>, .takes_undefined = true},
    {.name = "IS_DATETIME", .arguments_min = 1, .arguments_max = 1, .body = is_date_time, .takes_undefined = true},
    {.name = "IS_DEFINED", .arguments_min = 1, .arguments_max = 1, .body = is_defined, .takes_undefined = true},
    {.name = "IS_FINITE_NUMBER",
     .arguments_min = 1,
     .arguments_max = 1,
     .body = test<&Datum::is_number>,
     .takes_undefined = true},
    {.name = "IS_INTEGER", .arguments_min = 1, .arguments_max = 1, .body = is_integer, .takes_undefined = true},
    {.name = "IS_NULL", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_null>, .takes_undefined = true},
    {.name = "IS_NUMBER", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_number>, .takes_undefined = true},
    {.name = "IS_OBJECT", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_object>, .takes_undefined = true},
    {.name = "IS_PRIMITIVE", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_primitive>, .takes_undefined = true},
    {.name = "IS_STRING", .arguments_min = 1, .arguments_max = 1, .body = test<&Datum::is_string>, .takes_undefined = true},
};

}  // namespace

std::span<const Function> type_functions() { return kFunctions; }

}  // namespace partita::query
