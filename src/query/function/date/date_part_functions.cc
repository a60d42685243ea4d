#include "query/function/groups.h"

#include "query/function/date/date_time.h"

namespace partita::query {
namespace {

Datum part_of(const Datum& date, DatePart part) {
  auto moment = date.is_string() ? DateTime::parse(date.string()) : std::nullopt;
  return moment ? Datum::number(static_cast<double>(moment->part(part))) : Datum();
}

template <DatePart Part>
Datum fixed_part(Arguments arguments, FunctionContext&) {
  return part_of(arguments[0], Part);
}

Datum date_part(Arguments arguments, FunctionContext&) {
  auto part = arguments[0].is_string() ? date_part_of(arguments[0].string()) : std::nullopt;
  return part ? part_of(arguments[1], *part) : Datum();
}

constexpr Function kFunctions[] = {
    {"DATETIMEPART", 2, 2, date_part},
    {"DAY", 1, 1, fixed_part<DatePart::kDay>},
    {"MONTH", 1, 1, fixed_part<DatePart::kMonth>},
    {"YEAR", 1, 1, fixed_part<DatePart::kYear>},
};

}  // namespace

std::span<const Function> date_part_functions() { return kFunctions; }

}  // namespace partita::query
