#pragma once

#include "query/function/function.h"

#include <span>
#include <string>

// The built-in functions for those who show them to people.
namespace partita::query {

// Every one of them, by name.
std::span<const Function* const> all_functions();
// How one is called: SUBSTRING(a, b, c), TRIM(a [, b]), CONCAT(a, b, ...).
std::string signature(const Function& function);

}  // namespace partita::query
