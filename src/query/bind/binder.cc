#include "query/bind/binder.h"

#include "query/bind/binding.h"
#include "query/sql/names.h"
#include "query/sql/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace partita::query {
namespace {

using sql::ExpressionKind;

bool selects_aggregate(const sql::Query& query) {
  return std::ranges::any_of(query.selection.items, [](const sql::SelectItem& item) { return has_aggregate(*item.expression); });
}

}  // namespace

Result<Plan> bind(const sql::Query& query, std::string_view text, std::span<const Parameter> parameters, const Schema& schema) {
  Binding binding(text, parameters, schema);
  Plan plan = binding.bind_query(query, Binding::Place::kOutermost);
  return binding.finish(std::move(plan));
}

Result<Plan> Binding::finish(Plan plan) {
  // The paths of ORDER BY are looked at only where nothing else is wrong.
  constexpr auto kIsOfOrder = [](const Diagnostic& mistake) { return mistake.code == "2206"; };
  if (!std::ranges::all_of(diagnostics_, kIsOfOrder)) std::erase_if(diagnostics_, kIsOfOrder);
  if (!diagnostics_.empty()) return std::unexpected(to_error(diagnostics_, text_));
  plan.slot_count = slot_count_;
  return plan;
}

void Binding::report(std::string_view code, std::string message, std::optional<SourceRange> range) {
  constexpr size_t kCollectedMax = 1000;  // more than are ever told
  if (diagnostics_.size() < kCollectedMax) diagnostics_.push_back({std::string(code), std::move(message), range});
}

Plan Binding::bind_query(const sql::Query& query, Place place) {
  if (query.is_rank) check_ranked_sources(query);
  scopes_.emplace_back();
  Plan plan;
  bind_sources(query, place, plan);
  if (place != Place::kOutermost) check_subquery_clauses(query);
  if (query.where) plan.filter = bind_expression(*query.where);
  bind_grouping(query);
  plan.projection = bind_selection(query, plan);
  bind_order(query, place, plan);
  plan.grouping = std::move(scope().grouping);
  plan.is_distinct = query.is_distinct;
  bind_counts(query, plan);
  end_scope();
  return plan;
}

void Binding::end_scope() {
  while (!scope().aliases.empty()) pop_alias();
  for (const uint64_t print : scope().key_prints) grouped_scopes_.find(print)->second.pop_back();
  scopes_.pop_back();
}

void Binding::check_subquery_clauses(const sql::Query& query) {
  if (query.is_rank) {
    report("SC2228", "The ORDER BY RANK clause is not supported in subqueries.", query.order_by_range);
  } else if (!query.order_by.empty()) {
    report("SC2202", "'ORDER BY' is not supported in subqueries.", query.order_by_range);
  }
  if (query.top) report("SC2203", "'TOP' is not supported in subqueries.", query.top_range);
  if (query.offset) report("SC2204", "'OFFSET LIMIT' clause is not supported in subqueries.", query.offset_range);
}

void Binding::bind_sources(const sql::Query& query, Place place, Plan& plan) {
  for (size_t i = 0; i < query.from.size(); ++i) {
    Source source = bind_source(query.from[i], place != Place::kNested && i == 0, plan.sources);
    add_alias(query.from[i], source.slot);
    plan.sources.push_back(std::move(source));
  }
}

// The first name of the first source means the container, whatever it is; all others are aliases.
Source Binding::bind_source(const sql::FromSource& source, bool is_container, std::vector<Source>& before) {
  Source bound;
  if (source.query) {
    bound.kind = Source::Kind::kRows;
    bound.plan = std::make_unique<Plan>(bind_query(*source.query, is_container ? Place::kContainer : Place::kNested));
    bound.slot = new_slot();
    if (!source.is_iteration) return bound;
    // alias IN (query): the elements of each of its rows.
    Source elements;
    elements.kind = Source::Kind::kUnnest;
    elements.scalar = Scalar::of_slot(bound.slot);
    before.push_back(std::move(bound));
    elements.slot = new_slot();
    return elements;
  }
  const sql::Expression& path = *source.expression;
  bool is_whole_container = is_container && path.kind == ExpressionKind::kName && !source.is_iteration;
  if (is_whole_container) {
    bound.slot = new_slot();
    document_slots_.push_back(bound.slot);
    return bound;
  }
  const sql::Expression* root = &path;
  while (!root->operands.empty() && path.is_path) root = root->operands[0].get();
  bool is_of_container = is_container && root->kind == ExpressionKind::kName;
  if (is_of_container) {
    Source scan;
    scan.slot = new_slot();
    document_slots_.push_back(scan.slot);
    push_alias(root->text, scan.slot);
    before.push_back(std::move(scan));
  }
  bound.kind = source.is_iteration ? Source::Kind::kUnnest : Source::Kind::kValue;
  bound.scalar = bind_expression(path);
  if (is_of_container) pop_alias();  // only the alias of the path can be used further on
  bound.slot = new_slot();
  return bound;
}

