#include "query/optimise/value_ranges.h"

#include "base/prefix_end.h"
#include "query/value/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace partita::query {
namespace {

std::string key_form_of(const Datum& value) {
  std::string key;
  switch (value.type()) {
    case ValueType::kNull: append_key_form_null(key); break;
    case ValueType::kBool: append_key_form_bool(key, value.boolean()); break;
    case ValueType::kNumber: append_key_form_number(key, value.number()); break;
    case ValueType::kString: append_key_form_string(key, value.string()); break;
    default: break;
  }
  return key;
}

// Whether no other value has the same key form.
bool has_own_key_form(const Datum& value) {
  if (value.is_number()) return std::abs(value.number()) < kKeyIntegerMax;
  return !value.is_string() || value.string().size() <= kKeyStringBytesMax;
}

ValueRanges equal_to(const Datum& constant) {
  if (!constant.is_primitive()) return {{key_forms_of(constant.type())}, false};
  return {{key_forms_beginning_with(key_form_of(constant))}, has_own_key_form(constant)};
}

// Values of another type have no order that a filter could ask for; nor have arrays and objects.
ValueRanges related_to(Operation operation, const Datum& constant) {
  if (!constant.is_primitive()) return ValueRanges::nothing();
  const std::string key = key_form_of(constant);
  const bool is_exact = has_own_key_form(constant);
  KeyFormRange range = key_forms_of(constant.type());
  switch (operation) {
    case Operation::kLess: range.to = is_exact ? key : prefix_end(key); break;
    case Operation::kLessEqual: range.to = prefix_end(key); break;
    case Operation::kGreater: range.from = is_exact ? prefix_end(key) : key; break;
    case Operation::kGreaterEqual: range.from = key; break;
    default: return ValueRanges::nothing();
  }
  if (range.from >= range.to) return ValueRanges::nothing();
  return {{std::move(range)}, is_exact};
}

std::string value_text(std::string_view key) {
  std::string scratch;
  const auto value = read_key_form(key, scratch);
  if (!value) return "?";
  switch (value->type) {
    case ValueType::kUndefined: return "undefined";
    case ValueType::kNull: return "null";
    case ValueType::kBool: return value->boolean ? "true" : "false";
    case ValueType::kNumber: return fmt::format("{}", value->number);
    case ValueType::kString: {
      std::string text;
      append_quoted(text, value->string);
      return value->is_exact ? text : text + "...";
    }
    case ValueType::kArray: return "arrays";
    case ValueType::kObject: return "objects";
    case ValueType::kExtended: return "extended";
  }
  return "?";
}

// REQUIRES: what append_key_form_prefix wrote.
std::string prefix_text(std::string_view key) {
  std::string empty;
  append_key_form_string(empty, "");
  return value_text(std::string(key) + empty.substr(1)) + "*";
}

bool is_prefix_of_strings(std::string_view key) {
  std::string scratch;
  return key.size() > 1 && key.starts_with(key_forms_of(ValueType::kString).from) && !read_key_form(key, scratch);
}

// The text of the value that ends directly before these bytes; empty when none does.
std::string text_before(std::string_view bound) {
  // What JSON has no type for lies behind the objects, and is not spoken of.
  if (bound == key_forms_of_defined().to) return value_text(key_forms_of(ValueType::kObject).from);
  std::string last(bound);
  if (last.empty()) return "";
  last.back() = static_cast<char>(last.back() - 1);
  std::string scratch;
  return read_key_form(last, scratch) ? value_text(last) : "";
}

// The text of the value that begins here, or of the strings that begin so; empty when a type does.
std::string text_at(std::string_view bound) {
  std::string scratch;
  if (read_key_form(bound, scratch)) return value_text(bound);
  return is_prefix_of_strings(bound) ? prefix_text(bound) : "";
}

// A bound can be said by the value before it or by the one at it; the shorter text is the one that somebody wrote.
std::string lower_text(std::string_view from) {
  const std::string before = text_before(from);
  const std::string at = text_at(from);
  if (before.empty() && at.empty()) return "(...";
  return !before.empty() && (at.empty() || before.size() < at.size()) ? "(" + before : "[" + at;
}

std::string upper_text(std::string_view to) {
  const std::string before = text_before(to);
  const std::string at = text_at(to);
  if (before.empty() && at.empty()) return "...)";
  return !before.empty() && (at.empty() || before.size() < at.size()) ? before + "]" : at + ")";
}

std::optional<std::string_view> name_of_whole_types(const KeyFormRange& range) {
  if (range == key_forms_of_defined()) return "defined";
  if (range == key_forms_of(ValueType::kBool)) return "booleans";
  if (range == key_forms_of(ValueType::kNumber)) return "numbers";
  if (range == key_forms_of(ValueType::kString)) return "strings";
  return std::nullopt;
}

}  // namespace

