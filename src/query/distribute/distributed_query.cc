#include "query/distribute/distributed_query.h"

#include "query/bind/binding.h"
#include "query/distribute/hybrid_search.h"
#include "query/distribute/rewriting.h"
#include "query/optimise/constant_folding.h"
#include "query/sql/names.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;
using sql::ExpressionPointer;

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

// Rewriting: the work of distribute() on one parsed and bound query.
class Rewriting {
 public:
  Rewriting(const sql::Query& query, const Plan& plan, std::span<const Parameter> parameters, DistributedQuery& distributed)
      : query_(query), plan_(plan), parameters_(parameters), distributed_(distributed), rewritten_(copy_of(query)) {}

  Status run(bool counts_distinct) {
    distributed_.has_select_value = query_.selection.kind == sql::Selection::Kind::kValue;
    if (counts_distinct && is_distinct_count()) {
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
    ExpressionPointer payload = payload_of(query_);
    rewritten_.where = ordered_filter(*payload);
    rewritten_.selection = {};
    rewritten_.selection.kind = sql::Selection::Kind::kList;
    auto& items = rewritten_.selection.items;
    items.push_back(resource_id_item(query_));
    auto keys = item_array(query_.order_by, [](const sql::OrderItem& item) { return item.expression.get(); });
    items.push_back(item_of(std::move(keys), "orderByItems"));
    items.push_back(item_of(std::move(payload), "payload"));
    is_rewritten_ = true;
  }

  // The filter, the client's condition, and for SELECT VALUE that there is a value.
  ExpressionPointer ordered_filter(const Expression& payload) const {
    ExpressionPointer filter = resumable_filter(query_);
    if (!distributed_.has_select_value) return filter;
    return make_with(ExpressionKind::kAnd, "", std::move(filter),
                     make_with(ExpressionKind::kCall, "IS_DEFINED", copy_of(payload)));
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
    if (query_.top && !query_.from.empty()) distributed_.top = count_of(*query_.top, parameters_);
    bool is_one_partition =
        !distributed_.keys.is_all && distributed_.keys.keys.size() == 1 && !is_merged && query_.order_by.empty();
    if (query_.offset && !is_one_partition) {
      distributed_.offset = count_of(*query_.offset, parameters_);
      distributed_.limit = count_of(*query_.limit, parameters_);
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
                                    const Schema& schema, const SyntheticKey* synthetic, bool counts_distinct) {
  TRY_ASSIGN(sql::Query query, sql::parse(specification.text));
  TRY_ASSIGN(Plan plan, query::bind(query, specification.text, specification.parameters, schema));
  fold_constants(plan);
  DistributedQuery distributed;
  distributed.keys = key_filter_of(plan, definition, synthetic);
  if (plan.ranking) {
    auto hybrid = hybrid_search_of(query, *plan.ranking, specification.parameters);
    distributed.hybrid = std::make_shared<const HybridSearch>(std::move(hybrid));
    return distributed;
  }
  TRY(Rewriting(query, plan, specification.parameters, distributed).run(counts_distinct));
  return distributed;
}

}  // namespace partita::query