void Binding::add_alias(const sql::FromSource& source, uint32_t slot) {
  std::optional<std::string> name = source.alias;
  if (!name && source.expression) name = sql::natural_name(*source.expression);
  if (!name) return;
  const Aliases::Meaning* known = aliases_.find(*name);
  if (known != nullptr && known->scope + 1 == scopes_.size()) {
    report("SC2011", fmt::format("The input alias '{}' is specified more than once in the FROM clause.", *name), source.range);
  }
  push_alias(std::move(*name), slot);
}

void Binding::push_alias(std::string name, uint32_t slot) {
  aliases_.add(name, {scopes_.size() - 1, slot});
  scope().aliases.push_back(std::move(name));
}

void Binding::pop_alias() {
  aliases_.remove(scope().aliases.back());
  scope().aliases.pop_back();
}

void Binding::bind_grouping(const sql::Query& query) {
  if (query.group_by.empty() && !selects_aggregate(query)) return;
  Grouping grouping;
  for (const sql::ExpressionPointer& key : query.group_by) {
    Scalar scalar = bind_expression(*key);
    scope().key_texts.try_emplace(to_text(scalar), grouping.keys.size());
    grouping.keys.push_back({std::move(scalar), 0});
  }
  for (const sql::ExpressionPointer& key : query.group_by) {
    const auto print = fingerprints_.of(*key);
    if (!print) continue;
    std::vector<size_t>& grouped = grouped_scopes_[*print];
    if (!grouped.empty() && grouped.back() + 1 == scopes_.size()) continue;
    grouped.push_back(scopes_.size() - 1);
    scope().key_prints.push_back(*print);
  }
  for (Grouping::Key& key : grouping.keys) key.slot = new_slot();
  scope().grouping = std::move(grouping);
  scope().phase = Scope::Phase::kGroups;
}

Scalar Binding::bind_selection(const sql::Query& query, const Plan& plan) {
  scope().allows_aggregates = true;
  switch (query.selection.kind) {
    case sql::Selection::Kind::kValue: return bind_expression(*query.selection.items[0].expression);
    case sql::Selection::Kind::kList: return bind_select_list(query.selection);
    case sql::Selection::Kind::kStar: break;
  }
  if (!query.group_by.empty()) {
    report("SC2041", "'SELECT *' is not allowed with GROUP BY.", query.selection.range);
  } else if (query.from.empty()) {
    report("SC2040", "'SELECT *' is not valid if FROM clause is omitted.", query.selection.range);
  } else if (query.from.size() > 1) {
    report("SC2040", "'SELECT *' is only valid with a single input set.", query.selection.range);
  } else {
    return Scalar::of_slot(plan.sources.back().slot);
  }
  return {};
}

Scalar Binding::bind_select_list(const sql::Selection& selection) {
  Scalar object(ScalarKind::kObject);
  object.names = sql::property_names(selection);
  std::set<std::string_view> taken;
  for (size_t i = 0; i < selection.items.size(); ++i) {
    const sql::Expression& expression = *selection.items[i].expression;
    if (!taken.insert(object.names[i]).second) {
      report("SC2012", fmt::format("The property name '{}' is specified more than once in the SELECT clause.", object.names[i]),
             expression.range);
    }
    object.operands.push_back(bind_expression(expression));
  }
  return object;
}

void Binding::bind_counts(const sql::Query& query, Plan& plan) {
  if (query.top) {
    plan.limit = count_of(*query.top, "SC2060", "The count value provided for a TOP clause must be an integer.");
  }
  if (query.offset) {
    plan.offset = count_of(*query.offset, "SC2062", "The OFFSET count value exceeds the maximum allowed value.").value_or(0);
    auto limit = count_of(*query.limit, "SC2061", "The LIMIT count value exceeds the maximum allowed value.");
    if (limit) plan.limit = std::min(*limit, plan.limit.value_or(*limit));
  }
}

std::optional<uint64_t> Binding::count_of(const sql::Expression& count, std::string_view code, std::string_view message) {
  Scalar bound = bind_expression(count);
  auto value = bound.is_constant() ? bound.constant_value().integer() : std::nullopt;
  if (value && *value >= 0 && static_cast<uint64_t>(*value) <= kRowCountMax) return static_cast<uint64_t>(*value);
  report(code, std::string(message), count.range);
  return std::nullopt;
}

}  // namespace partita::query
