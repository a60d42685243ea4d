#include "query/distribute/distributed_query.h"

#include "query/bind/binding.h"
#include "query/optimise/constant_folding.h"
#include "query/sql/names.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;
using sql::ExpressionPointer;

ExpressionPointer make(ExpressionKind kind, std::string text = {}) {
  auto expression = std::make_unique<Expression>(kind, SourceRange{});
  expression->text = std::move(text);
  return expression;
}

template <typename... Operands>
ExpressionPointer make_with(ExpressionKind kind, std::string text, Operands... operands) {
  ExpressionPointer expression = make(kind, std::move(text));
  (expression->operands.push_back(std::move(operands)), ...);
  return expression;
}

// {"name": value, ...}
class ObjectBuilder {
 public:
  ObjectBuilder& add(std::string name, ExpressionPointer value) {
    object_->names.push_back(std::move(name));
    object_->operands.push_back(std::move(value));
    return *this;
  }
  ExpressionPointer take() { return std::move(object_); }

 private:
  ExpressionPointer object_ = make(ExpressionKind::kObject);
};

AggregateKind aggregate_of(const Expression& e) {
  const Function* function = e.kind == ExpressionKind::kCall ? find_function(e.text) : nullptr;
  return function != nullptr ? function->aggregate : AggregateKind::kNone;
}

// Sorts by what no index has in order, so that a client has to see all rows before the first.
bool is_rank(const Scalar& key) { return key.kind == ScalarKind::kCall && key.function->can_sort; }

ExpressionPointer call_on_same(std::string name, const Expression& aggregate) {
  return make_with(ExpressionKind::kCall, std::move(name), copy_of(*aggregate.operands[0]));
}

// What a partition has to tell about an aggregate so that it can be merged with those of other partitions.
ExpressionPointer partial_aggregate(const Expression& aggregate) {
  AggregateKind kind = aggregate_of(aggregate);
  if (kind == AggregateKind::kAverage) {
    ObjectBuilder sums;
    sums.add("sum", call_on_same("SUM", aggregate)).add("count", call_on_same("COUNT", aggregate));
    return ObjectBuilder().add("item", sums.take()).take();
  }
  ObjectBuilder item;
  item.add("item", copy_of(aggregate));
  if (kind == AggregateKind::kMin || kind == AggregateKind::kMax) {
    ObjectBuilder extreme;
    extreme.add(kind == AggregateKind::kMin ? "min" : "max", copy_of(aggregate)).add("count", call_on_same("COUNT", aggregate));
    item.add("item2", extreme.take());
  }
  return item.take();
}

// [{"item": e}, ...]
template <typename Items, typename Expression>
ExpressionPointer item_array(const Items& items, Expression expression_of) {
  ExpressionPointer array = make(ExpressionKind::kArray);
  for (const auto& item : items) array->operands.push_back(ObjectBuilder().add("item", copy_of(*expression_of(item))).take());
  return array;
}

sql::SelectItem item_of(ExpressionPointer expression, std::optional<std::string> alias) {
  return {std::move(expression), std::move(alias)};
}

// Rewriting: the work of distribute() on one parsed and bound query.
class Rewriting {
 public:
  Rewriting(const sql::Query& query, const Plan& plan, std::span<const Parameter> parameters, DistributedQuery& distributed)
      : query_(query), plan_(plan), parameters_(parameters), distributed_(distributed), rewritten_(copy_of(query)) {}

  Status run() {
    distributed_.has_select_value = query_.selection.kind == sql::Selection::Kind::kValue;
    if (is_distinct_count()) {
      rewrite_distinct_count();
      return {};
    }
    if (plan_.grouping) {
      TRY(rewrite_groups());
    } else if (!query_.order_by.empty()) {
      rewrite_order();
    }
    rewrite_counts();
    if (is_rewritten_) distributed_.rewritten_text = sql::print(rewritten_);
    return {};
  }

