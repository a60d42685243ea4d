#include "query/bind/fingerprints.h"

#include "query/function/function.h"
#include "query/value/datum.h"

#include <bit>
#include <cstdlib>
#include <utility>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;

class Mixture {
 public:
  explicit Mixture(uint64_t first) : value_(first) {}
  void add(uint64_t part) {
    value_ = (value_ ^ part) * 0x9E3779B97F4A7C15;
    value_ ^= value_ >> 29;
  }
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_;
};

uint64_t of_text(ExpressionKind kind, std::string_view text) {
  Mixture mixture(std::to_underlying(kind));
  mixture.add(text);
  return mixture.value();
}

// The same for however the number is written.
uint64_t of_number(double number) {
  Mixture mixture(std::to_underlying(ExpressionKind::kNumber));
  mixture.add(std::bit_cast<uint64_t>(number + 0.0));
  return mixture.value();
}

// That of the literal with this value.
uint64_t of_value(const std::string& stored) {
  const Datum value = Datum::of(Value::view(stored));
  if (value.is_number()) return of_number(value.number());
  if (value.is_string()) return of_text(ExpressionKind::kString, value.string());
  if (value.is_null()) return Mixture(std::to_underlying(ExpressionKind::kNull)).value();
  if (value.is_bool()) {
    return Mixture(std::to_underlying(value.boolean() ? ExpressionKind::kTrue : ExpressionKind::kFalse)).value();
  }
  return of_text(ExpressionKind::kParameter, stored);
}

}  // namespace

std::optional<uint64_t> Fingerprints::of(const Expression& e) {
  if (const auto known = known_.find(&e); known != known_.end()) return known->second;
  const std::optional<uint64_t> made = made_of(e);
  known_.emplace(&e, made);
  return made;
}

std::optional<uint64_t> Fingerprints::made_of(const Expression& e) {
  const Function* function = e.kind == ExpressionKind::kCall ? find_function(e.text) : nullptr;
  if (function != nullptr && function->aggregate != AggregateKind::kNone) return std::nullopt;
  if (e.kind == ExpressionKind::kNumber) return of_number(std::strtod(e.text.c_str(), nullptr));
  if (e.kind == ExpressionKind::kParameter) {
    const std::string* value = parameter_(e.text);
    return value == nullptr ? of_text(e.kind, e.text) : of_value(*value);
  }
  const Aliases::Meaning* alias = e.kind == ExpressionKind::kName ? aliases_.find(e.text) : nullptr;
  // c["a"] means c.a.
  const bool is_named_index = e.kind == ExpressionKind::kIndex && e.operands[1]->kind == ExpressionKind::kString;
  Mixture mixture(std::to_underlying(is_named_index ? ExpressionKind::kMember : e.kind));
  if (alias != nullptr) {
    mixture.add(alias->slot);
  } else if (is_named_index) {
    mixture.add(e.operands[1]->text);
  } else if (function != nullptr) {
    mixture.add(function->name);
  } else if (!e.text.empty() || e.kind == ExpressionKind::kString) {
    mixture.add(e.text);
  }
  if (e.operation != Operation::kNone || e.is_negated) mixture.add(std::to_underlying(e.operation) * 2U + (e.is_negated ? 1 : 0));
  for (const std::string& name : e.names) mixture.add(name);
  for (size_t i = 0; i < (is_named_index ? 1 : e.operands.size()); ++i) {
    const auto operand = of(*e.operands[i]);
    if (!operand) return std::nullopt;
    mixture.add(*operand);
  }
  if (!e.query) return mixture.value();
  const auto query = of_query(*e.query);
  if (!query) return std::nullopt;
  mixture.add(*query);
  return mixture.value();
}

// Without sources it has no aliases of its own, so its names mean what they mean around it.
std::optional<uint64_t> Fingerprints::of_query(const sql::Query& query) {
  if (!query.from.empty() || !query.group_by.empty() || !query.order_by.empty() || query.top || query.offset) return std::nullopt;
  Mixture mixture(std::to_underlying(query.selection.kind) * 2U + (query.is_distinct ? 1 : 0));
  for (const sql::SelectItem& item : query.selection.items) {
    if (item.alias) mixture.add(*item.alias);
    const auto selected = of(*item.expression);
    if (!selected) return std::nullopt;
    mixture.add(*selected);
  }
  if (!query.where) return mixture.value();
  const auto filter = of(*query.where);
  if (!filter) return std::nullopt;
  mixture.add(*filter);
  return mixture.value();
}

}  // namespace partita::query
