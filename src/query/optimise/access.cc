#include "query/optimise/access.h"

#include "base/prefix_end.h"
#include "query/optimise/value_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace partita::query {
namespace {

size_t hash_of(const ValuePath& path) {
  size_t hash = path.steps.size();
  for (const ValuePath::Step& step : path.steps) {
    hash = (hash ^ std::hash<std::string_view>()(step.property) ^ static_cast<size_t>(step.kind)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash;
}

// Predicates on one value can be put together: of the only one at the path, or of one and the same element.
bool is_same_value(const Access& left, const Access& right) {
  if (left.kind != Access::Kind::kValues || right.kind != Access::Kind::kValues || left.path != right.path) return false;
  return !left.path.has_many_values() || (left.element_of != 0 && left.element_of == right.element_of);
}

// Whose ranges a disjunction puts together.
bool is_same_path(const Access& left, const Access& right) {
  return left.kind == Access::Kind::kValues && right.kind == Access::Kind::kValues && left.path == right.path &&
         left.tests.empty() && right.tests.empty();
}

// PathGroups: predicates, those that go together in one group, in the order of their first one. A thousand groups at most, so
// looking through their hashes is fast.
class PathGroups {
 public:
  struct Group {
    Access first;
    std::vector<ValueRanges> more = {};  // of those that joined it
  };

  using Together = bool (*)(const Access&, const Access&);

  explicit PathGroups(Together goes_together) : goes_together_(goes_together) {}

  // Null when it has become a group of its own, or would have beyond so many.
  Group* join(Access& access, size_t groups_max) {
    const size_t hash = hash_of(access.path);
    for (auto at = std::ranges::find(hashes_, hash); at != hashes_.end(); at = std::find(at + 1, hashes_.end(), hash)) {
      Group& group = groups_[static_cast<size_t>(at - hashes_.begin())];
      if (goes_together_(group.first, access)) return &group;
    }
    if (groups_.size() >= groups_max) {
      is_full_ = true;
    } else {
      groups_.push_back({std::move(access)});
      hashes_.push_back(hash);
    }
    return nullptr;
  }
  bool is_full() const { return is_full_; }
  std::vector<Group>& groups() { return groups_; }

 private:
  Together goes_together_;
  std::vector<Group> groups_;
  std::vector<size_t> hashes_;  // of their paths
  bool is_full_ = false;
};

// False when it lets nothing through.
bool intersect(PathGroups::Group& group) {
  if (group.more.empty()) return true;
  group.more.push_back({std::move(group.first.ranges), group.first.is_exact});
  ValueRanges common = group.more.size() == 2 ? intersected(group.more[1], group.more[0]) : intersected(group.more);
  group.first.ranges = std::move(common.ranges);
  group.first.is_exact = common.is_exact;
  return !group.first.ranges.empty();
}

void add_conjunct(PathGroups& groups, Access operand) {
  PathGroups::Group* same = groups.join(operand, kConjunctsMax);
  if (same == nullptr) return;
  same->more.push_back({std::move(operand.ranges), operand.is_exact});
  std::ranges::move(operand.tests, std::back_inserter(same->first.tests));
}

// The groups as one access.
Access joined(PathGroups& groups, Access::Kind kind, bool is_exact) {
  if (groups.groups().size() == 1) {
    Access only = std::move(groups.groups().front().first);
    only.is_exact = is_exact;
    return only;
  }
  Access access{.kind = kind, .is_exact = is_exact};
  for (PathGroups::Group& group : groups.groups()) access.operands.push_back(std::move(group.first));
  return access;
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

Access all_of(std::vector<Access> operands) {
  bool is_exact = true;
  PathGroups groups(is_same_value);
  for (Access& operand : operands) {
    if (operand.is_none()) return Access::none();
    is_exact = is_exact && operand.is_exact;
    if (operand.is_all()) continue;
    if (operand.kind != Access::Kind::kAllOf) {
      add_conjunct(groups, std::move(operand));
    } else {
      for (Access& inner : operand.operands) add_conjunct(groups, std::move(inner));
    }
  }
  if (!std::ranges::all_of(groups.groups(), intersect)) return Access::none();
  is_exact = is_exact && !groups.is_full();
  return groups.groups().empty() ? Access::all(is_exact) : joined(groups, Access::Kind::kAllOf, is_exact);
}

Access both_of(Access left, Access right) {
  if (left.is_all() && left.is_exact) return right;
  std::vector<Access> both;
  both.push_back(std::move(left));
  both.push_back(std::move(right));
  return all_of(std::move(both));
}

Access any_of(std::vector<Access> operands) {
  bool is_exact = true;
  PathGroups groups(is_same_path);
  for (Access& operand : operands) {
    if (operand.is_none()) continue;
    if (operand.is_all()) return Access::all(false);
    is_exact = is_exact && operand.is_exact;
    PathGroups::Group* same = groups.join(operand, kAlternativesMax);
    if (groups.is_full()) return Access::all(false);
    if (same == nullptr) continue;
    if (same->first.element_of != operand.element_of) same->first.element_of = 0;
    same->more.push_back({std::move(operand.ranges), operand.is_exact});
  }
  for (PathGroups::Group& group : groups.groups()) {
    for (ValueRanges& more : group.more) {
      std::ranges::move(more.ranges, std::back_inserter(group.first.ranges));
      group.first.is_exact = group.first.is_exact && more.is_exact;
    }
    if (!group.more.empty()) normalise(group.first.ranges);
  }
  return groups.groups().empty() ? Access::none() : joined(groups, Access::Kind::kAnyOf, is_exact);
}

bool is_equality(const Access& access) {
  std::string scratch;
  return access.kind == Access::Kind::kValues && access.tests.empty() && access.ranges.size() == 1 &&
         read_key_form(access.ranges[0].from, scratch) && access.ranges[0].to == prefix_end(access.ranges[0].from);
}

std::vector<FixedPath> fixed_paths(const Access& access) {
  std::vector<FixedPath> fixed;
  const auto add = [&](const Access& predicate) {
    if (is_equality(predicate) && !predicate.path.has_many_values()) fixed.push_back({predicate.path, predicate.ranges[0].from});
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
