#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers as people read them.
namespace partita::tools::bench {

// "1,234,567".
std::string count_text(uint64_t count);
// Whole, or with three digits: "12,345", "7", "12.3", "0.123".
std::string number_text(double number);
// "850 µs", "1.25 ms", "3.10 s".
std::string latency_text(double microseconds);
// "12 s", "1.5 s", "3 min 20 s".
std::string duration_text(double seconds);
// As wide as `columns` characters, at the right or at the left of it. Counts characters, not bytes.
std::string right(std::string_view text, size_t columns);
std::string left(std::string_view text, size_t columns);
// A bar of blocks, `columns` long where the share is 1.
std::string bar_text(double share, size_t columns);

}  // namespace partita::tools::bench
