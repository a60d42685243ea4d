#include "query/bind/binding.h"
#include "query/plan/constant_set.h"
#include "query/plan/like_pattern.h"
#include "query/sql/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;

// Shorter IN lists are compared one by one.
constexpr size_t kHashedListMin = 8;

template <typename Write>
std::string stored(Write write) {
  StoredWriter writer;
  write(writer);
  return writer.take();
}

// An exact integer if it is one of 64 bits, else a double.
void write_number(StoredWriter& out, const std::string& token) {
  int64_t integer = 0;
  auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), integer);
  bool is_integer = error == std::errc() && end == token.data() + token.size();
  is_integer ? out.integer(integer) : out.number(std::strtod(token.c_str(), nullptr) + 0.0);
}

const Function* aggregate_of(const Expression& e) {
  if (e.kind != ExpressionKind::kCall) return nullptr;
  const Function* function = find_function(e.text);
  return function != nullptr && function->aggregate != AggregateKind::kNone ? function : nullptr;
}

bool has_subquery(const Expression& e) {
  return e.query != nullptr ||
         std::ranges::any_of(e.operands, [](const sql::ExpressionPointer& operand) { return has_subquery(*operand); });
}

// NaN and Infinity can be written, but no value of the language is one: they are undefined. Only TOSTRING names them.
bool is_non_number(const Expression& e) { return e.kind == ExpressionKind::kName && (e.text == "NaN" || e.text == "Infinity"); }

std::string arity_message(const Function& function) {
  std::string count = function.arguments_max == Function::kUnbounded ? fmt::format("at least {}", function.arguments_min)
                      : function.arguments_min == function.arguments_max
                          ? fmt::format("{}", function.arguments_min)
                          : fmt::format("{} to {}", function.arguments_min, function.arguments_max);
  return fmt::format("The {} function requires {} argument(s).", function.name, count);
}

}  // namespace

bool has_aggregate(const Expression& e) {
  if (aggregate_of(e) != nullptr) return true;
  return std::ranges::any_of(e.operands, [](const sql::ExpressionPointer& operand) { return has_aggregate(*operand); });
}

Scalar Binding::bind_expression(const Expression& e) {
  if (auto key = bind_as_group_key(e)) return std::move(*key);
  if (path_range_ || !e.is_path) return bind_plainly(e);
  path_range_ = e.range;
  Scalar path = bind_plainly(e);
  path_range_.reset();
  return path;
}

// Behind a grouping, an expression that is one of its keys means the key.
std::optional<Scalar> Binding::bind_as_group_key(const Expression& e) {
  if (grouped_scopes_.empty()) return std::nullopt;
  const auto print = fingerprints_.of(e);
  const auto found = print ? grouped_scopes_.find(*print) : grouped_scopes_.end();
  if (found == grouped_scopes_.end()) return std::nullopt;
  const std::vector<size_t> candidates = found->second;  // binding may change it
  for (size_t i = candidates.size(); i-- > 0;) {
    if (scopes_[candidates[i]].phase != Scope::Phase::kGroups) continue;
    if (const auto slot = find_group_key(e, candidates[i])) return Scalar::of_slot(*slot);
  }
  return std::nullopt;
}

// Compares what the expression means for the rows that were grouped with what the keys mean for them.
std::optional<uint32_t> Binding::find_group_key(const Expression& e, size_t scope_index) {
  constexpr size_t kMistakenKeysMax = 64;  // then somebody is making them
  if (mistaken_keys_ >= kMistakenKeysMax) return std::nullopt;
  const size_t mistakes = diagnostics_.size();
  const size_t user_calls = user_calls_;
  const size_t parameter_bytes = parameter_bytes_;
  const auto outer_phase = std::exchange(scopes_[scope_index].phase, Scope::Phase::kRows);
  const std::string text = to_text(bind_plainly(e));
  Scope& grouped = scopes_[scope_index];
  grouped.phase = outer_phase;
  diagnostics_.resize(mistakes);
  user_calls_ = user_calls;
  parameter_bytes_ = parameter_bytes;
  const auto found = grouped.key_texts.find(text);
  if (found != grouped.key_texts.end()) return grouped.grouping->keys[found->second].slot;
  ++mistaken_keys_;
  return std::nullopt;
}

