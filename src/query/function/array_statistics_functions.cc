#include "query/function/groups.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace partita::query {
namespace {

// Nothing when an element is not a number.
std::optional<std::vector<double>> numbers_of(const Datum& array) {
  if (!array.is_array()) return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(array.size());
  for (size_t i = 0; i < array.size(); ++i) {
    Datum element = array.element_at(i);
    if (!element.is_number()) return std::nullopt;
    numbers.push_back(element.number());
  }
  return numbers;
}

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (double number : numbers) sum += number;
  return sum;
}

Datum array_sum(Arguments arguments, FunctionContext&) {
  auto numbers = numbers_of(arguments[0]);
  return numbers ? Datum::number(sum_of(*numbers)) : Datum();
}

Datum array_average(Arguments arguments, FunctionContext&) {
  auto numbers = numbers_of(arguments[0]);
  if (!numbers || numbers->empty()) return {};
  return Datum::number(sum_of(*numbers) / static_cast<double>(numbers->size()));
}

Datum array_median(Arguments arguments, FunctionContext&) {
  auto numbers = numbers_of(arguments[0]);
  if (!numbers || numbers->empty()) return {};
  std::ranges::sort(*numbers);
  size_t middle = numbers->size() / 2;
  if (numbers->size() % 2 == 1) return Datum::number((*numbers)[middle]);
  return Datum::number(((*numbers)[middle - 1] + (*numbers)[middle]) / 2);
}

// In type order; undefined when an element is neither null, boolean, number nor string.
template <bool IsGreatest>
Datum array_extreme(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_array()) return {};
  Datum extreme;
  for (size_t i = 0; i < arguments[0].size(); ++i) {
    Datum element = arguments[0].element_at(i);
    if (!element.is_primitive()) return {};
    bool is_better = IsGreatest ? compare(element, extreme) > 0 : compare(element, extreme) < 0;
    if (extreme.is_undefined() || is_better) extreme = element;
  }
  return extreme;
}

constexpr Function kFunctions[] = {
    {"ARRAY_AVG", 1, 1, array_average},        {"ARRAY_MAX", 1, 1, array_extreme<true>}, {"ARRAY_MEDIAN", 1, 1, array_median},
    {"ARRAY_MIN", 1, 1, array_extreme<false>}, {"ARRAY_SUM", 1, 1, array_sum},
};

}  // namespace

std::span<const Function> array_statistics_functions() { return kFunctions; }

}  // namespace partita::query
