#include "document/order.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace partita {

namespace {

std::strong_ordering compare_numbers(double left, double right) {
  if (left < right) return std::strong_ordering::less;
  return left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare_strings(std::string_view left, std::string_view right) { return left.compare(right) <=> 0; }

std::strong_ordering compare_arrays(const Value& left, const Value& right) {
  const size_t left_size = left.size();
  const size_t right_size = right.size();
  for (size_t i = 0; i < std::min(left_size, right_size); ++i) {
    if (const auto order = compare(left.element(i), right.element(i)); order != 0) return order;
  }
  return left_size <=> right_size;
}

// By key; of several members with one key only the last, which is the one that find() sees.
std::vector<Value::Member> sorted_members(const Value& object) {
  const size_t size = object.size();
  std::vector<Value::Member> members;
  members.reserve(size);
  for (size_t i = 0; i < size; ++i) members.push_back(object.member(i));
  // Members lie in source order, so of equal keys the later one has the higher address; it comes first and is kept.
  std::ranges::sort(members, [](const Value::Member& left, const Value::Member& right) {
    const int order = left.key.compare(right.key);
    return order != 0 ? order < 0 : left.key.data() > right.key.data();
  });
  const auto repeated = std::ranges::unique(members, {}, &Value::Member::key);
  members.erase(repeated.begin(), repeated.end());
  return members;
}

std::strong_ordering compare_objects(const Value& left, const Value& right) {
  const auto left_members = sorted_members(left);
  const auto right_members = sorted_members(right);
  for (size_t i = 0; i < std::min(left_members.size(), right_members.size()); ++i) {
    if (const auto order = compare_strings(left_members[i].key, right_members[i].key); order != 0) return order;
    if (const auto order = compare(left_members[i].value, right_members[i].value); order != 0) return order;
  }
  return left_members.size() <=> right_members.size();
}

}  // namespace

std::strong_ordering compare(const Value& left, const Value& right) {
  const ValueType type = left.type();
  if (type != right.type()) return type <=> right.type();
  switch (type) {
    case ValueType::kUndefined:
    case ValueType::kNull: return std::strong_ordering::equal;
    case ValueType::kBool: return left.boolean() <=> right.boolean();
    case ValueType::kNumber: return compare_numbers(left.number(), right.number());
    case ValueType::kString: return compare_strings(left.string(), right.string());
    case ValueType::kArray: return compare_arrays(left, right);
    case ValueType::kObject: return compare_objects(left, right);
    case ValueType::kExtended: return compare_extended(left, right);
  }
  return std::strong_ordering::equal;
}

bool equal(const Value& left, const Value& right) { return left.bytes() == right.bytes() || compare(left, right) == 0; }

}  // namespace partita