Scalar Binding::bind_plainly(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kUndefined: return {};
    case ExpressionKind::kNull: return Scalar::of_constant(stored([](StoredWriter& out) { out.null(); }));
    case ExpressionKind::kTrue: return Scalar::of_constant(stored([](StoredWriter& out) { out.boolean(true); }));
    case ExpressionKind::kFalse: return Scalar::of_constant(stored([](StoredWriter& out) { out.boolean(false); }));
    case ExpressionKind::kNumber: return Scalar::of_constant(stored([&](StoredWriter& out) { write_number(out, e.text); }));
    case ExpressionKind::kString: return Scalar::of_constant(stored([&](StoredWriter& out) { out.string(e.text); }));
    case ExpressionKind::kParameter: return bind_parameter(e);
    case ExpressionKind::kName: return bind_name(e);
    case ExpressionKind::kMember: return member_of(bind_expression(*e.operands[0]), e.text);
    case ExpressionKind::kIndex: return bind_index(e);
    case ExpressionKind::kArray: return with_operands(ScalarKind::kArray, e);
    case ExpressionKind::kObject: {
      Scalar object = with_operands(ScalarKind::kObject, e);
      object.names = e.names;
      return object;
    }
    case ExpressionKind::kUnary: return with_operands(ScalarKind::kUnary, e);
    case ExpressionKind::kBinary: return with_operands(ScalarKind::kBinary, e);
    case ExpressionKind::kAnd: return with_operands(ScalarKind::kAnd, e);
    case ExpressionKind::kOr: return with_operands(ScalarKind::kOr, e);
    case ExpressionKind::kConditional: return with_operands(ScalarKind::kConditional, e);
    case ExpressionKind::kCoalesce: return with_operands(ScalarKind::kCoalesce, e);
    case ExpressionKind::kBetween: return with_operands(ScalarKind::kBetween, e);
    case ExpressionKind::kIn: return bind_in(e);
    case ExpressionKind::kLike: return bind_like(e);
    case ExpressionKind::kCall: return bind_call(e);
    case ExpressionKind::kUserCall: return bind_user_call(e);
    case ExpressionKind::kSubquery: return bind_subquery(e, ScalarKind::kRowOf);
    case ExpressionKind::kExists: return bind_subquery(e, ScalarKind::kExists);
    case ExpressionKind::kArrayOf: return bind_subquery(e, ScalarKind::kArrayOf);
    case ExpressionKind::kFirstOf: return bind_subquery(e, ScalarKind::kFirstOf);
    case ExpressionKind::kLastOf: return bind_subquery(e, ScalarKind::kLastOf);
    case ExpressionKind::kAllOf: return bind_all_of(e);
    case ExpressionKind::kVerbatim: break;
  }
  return {};
}

Scalar Binding::with_operands(ScalarKind kind, const Expression& e) {
  Scalar scalar(kind);
  scalar.operation = e.operation;
  scalar.is_negated = e.is_negated;
  scalar.operands.reserve(e.operands.size());
  for (const sql::ExpressionPointer& operand : e.operands) scalar.operands.push_back(bind_expression(*operand));
  return scalar;
}

Scalar Binding::bind_name(const Expression& e) {
  if (const Aliases::Meaning* alias = aliases_.find(e.text)) {
    if (scopes_[alias->scope].phase == Scope::Phase::kGroups) report_ungrouped(e, scopes_[alias->scope]);
    return Scalar::of_slot(alias->slot);
  }
  if (is_non_number(e)) return {};
  report("SC2001", fmt::format("Identifier '{}' could not be resolved.", e.text), e.range);
  return {};
}

void Binding::report_ungrouped(const Expression& e, const Scope& grouped) {
  SourceRange range = path_range_.value_or(e.range);
  std::string_view path = text_.substr(range.start, range.end - range.start);
  report(
      grouped.is_in_order ? "SC2103" : "SC2102",
      fmt::format("Property reference '{}' is invalid in the {} because it is not contained in either an aggregate function or "
                  "the GROUP BY clause.",
                  path, grouped.is_in_order ? "ORDER BY clause" : "select list"),
      range);
}

const std::string* Binding::find_parameter(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : found->second;
}

Scalar Binding::bind_parameter(const Expression& e) {
  const std::string* value = find_parameter(e.text);
  if (value == nullptr) {
    report("SC2001", fmt::format("Identifier '{}' could not be resolved.", e.text), e.range);
    return {};
  }
  const size_t before = std::exchange(parameter_bytes_, parameter_bytes_ + value->size());
  if (parameter_bytes_ <= kParameterBytesMax) return Scalar::of_constant(*value);
  if (before <= kParameterBytesMax) {
    report("SC3007",
           fmt::format("The values of the SQL query's parameters, counted as often as the text names them, exceeded the maximum "
                       "of {} bytes.",
                       kParameterBytesMax),
           e.range);
  }
  return {};
}

// c["name"] is c.name.
Scalar Binding::bind_index(const Expression& e) {
  Scalar subscript = bind_expression(*e.operands[1]);
  Scalar owner = bind_expression(*e.operands[0]);
  if (subscript.is_constant() && subscript.constant_value().is_string()) {
    return member_of(std::move(owner), std::string(subscript.constant_value().string()));
  }
  Scalar scalar(ScalarKind::kSubscript);
  scalar.operands.push_back(std::move(owner));
  scalar.operands.push_back(std::move(subscript));
  return scalar;
}