 private:
  // SELECT [VALUE] COUNT(1) FROM (SELECT DISTINCT ...) and nothing else.
  bool is_distinct_count() const {
    bool is_count =
        query_.selection.items.size() == 1 && aggregate_of(*query_.selection.items[0].expression) == AggregateKind::kCount;
    if (!is_count || query_.from.size() != 1 || !query_.from[0].query) return false;
    ExpressionKind counted = query_.selection.items[0].expression->operands[0]->kind;
    return query_.from[0].query->is_distinct && !query_.from[0].is_iteration && !query_.where && query_.group_by.empty() &&
           (counted == ExpressionKind::kNumber || counted == ExpressionKind::kName);
  }

  void rewrite_distinct_count() {
    distributed_.distinct = DistributedQuery::Distinct::kUnordered;
    distributed_.distinct_count_alias = distributed_.has_select_value ? "" : sql::property_names(query_.selection)[0];
    distributed_.rewritten_text = sql::print(*query_.from[0].query);
  }

  Status rewrite_groups() {
    for (const sql::SelectItem& item : query_.selection.items) {
      bool is_plain = aggregate_of(*item.expression) != AggregateKind::kNone || !has_aggregate(*item.expression);
      if (!is_plain) {
        return fail(ErrorCode::kInvalidQuery,
                    R"({"Errors":["Compositions of aggregates and other expressions are not allowed."]})");
      }
    }
    for (const ExpressionPointer& key : query_.group_by) distributed_.group_by_expressions.push_back(sql::print(*key));
    ExpressionPointer payload = distributed_.has_select_value ? grouped_value() : grouped_list();
    rewritten_.selection = {};
    if (query_.group_by.empty() && distributed_.has_select_value) {
      rewritten_.selection.kind = sql::Selection::Kind::kValue;
      rewritten_.selection.items.push_back(item_of(std::move(payload), std::nullopt));
    } else {
      rewritten_.selection.kind = sql::Selection::Kind::kList;
      if (!query_.group_by.empty()) {
        auto keys = item_array(query_.group_by, [](const ExpressionPointer& key) { return key.get(); });
        rewritten_.selection.items.push_back(item_of(std::move(keys), "groupByItems"));
      }
      rewritten_.selection.items.push_back(item_of(std::move(payload), "payload"));
    }
    is_rewritten_ = true;
    return {};
  }

  ExpressionPointer grouped_value() {
    const Expression& value = *query_.selection.items[0].expression;
    AggregateKind kind = aggregate_of(value);
    if (kind == AggregateKind::kNone) return copy_of(value);
    distributed_.aggregates.push_back(kind);
    return make_with(ExpressionKind::kArray, "", partial_aggregate(value));
  }

  ExpressionPointer grouped_list() {
    ObjectBuilder payload;
    std::vector<std::string> names = sql::property_names(query_.selection);
    for (size_t i = 0; i < names.size(); ++i) {
      const Expression& expression = *query_.selection.items[i].expression;
      AggregateKind kind = aggregate_of(expression);
      distributed_.group_outputs.push_back({names[i], kind});
      payload.add(names[i], kind == AggregateKind::kNone ? copy_of(expression) : partial_aggregate(expression));
    }
    return payload.take();
  }

  void rewrite_order() {
    for (const SortKey& key : plan_.order) {
      distributed_.order_is_descending.push_back(key.is_descending);
      distributed_.is_order_by_rank = distributed_.is_order_by_rank || is_rank(key.scalar);
    }
    for (const sql::OrderItem& item : query_.order_by) distributed_.order_by_expressions.push_back(sql::print(*item.expression));
    ExpressionPointer payload = ordered_payload();
    rewritten_.where = ordered_filter(*payload);
    rewritten_.selection = {};
    rewritten_.selection.kind = sql::Selection::Kind::kList;
    auto& items = rewritten_.selection.items;
    items.push_back(item_of(make_with(ExpressionKind::kMember, "_rid", make(ExpressionKind::kName, root_alias())), std::nullopt));
    auto keys = item_array(query_.order_by, [](const sql::OrderItem& item) { return item.expression.get(); });
    items.push_back(item_of(std::move(keys), "orderByItems"));
    items.push_back(item_of(std::move(payload), "payload"));
    is_rewritten_ = true;
  }