ValueRanges ValueRanges::of_prefix(std::string_view prefix) {
  std::string key;
  append_key_form_prefix(key, prefix);
  return {{key_forms_beginning_with(key)}, prefix.size() <= kKeyStringBytesMax};
}

ValueRanges ValueRanges::of_comparison(Operation operation, const Datum& constant) {
  if (constant.is_undefined()) return nothing();
  if (operation == Operation::kEqual) return equal_to(constant);
  if (operation == Operation::kNotEqual) return without(defined(), equal_to(constant));
  return related_to(operation, constant);
}

void normalise(std::vector<KeyFormRange>& ranges) {
  std::ranges::sort(ranges, {}, &KeyFormRange::from);
  std::vector<KeyFormRange> joined;
  for (KeyFormRange& range : ranges) {
    if (!joined.empty() && range.from <= joined.back().to) {
      joined.back().to = std::max(joined.back().to, range.to);
    } else {
      joined.push_back(std::move(range));
    }
  }
  ranges = std::move(joined);
}

ValueRanges united(ValueRanges left, ValueRanges right) {
  std::ranges::move(right.ranges, std::back_inserter(left.ranges));
  normalise(left.ranges);
  left.is_exact = left.is_exact && right.is_exact;
  return left;
}

ValueRanges intersected(const ValueRanges& left, const ValueRanges& right) {
  ValueRanges both{{}, left.is_exact && right.is_exact};
  auto one = left.ranges.begin();
  auto other = right.ranges.begin();
  while (one != left.ranges.end() && other != right.ranges.end()) {
    KeyFormRange common{std::max(one->from, other->from), std::min(one->to, other->to)};
    if (common.from < common.to) both.ranges.push_back(std::move(common));
    one->to < other->to ? ++one : ++other;
  }
  return both;
}

ValueRanges intersected(std::span<const ValueRanges> all) {
  struct Edge {
    std::string_view at;
    bool is_begin;
  };
  ValueRanges common;
  std::vector<Edge> edges;
  for (const ValueRanges& one : all) {
    common.is_exact = common.is_exact && one.is_exact;
    for (const KeyFormRange& range : one.ranges) {
      edges.push_back({range.from, true});
      edges.push_back({range.to, false});
    }
  }
  // What ends at a value ends before what begins there.
  std::ranges::sort(edges, [](const Edge& left, const Edge& right) {
    const int order = left.at.compare(right.at);
    return order != 0 ? order < 0 : left.is_begin < right.is_begin;
  });
  size_t covering = 0;
  std::string_view begin;
  for (const Edge& edge : edges) {
    if (!edge.is_begin && covering == all.size() && begin < edge.at) {
      common.ranges.push_back({std::string(begin), std::string(edge.at)});
    }
    edge.is_begin ? ++covering : --covering;
    begin = edge.at;
  }
  return common;
}

ValueRanges without(const ValueRanges& whole, const ValueRanges& part) {
  if (!part.is_exact) return {whole.ranges, false};
  ValueRanges rest{{}, whole.is_exact};
  for (const KeyFormRange& range : whole.ranges) {
    std::string from = range.from;
    for (const KeyFormRange& hole : part.ranges) {
      if (hole.to <= from || hole.from >= range.to) continue;
      if (hole.from > from) rest.ranges.push_back({from, hole.from});
      from = hole.to;
    }
    if (from < range.to) rest.ranges.push_back({std::move(from), range.to});
  }
  return rest;
}

std::string to_text(const KeyFormRange& range) {
  if (const auto name = name_of_whole_types(range)) return std::string(*name);
  std::string scratch;
  if (read_key_form(range.from, scratch) && range.to == prefix_end(range.from)) return "= " + value_text(range.from);
  if (is_prefix_of_strings(range.from) && range.to == prefix_end(range.from)) return prefix_text(range.from);
  return lower_text(range.from) + ", " + upper_text(range.to);
}

}  // namespace partita::query
