#include "query/function/groups.h"

#include "query/function/date/date_format.h"
#include "query/function/date/date_time.h"

#include <optional>

namespace partita::query {
namespace {

std::optional<DateTime> date_of(const Datum& value) { return value.is_string() ? DateTime::parse(value.string()) : std::nullopt; }

std::optional<DatePart> part_of(const Datum& value) { return value.is_string() ? date_part_of(value.string()) : std::nullopt; }

Datum text_of(const std::optional<DateTime>& moment, FunctionContext& context) {
  return moment ? context.string(moment->text()) : Datum();
}

std::optional<DateTime> moment_of(int64_t unix_ms) { return DateTime::from_ticks(unix_ms * kTicksPerMillisecond); }

// When the row is evaluated, or when the query started.
template <bool IsStatic>
int64_t now_ms(FunctionContext& context) {
  return IsStatic ? context.started_ms() : context.clock().unix_ms();
}

template <bool IsStatic>
Datum current_date_time(Arguments, FunctionContext& context) {
  return text_of(moment_of(now_ms<IsStatic>(context)), context);
}

template <bool IsStatic>
Datum current_ticks(Arguments, FunctionContext& context) {
  return context.integer(now_ms<IsStatic>(context) * kTicksPerMillisecond);
}

template <bool IsStatic>
Datum current_timestamp(Arguments, FunctionContext& context) {
  return context.integer(now_ms<IsStatic>(context));
}

// Now, plus or minus so many parts.
template <int Sign>
Datum now_shifted(Arguments arguments, FunctionContext& context) {
  auto now = moment_of(context.clock().unix_ms());
  if (arguments.empty()) return text_of(now, context);
  if (arguments.size() != 2) return {};
  auto part = part_of(arguments[0]);
  auto amount = arguments[1].integer();
  if (!now || !part || !amount || *amount == INT64_MIN) return {};
  return text_of(now->plus(*part, Sign * *amount), context);
}

Datum date_add(Arguments arguments, FunctionContext& context) {
  auto part = part_of(arguments[0]);
  auto amount = arguments[1].integer();
  auto moment = date_of(arguments[2]);
  return part && amount && moment ? text_of(moment->plus(*part, *amount), context) : Datum();
}

Datum date_difference(Arguments arguments, FunctionContext& context) {
  auto part = part_of(arguments[0]);
  auto start = date_of(arguments[1]);
  auto end = date_of(arguments[2]);
  if (!part || !start || !end) return {};
  auto boundaries = start->boundaries_to(*end, *part);
  return boundaries ? context.integer(*boundaries) : Datum();
}

Datum date_bin(Arguments arguments, FunctionContext& context) {
  constexpr int64_t kOriginYearMin = 1601;
  auto moment = date_of(arguments[0]);
  auto part = part_of(arguments[1]);
  std::optional<int64_t> size = arguments.size() > 2 ? arguments[2].integer() : 1;
  auto origin = arguments.size() > 3 ? date_of(arguments[3]) : DateTime::from_ticks(0);
  if (!moment || !part || !size || !origin || origin->calendar().year < kOriginYearMin) return {};
  return text_of(moment->bin(*part, *size, *origin), context);
}

Datum date_from_parts(Arguments arguments, FunctionContext& context) {
  int64_t parts[7] = {0, 0, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto part = arguments[i].integer();
    if (!part) return {};
    parts[i] = *part;
  }
  return text_of(DateTime::from_calendar({parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]}), context);
}

Datum date_to_ticks(Arguments arguments, FunctionContext& context) {
  auto moment = date_of(arguments[0]);
  return moment ? context.integer(moment->ticks()) : Datum();
}

Datum date_to_timestamp(Arguments arguments, FunctionContext& context) {
  auto moment = date_of(arguments[0]);
  return moment ? context.integer(moment->ticks() / kTicksPerMillisecond) : Datum();
}

Datum ticks_to_date(Arguments arguments, FunctionContext& context) {
  auto ticks = arguments[0].integer();
  return ticks ? text_of(DateTime::from_ticks(*ticks), context) : Datum();
}

Datum timestamp_to_date(Arguments arguments, FunctionContext& context) {
  int64_t ticks = 0;
  auto timestamp = arguments[0].integer();
  if (!timestamp || __builtin_mul_overflow(*timestamp, kTicksPerMillisecond, &ticks)) return {};
  return text_of(DateTime::from_ticks(ticks), context);
}

Datum date_format(Arguments arguments, FunctionContext& context) {
  auto moment = date_of(arguments[0]);
  if (!moment || !arguments[1].is_string()) return {};
  return context.string(format_date(*moment, arguments[1].string()));
}

constexpr Function depends_on_time(std::string_view name, int arguments_min, int arguments_max, FunctionBody body) {
  return {
      .name = name, .arguments_min = arguments_min, .arguments_max = arguments_max, .body = body, .is_constant_foldable = false};
}

constexpr Function kFunctions[] = {
    depends_on_time("GETCURRENTDATETIME", 0, 0, current_date_time<false>),
    depends_on_time("GETCURRENTDATETIMESTATIC", 0, 0, current_date_time<true>),
    depends_on_time("GETCURRENTTICKS", 0, 0, current_ticks<false>),
    depends_on_time("GETCURRENTTICKSSTATIC", 0, 0, current_ticks<true>),
    depends_on_time("GETCURRENTTIMESTAMP", 0, 0, current_timestamp<false>),
    depends_on_time("GETCURRENTTIMESTAMPSTATIC", 0, 0, current_timestamp<true>),
    depends_on_time("NOW", 0, 2, now_shifted<1>),
    depends_on_time("AGO", 2, 2, now_shifted<-1>),
    {"DATETIMEADD", 3, 3, date_add},
    {"DATETIMEBIN", 2, 4, date_bin},
    {"DATETIMEDIFF", 3, 3, date_difference},
    {"DATETIMEFORMAT", 2, 2, date_format},
    {"DATETIMEFROMPARTS", 3, 7, date_from_parts},
    {"DATETIMETOTICKS", 1, 1, date_to_ticks},
    {"DATETIMETOTIMESTAMP", 1, 1, date_to_timestamp},
    {"TICKSTODATETIME", 1, 1, ticks_to_date},
    {"TIMESTAMPTODATETIME", 1, 1, timestamp_to_date},
};

}  // namespace

std::span<const Function> date_functions() { return kFunctions; }

}  // namespace partita::query
