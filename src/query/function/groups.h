#pragma once

#include "query/function/function.h"

#include <span>

// The built-in functions by group: one file each.
namespace partita::query {

std::span<const Function> math_functions();
std::span<const Function> bucket_functions();
std::span<const Function> integer_functions();
std::span<const Function> string_functions();
std::span<const Function> string_search_functions();
std::span<const Function> regex_functions();
std::span<const Function> conversion_functions();
std::span<const Function> array_functions();
std::span<const Function> array_statistics_functions();
std::span<const Function> set_functions();
std::span<const Function> type_functions();
std::span<const Function> date_functions();
std::span<const Function> date_part_functions();
std::span<const Function> item_functions();
std::span<const Function> spatial_functions();
std::span<const Function> vector_functions();
std::span<const Function> full_text_functions();

}  // namespace partita::query