Scalar Binding::bind_call(const Expression& e) {
  const Function* function = find_function(e.text);
  if (function == nullptr || function->name == "RRF") return bind_unknown_call(e);
  auto count = static_cast<int>(e.operands.size());
  if (count < function->arguments_min || count > function->arguments_max) {
    report("SC2050", arity_message(*function), e.range);
    return {};
  }
  if (function->aggregate != AggregateKind::kNone) return bind_aggregate(e, *function);
  if (function->body == nullptr) {
    report("SC2240", fmt::format("The {} function is only allowed in the ORDER BY RANK clause.", e.text), e.range);
    return {};
  }
  Scalar call = with_operands(ScalarKind::kCall, e);
  const bool names_non_number = function->name == "TOSTRING" && is_non_number(*e.operands[0]);
  if (names_non_number && call.operands[0].is_constant()) {
    return Scalar::of_constant(stored([&](StoredWriter& out) { out.string(e.operands[0]->text); }));
  }
  const bool is_plane = schema_.space == Space::kPlane && function->in_plane != nullptr;
  call.function = is_plane ? function->in_plane : function;
  if (function->takes_metric) {
    check_vector_options(e, call);
    add_metric(call);
  }
  if (function->takes_language) {
    for (size_t i = 1; i < e.operands.size(); ++i) check_phrase(*e.operands[i], call.operands[i]);
    add_language(call);
  }
  return call;
}

// RRF is a word of ORDER BY RANK only.
Scalar Binding::bind_unknown_call(const Expression& e) {
  for (const sql::ExpressionPointer& operand : e.operands) bind_expression(*operand);
  const SourceRange name{e.range.start, e.range.start + static_cast<uint32_t>(e.text.size())};
  report("SC2005", fmt::format("'{}' is not a recognized built-in function name.", e.text), name);
  return {};
}

Scalar Binding::bind_aggregate(const Expression& e, const Function& function) {
  if (has_aggregate(*e.operands[0]) || has_subquery(*e.operands[0])) {
    report("SC2101", "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.", e.range);
    return {};
  }
  if (!scope().allows_aggregates || !scope().grouping) {
    report("SC2100", fmt::format("The {} function is only allowed in the SELECT and ORDER BY clauses.", function.name), e.range);
    return {};
  }
  auto outer_phase = std::exchange(scope().phase, Scope::Phase::kRows);
  Scalar argument = bind_expression(*e.operands[0]);
  scope().phase = outer_phase;
  const auto [known, is_new] = scope().aggregate_slots.try_emplace({function.aggregate, to_text(argument)}, 0);
  if (is_new) {
    known->second = new_slot();
    scope().grouping->aggregates.push_back({function.aggregate, std::move(argument), known->second});
  }
  return Scalar::of_slot(known->second);
}

Scalar Binding::bind_user_call(const Expression& e) {
  if (++user_calls_ == kUserCallsMax + 1) {
    report("SC3005",
           fmt::format("The SQL query exceeded the maximum number of user-defined function calls. The allowed limit is {}.",
                       kUserCallsMax),
           e.range);
  }
  Scalar call = with_operands(ScalarKind::kUserCall, e);
  call.name = e.text;
  return call;
}

Scalar Binding::bind_in(const Expression& e) {
  Scalar in = with_operands(ScalarKind::kIn, e);
  std::span<const Scalar> list = std::span(in.operands).subspan(1);
  if (list.size() < kHashedListMin || !std::ranges::all_of(list, &Scalar::is_constant)) return in;
  auto set = std::make_shared<ConstantSet>();
  for (const Scalar& item : list) set->add(item.constant_value());
  in.set = std::move(set);
  return in;
}

Scalar Binding::bind_like(const Expression& e) {
  Scalar like = with_operands(ScalarKind::kLike, e);
  std::span<const Scalar> pattern = std::span(like.operands).subspan(1);
  auto is_constant_string = [](const Scalar& part) { return part.is_constant() && part.constant_value().is_string(); };
  if (!std::ranges::all_of(pattern, is_constant_string)) return like;
  auto escape = pattern.size() > 1 ? std::optional(pattern[1].constant_value().string()) : std::nullopt;
  auto compiled = LikePattern::compile(pattern[0].constant_value().string(), escape);
  if (compiled) {
    like.like = std::make_shared<const LikePattern>(std::move(*compiled));
  } else {
    report("SC2070", "The ESCAPE sequence must be a single character.", e.operands.back()->range);
  }
  return like;
}

Scalar Binding::bind_subquery(const Expression& e, ScalarKind kind) {
  Scalar scalar(kind);
  scalar.plan = std::make_unique<Plan>(bind_query(*e.query, Place::kNested));
  return scalar;
}

// ALL(... WHERE f): there is no row for which f is not true.
Scalar Binding::bind_all_of(const Expression& e) {
  Scalar none = bind_subquery(e, ScalarKind::kExists);
  none.is_negated = true;
  Scalar negation(ScalarKind::kUnary);
  negation.operation = Operation::kNot;
  negation.operands.push_back(none.plan->filter ? std::move(*none.plan->filter)
                                                : Scalar::of_constant(stored([](StoredWriter& out) { out.boolean(true); })));
  none.plan->filter = std::move(negation);
  return none;
}

}  // namespace partita::query
