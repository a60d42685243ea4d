#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace partita::tools {

// What the little graph behind each partition is of.
enum class TopSpan { kSeconds, kMinutes, kHours };

struct TopView {
  size_t lines_max = 40;  // partitions that are shown
  TopSpan span = TopSpan::kMinutes;
  size_t columns = 0;        // of the terminal; in a narrow one what matters least is left out. 0: everything is shown
  bool is_coloured = false;  // red: throttled; yellow: nearly
};

// The statistics of the admin API with their history, as JSON, as a table for people: one line per physical partition, the
// busiest first, and under it the key values that take most of what it is asked for, and why it is throttled.
Result<std::string> render_top(std::string_view statistics_json, const TopView& view);

}  // namespace partita::tools
