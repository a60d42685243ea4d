#include "document/exact_number.h"
#include "document/order.h"

#include <algorithm>

// ValueOrder::kExtended.
namespace partita {

namespace {

std::strong_ordering compare_texts(std::string_view left, std::string_view right) { return left.compare(right) <=> 0; }

// A string or a symbol.
std::string_view text_of(const Value& value) { return value.is_string() ? value.string() : value.text(); }

std::strong_ordering compare_same_rank(const Value& left, const Value& right);

std::strong_ordering compare_arrays(const Value& left, const Value& right) {
  const size_t left_size = left.size();
  const size_t right_size = right.size();
  for (size_t i = 0; i < std::min(left_size, right_size); ++i) {
    if (const auto order = compare_extended(left.element(i), right.element(i)); order != 0) return order;
  }
  return left_size <=> right_size;
}

// Member by member as they were written: first what the values are, then the names, then the values.
std::strong_ordering compare_objects(const Value& left, const Value& right) {
  const size_t left_size = left.size();
  const size_t right_size = right.size();
  for (size_t i = 0; i < std::min(left_size, right_size); ++i) {
    const Value::Member one = left.member(i);
    const Value::Member other = right.member(i);
    if (const auto order = rank_of(one.value.kind()) <=> rank_of(other.value.kind()); order != 0) return order;
    if (const auto order = compare_texts(one.key, other.key); order != 0) return order;
    if (const auto order = compare_same_rank(one.value, other.value); order != 0) return order;
  }
  return left_size <=> right_size;
}

std::strong_ordering compare_binaries(const Value::Binary& left, const Value::Binary& right) {
  if (const auto order = left.bytes.size() <=> right.bytes.size(); order != 0) return order;
  if (const auto order = left.subtype <=> right.subtype; order != 0) return order;
  return compare_texts(left.bytes, right.bytes);
}

std::strong_ordering compare_expressions(const Value::RegularExpression& left, const Value::RegularExpression& right) {
  if (const auto order = compare_texts(left.pattern, right.pattern); order != 0) return order;
  return compare_texts(left.options, right.options);
}

std::strong_ordering compare_same_rank(const Value& left, const Value& right) {
  switch (rank_of(left.kind())) {
    case ExtendedRank::kMinKey:
    case ExtendedRank::kUndefined:
    case ExtendedRank::kNull:
    case ExtendedRank::kMaxKey: break;
    case ExtendedRank::kNumber: return compare(ExactNumber::of(left), ExactNumber::of(right));
    case ExtendedRank::kString: return compare_texts(text_of(left), text_of(right));
    case ExtendedRank::kObject: return compare_objects(left, right);
    case ExtendedRank::kArray: return compare_arrays(left, right);
    case ExtendedRank::kBinary: return compare_binaries(left.binary(), right.binary());
    case ExtendedRank::kObjectId: return compare_texts(left.object_id(), right.object_id());
    case ExtendedRank::kBool: return left.boolean() <=> right.boolean();
    case ExtendedRank::kDateTime: return left.milliseconds() <=> right.milliseconds();
    case ExtendedRank::kTimestamp: return left.timestamp() <=> right.timestamp();
    case ExtendedRank::kRegularExpression: return compare_expressions(left.regular_expression(), right.regular_expression());
    case ExtendedRank::kCode: return compare_texts(left.text(), right.text());
  }
  return std::strong_ordering::equal;
}

}  // namespace

ExtendedRank rank_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kUndefined: return ExtendedRank::kUndefined;
    case ValueKind::kNull: return ExtendedRank::kNull;
    case ValueKind::kBool: return ExtendedRank::kBool;
    case ValueKind::kNumber:
    case ValueKind::kInt32:
    case ValueKind::kInt64:
    case ValueKind::kFloat64:
    case ValueKind::kDecimal128: return ExtendedRank::kNumber;
    case ValueKind::kString:
    case ValueKind::kSymbol: return ExtendedRank::kString;
    case ValueKind::kArray: return ExtendedRank::kArray;
    case ValueKind::kObject: return ExtendedRank::kObject;
    case ValueKind::kBinary: return ExtendedRank::kBinary;
    case ValueKind::kDateTime: return ExtendedRank::kDateTime;
    case ValueKind::kObjectId: return ExtendedRank::kObjectId;
    case ValueKind::kRegularExpression: return ExtendedRank::kRegularExpression;
    case ValueKind::kTimestamp: return ExtendedRank::kTimestamp;
    case ValueKind::kMinKey: return ExtendedRank::kMinKey;
    case ValueKind::kMaxKey: return ExtendedRank::kMaxKey;
    case ValueKind::kCode: return ExtendedRank::kCode;
  }
  return ExtendedRank::kUndefined;
}

std::strong_ordering compare_extended(const Value& left, const Value& right) {
  if (const auto order = rank_of(left.kind()) <=> rank_of(right.kind()); order != 0) return order;
  return compare_same_rank(left, right);
}

}  // namespace partita