  ExpressionPointer ordered_payload() const {
    switch (query_.selection.kind) {
      case sql::Selection::Kind::kStar: return make(ExpressionKind::kName, root_alias());
      case sql::Selection::Kind::kValue: return copy_of(*query_.selection.items[0].expression);
      case sql::Selection::Kind::kList: break;
    }
    ObjectBuilder payload;
    std::vector<std::string> names = sql::property_names(query_.selection);
    for (size_t i = 0; i < names.size(); ++i) payload.add(names[i], copy_of(*query_.selection.items[i].expression));
    return payload.take();
  }

  // The filter, the client's condition, and for SELECT VALUE that there is a value.
  ExpressionPointer ordered_filter(const Expression& payload) const {
    ExpressionPointer filter = make(ExpressionKind::kVerbatim, fmt::format("({})", kOrderByFilterPlaceholder));
    if (query_.where) filter = make_with(ExpressionKind::kAnd, "", copy_of(*query_.where), std::move(filter));
    if (!distributed_.has_select_value) return filter;
    return make_with(ExpressionKind::kAnd, "", std::move(filter),
                     make_with(ExpressionKind::kCall, "IS_DEFINED", copy_of(payload)));
  }

  std::string root_alias() const {
    const sql::FromSource& first = query_.from.front();
    if (first.alias) return *first.alias;
    return first.expression ? sql::natural_name(*first.expression).value_or("") : "";
  }

  // Counts that hold for the merged rows must not cut those of one partition too early.
  void rewrite_counts() {
    bool is_merged = plan_.grouping.has_value();
    if (query_.is_distinct) {
      distributed_.distinct =
          is_distinct_in_order() ? DistributedQuery::Distinct::kOrdered : DistributedQuery::Distinct::kUnordered;
      if (is_rewritten_) rewritten_.is_distinct = false;
      is_merged = true;
    }
    if (query_.top && !query_.from.empty()) distributed_.top = count_of(*query_.top);
    bool is_one_partition =
        !distributed_.keys.is_all && distributed_.keys.keys.size() == 1 && !is_merged && query_.order_by.empty();
    if (query_.offset && !is_one_partition) {
      distributed_.offset = count_of(*query_.offset);
      distributed_.limit = count_of(*query_.limit);
      auto count = fmt::format("{}", *distributed_.offset + *distributed_.limit);
      rewritten_.offset = is_merged ? nullptr : make(ExpressionKind::kNumber, "0");
      rewritten_.limit = is_merged ? nullptr : make(ExpressionKind::kNumber, std::move(count));
      is_rewritten_ = true;
    }
    if (query_.top && is_merged) {
      rewritten_.top.reset();
      is_rewritten_ = true;
    }
  }

  // A literal or a parameter; binding has checked that it is a count.
  uint64_t count_of(const Expression& count) const {
    if (count.kind == ExpressionKind::kNumber) return std::strtoull(count.text.c_str(), nullptr, 10);
    auto found = std::ranges::find(parameters_, count.text, &Parameter::name);
    return static_cast<uint64_t>(Datum::of(Value::view(found->value)).integer().value_or(0));
  }

  // Equal rows follow each other when all that is selected is what is sorted by.
  bool is_distinct_in_order() const {
    return query_.order_by.size() == 1 && query_.selection.items.size() == 1 &&
           sql::print(*query_.order_by[0].expression) == sql::print(*query_.selection.items[0].expression);
  }

  const sql::Query& query_;
  const Plan& plan_;
  std::span<const Parameter> parameters_;
  DistributedQuery& distributed_;
  sql::Query rewritten_;
  bool is_rewritten_ = false;
};

}  // namespace

Result<DistributedQuery> distribute(const QuerySpecification& specification, const PartitionKeyDefinition& definition,
                                    const Schema& schema) {
  TRY_ASSIGN(sql::Query query, sql::parse(specification.text));
  TRY_ASSIGN(Plan plan, query::bind(query, specification.text, specification.parameters, schema));
  fold_constants(plan);
  if (plan.ranking) {
    return std::unexpected(to_error(
        {"SC2990", "The specified query includes 'ORDER BY RANK' which is currently not supported over several partitions.",
         query.order_by_range},
        specification.text));
  }
  DistributedQuery distributed;
  distributed.keys = key_filter_of(plan, definition);
  TRY(Rewriting(query, plan, specification.parameters, distributed).run());
  return distributed;
}

}  // namespace partita::query
