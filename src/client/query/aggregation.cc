#include "client/query/aggregation.h"

#include "document/json/json.h"
#include "document/key/murmur3.h"
#include "document/order.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace partita::client {
namespace {

void append_canonical(std::string& out, const Value& value) {
  if (value.is_number()) {
    append_json_number(out, value.number() == 0 ? 0 : value.number());
  } else if (value.is_array()) {
    out += '[';
    for (size_t index = 0; index < value.size(); ++index) {
      append_canonical(out, value.element(index));
      out += ',';
    }
    out += ']';
  } else if (value.is_object()) {
    std::vector<Value::Member> members;
    for (size_t index = 0; index < value.size(); ++index) members.push_back(value.member(index));
    std::ranges::sort(members, {}, &Value::Member::key);
    out += '{';
    for (const Value::Member& member : members) {
      append_json_string(out, member.key);
      append_canonical(out, member.value);
      out += ',';
    }
    out += '}';
  } else if (value.is_undefined()) {
    out += '-';
  } else {
    append_json(out, value);
  }
}

}  // namespace

std::string canonical_form(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

bool ValueSet::insert(const Value& value) {
  const Hash128 hash = murmur3_x64_128(canonical_form(value));
  std::string bytes(sizeof hash.low + sizeof hash.high, '\0');
  std::memcpy(bytes.data(), &hash.low, sizeof hash.low);
  std::memcpy(bytes.data() + sizeof hash.low, &hash.high, sizeof hash.high);
  return hashes_.insert(std::move(bytes)).second;
}

void Accumulator::add(const Value& part) {
  const Value detailed = part.find("item2");
  const Value value = detailed.is_object() ? detailed : part.find("item");
  switch (aggregate_) {
    case Aggregate::kCount:
    case Aggregate::kSum: return add_number(value);
    case Aggregate::kAverage: return add_average(value);
    case Aggregate::kMin:
    case Aggregate::kMax: return detailed.is_object() ? add_extreme(detailed) : add_extreme(part);
    case Aggregate::kMakeList:
    case Aggregate::kMakeSet: return add_members(value);
  }
}

void Accumulator::add_number(const Value& number) {
  if (!number.is_number()) {
    is_undefined_ = true;
    return;
  }
  has_value_ = true;
  sum_ += number.number();
}

void Accumulator::add_average(const Value& part) {
  const Value count = part.find("count");
  const Value sum = part.find("sum");
  if (count.is_number() && count.number() == 0) return;
  if (!count.is_number() || !sum.is_number()) {
    is_undefined_ = true;
    return;
  }
  has_value_ = true;
  count_ += count.number();
  sum_ += sum.number();
}

void Accumulator::add_extreme(const Value& part) {
  const Value count = part.find("count");
  if (count.is_number() && count.number() == 0) return;
  const Value detailed = part.find(aggregate_ == Aggregate::kMin ? "min" : "max");
  const Value value = detailed.is_undefined() ? part.find("item") : detailed;
  if (value.is_undefined()) {
    is_undefined_ = is_undefined_ || count.is_number();
    return;
  }
  const bool is_better = !has_value_ || (aggregate_ == Aggregate::kMin ? compare(value, Value::view(extreme_)) < 0
                                                                       : compare(value, Value::view(extreme_)) > 0);
  if (is_better) extreme_ = value.bytes();
  has_value_ = true;
}

void Accumulator::add_members(const Value& list) {
  has_value_ = true;
  if (!list.is_array()) return;
  for (size_t index = 0; index < list.size(); ++index) {
    const Value member = list.element(index);
    if (aggregate_ == Aggregate::kMakeSet && !distinct_.insert(member)) continue;
    members_.emplace_back(member.bytes());
  }
}

bool Accumulator::write(StoredWriter& out, std::string_view key) const {
  const bool is_defined = !is_undefined_ && has_value_ && std::isfinite(sum_);
  if (!is_defined) return false;
  if (!key.empty()) out.key(key);
  switch (aggregate_) {
    case Aggregate::kCount:
    case Aggregate::kSum: out.number(sum_); return true;
    case Aggregate::kAverage: out.number(sum_ / count_); return true;
    case Aggregate::kMin:
    case Aggregate::kMax: out.value(Value::view(extreme_)); return true;
    case Aggregate::kMakeList:
    case Aggregate::kMakeSet: break;
  }
  out.begin_array();
  for (const std::string& member : members_) out.value(Value::view(member));
  out.end_array();
  return true;
}

}  // namespace partita::client
