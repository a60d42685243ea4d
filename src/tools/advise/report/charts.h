#pragma once

#include "tools/advise/score/advice.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Pictures as inline SVG; colours are the page's (currentColor and CSS variables).
namespace partita::tools::advise {

// Text for HTML and its attributes.
std::string escaped(std::string_view text);

// One bar per partition, with a line at the mean.
std::string partition_chart(std::span<const double> shares, std::string_view label);

// Time from left to right, partitions from top to bottom: how much of a time's documents each partition gets.
std::string heat_map(std::span<const uint32_t> counts, size_t partitions, std::string_view label);

// A bar from 0 to 1.
std::string share_bar(double share, std::string_view kind);

}  // namespace partita::tools::advise
