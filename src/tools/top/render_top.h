#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace partita::tools {

// What the little graph behind each partition is of.
enum class TopSpan { kSeconds, kMinutes, kHours };

// The statistics of the admin door with their history, as JSON, as a table for people: one line per physical partition, the
// busiest first, at most `lines_max` of them, and under it the key values that take most of what it is asked for.
Result<std::string> render_top(std::string_view statistics_json, size_t lines_max, TopSpan span);

}  // namespace partita::tools
