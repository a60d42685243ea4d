#include "query/optimise/access.h"

#include "base/prefix_end.h"
#include "query/optimise/value_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace partita::query {
namespace {

// Demands of one value can be put together: of the only one at the path, or of one and the same element.
bool is_same_value(const Access& left, const Access& right) {
  if (left.kind != Access::Kind::kValues || right.kind != Access::Kind::kValues || left.path != right.path) return false;
  return !left.path.has_many_values() || (left.element_of != 0 && left.element_of == right.element_of);
}

Access both_of_value(Access left, Access right) {
  ValueRanges ranges = intersected({std::move(left.ranges), left.is_exact}, {std::move(right.ranges), right.is_exact});
  if (ranges.ranges.empty()) return Access::none();
  left.ranges = std::move(ranges.ranges);
  left.is_exact = ranges.is_exact;
  std::ranges::move(right.tests, std::back_inserter(left.tests));
  return left;
}

void append_ranges(std::string& out, const std::vector<KeyFormRange>& ranges) {
  constexpr size_t kShownMax = 10;
  for (size_t i = 0; i < std::min(ranges.size(), kShownMax); ++i) out += (i == 0 ? " " : " or ") + to_text(ranges[i]);
  if (ranges.size() > kShownMax) fmt::format_to(std::back_inserter(out), " or {} more", ranges.size() - kShownMax);
}

void append_text(std::string& out, const Access& access, size_t depth) {
  out.append(depth * 2, ' ');
  switch (access.kind) {
    case Access::Kind::kAll: out += "all"; break;
    case Access::Kind::kNone: out += "none"; break;
    case Access::Kind::kValues: {
      out += to_text(access.path);
      if (access.path.kind() == ValuePath::Step::Kind::kCells) {
        fmt::format_to(std::back_inserter(out), " in {} ranges", access.ranges.size());
      } else {
        append_ranges(out, access.ranges);
      }
      for (const Access::Test& test : access.tests) out += (test.wanted ? " if " : " unless ") + to_text(*test.scalar);
      break;
    }
    case Access::Kind::kAllOf: out += "all of"; break;
    case Access::Kind::kAnyOf: out += "any of"; break;
  }
  if (!access.is_exact) out += ", then filter";
  for (const Access& operand : access.operands) append_text(out += '\n', operand, depth + 1);
}

}  // namespace

Access both_of(Access left, Access right) {
  if (left.is_none() || right.is_none()) return Access::none();
  if (left.is_all() || right.is_all()) {
    const bool is_exact = left.is_exact && right.is_exact;
    Access rest = left.is_all() ? std::move(right) : std::move(left);
    rest.is_exact = is_exact;
    return rest;
  }
  if (left.kind != Access::Kind::kAllOf) {
    if (is_same_value(left, right)) return both_of_value(std::move(left), std::move(right));
    Access both{.kind = Access::Kind::kAllOf, .is_exact = left.is_exact};
    both.operands.push_back(std::move(left));
    left = std::move(both);
  }
  if (right.kind == Access::Kind::kAllOf) {
    for (Access& operand : right.operands) left = both_of(std::move(left), std::move(operand));
    left.is_exact = left.is_none() || (left.is_exact && right.is_exact);
    return left;
  }
  left.is_exact = left.is_exact && right.is_exact;
  auto same = std::ranges::find_if(left.operands, [&](const Access& operand) { return is_same_value(operand, right); });
  if (same == left.operands.end()) {
    left.operands.push_back(std::move(right));
    return left;
  }
  *same = both_of_value(std::move(*same), std::move(right));
  return same->is_none() ? Access::none() : std::move(left);
}

bool is_equality(const Access& access) {
  std::string scratch;
  return access.kind == Access::Kind::kValues && access.tests.empty() && access.ranges.size() == 1 &&
         read_key_form(access.ranges[0].from, scratch) && access.ranges[0].to == prefix_end(access.ranges[0].from);
}

std::vector<FixedPath> fixed_paths(const Access& access) {
  std::vector<FixedPath> fixed;
  const auto add = [&](const Access& demand) {
    if (is_equality(demand) && !demand.path.has_many_values()) fixed.push_back({demand.path, demand.ranges[0].from});
  };
  add(access);
  if (access.kind == Access::Kind::kAllOf) std::ranges::for_each(access.operands, add);
  return fixed;
}

std::string to_text(const Access& access) {
  std::string out;
  append_text(out, access, 0);
  return out;
}

}  // namespace partita::query
