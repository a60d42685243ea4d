#include "query/bind/binding.h"
#include "query/optimise/constant_folding.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace partita::query {
namespace {

using sql::ExpressionKind;

constexpr std::string_view kRankedByWhat =
    "The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.";
constexpr std::string_view kWeightsAreWhat =
    "The last parameter of the RRF function is an optional array of weights. When present, it must be a literal array of "
    "numbers, one for each of the component scores used for the RRF function. The length of this array must be the same as the "
    "number of the component scores.";

bool is_call(const sql::Expression& e, std::string_view name) {
  const Function* function = e.kind == ExpressionKind::kCall ? find_function(e.text) : nullptr;
  return function != nullptr && function->name == name;
}

bool can_sort(const sql::Expression& e) {
  const Function* function = e.kind == ExpressionKind::kCall ? find_function(e.text) : nullptr;
  return function != nullptr && function->can_sort;
}

bool is_vector_call(const Scalar& scalar) {
  return scalar.kind == ScalarKind::kCall &&
         (scalar.function->name == "VECTORDISTANCE" || scalar.function->name == "_VECTORSCORE");
}

// Without ASC or DESC the nearest vectors come first, whichever way their metric counts; anything else ascends.
bool is_descending_by_nature(const Scalar& key) {
  if (!is_vector_call(key)) return false;
  const bool has_options = key.operands.size() > 3 && key.operands[3].is_constant();
  if (key.function->name == "_VECTORSCORE" || !has_options) return true;
  const Datum name = key.operands[3].constant_value().member("distanceFunction");
  return !name.is_string() || vector_metric_of(name.string()) != VectorMetric::kEuclidean;
}

}  // namespace

void Binding::bind_order(const sql::Query& query, Place place, Plan& plan) {
  if (query.order_by.empty()) return;
  if (query.is_rank) return bind_rank(query, plan);
  bool is_single_row = scope().grouping && query.group_by.empty();
  if (is_single_row) scope().phase = Scope::Phase::kRows;  // the order of one row does not matter, but its names must exist
  scope().is_in_order = true;
  for (const sql::OrderItem& item : query.order_by) {
    bool can_be_expression = place != Place::kOutermost || scope().grouping || can_sort(*item.expression);
    if (!can_be_expression && !item.expression->is_path) {
      report("2206", "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
             std::nullopt);
      continue;
    }
    SortKey key{.scalar = bind_expression(*item.expression)};
    fold_constants(key.scalar);
    key.is_descending = item.is_descending.value_or(is_descending_by_nature(key.scalar));
    // Where the container declares vectors, a document without one is no answer, as a vector index does not have it.
    key.drops_undefined = is_vector_call(key.scalar) && find_embedding(key.scalar) != nullptr;
    if (!is_single_row) plan.order.push_back(std::move(key));
  }
}

// Whole documents are ranked, not parts of them.
void Binding::check_ranked_sources(const sql::Query& query) {
  if (query.from.size() > 1) {
    report("SC2224", "The JOIN operator is not allowed with the ORDER BY RANK clause.",
           SourceRange{query.from.front().range.start, query.from.back().range.end});
  }
  for (const sql::FromSource& source : query.from) {
    if (source.is_iteration) {
      report("SC2223", "The FROM clause with the IN operator is not allowed with the ORDER BY RANK clause.", source.range);
    } else if (source.query) {
      report("SC2225", "Subqueries in the FROM clause are not allowed with the ORDER BY RANK clause.", source.body_range);
    }
  }
}

// ORDER BY RANK f, or ORDER BY RANK RRF(f, g, ..., [weights]).
void Binding::bind_rank(const sql::Query& query, Plan& plan) {
  for (const sql::OrderItem& item : query.order_by) {
    if (!item.is_descending) continue;
    report("SC2222", "Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.", query.order_by_range);
    return;
  }
  const sql::Expression& rank = *query.order_by[0].expression;
  const bool is_fusion = is_call(rank, "RRF");
  const bool has_weights = is_fusion && !rank.operands.empty() && rank.operands.back()->kind != ExpressionKind::kCall;
  const bool is_single = is_fusion && rank.operands.size() < (has_weights ? 3U : 2U);
  if (query.order_by.size() > 1 || scope().grouping || is_single) {
    report("SC2221", std::string(kRankedByWhat), query.order_by_range);
    return;
  }
  if (is_fusion && rank.operands.size() > kRankComponentsMax + 1) {
    report("SC3009",
           fmt::format("The RRF function exceeded the maximum number of component scores. The allowed limit is {}.",
                       kRankComponentsMax),
           rank.range);
    return;
  }
  Ranking ranking;
  if (!is_fusion) {
    if (auto component = bind_rank_component(rank)) ranking.components.push_back(std::move(*component));
  } else {
    for (const sql::ExpressionPointer& operand : rank.operands) {
      if (has_weights && operand == rank.operands.back()) {
        if (!bind_rank_weights(*operand, ranking)) report("SC2229", std::string(kWeightsAreWhat), query.order_by_range);
      } else if (auto component = bind_rank_component(*operand)) {
        ranking.components.push_back(std::move(*component));
      }
    }
  }
  plan.ranking = std::move(ranking);
}

std::optional<Ranking::Component> Binding::bind_rank_component(const sql::Expression& e) {
  Ranking::Component component;
  if (is_call(e, "VECTORDISTANCE")) {
    component.score = bind_expression(e);
    if (component.score.kind == ScalarKind::kCall) component.score.function = find_function("_VECTORSCORE");
    return component;
  }
  if (!is_call(e, "FULLTEXTSCORE") || e.operands.size() < 2) {
    report("SC2221", std::string(kRankedByWhat), e.range);
    return std::nullopt;
  }
  if (e.operands.size() > kRankPhrasesMax + 1) {
    report("SC3010",
           fmt::format("The FullTextScore function exceeded the maximum number of phrases. The allowed limit is {}.",
                       kRankPhrasesMax),
           e.range);
    return std::nullopt;
  }
  component.score = bind_expression(*e.operands[0]);
  component.language = language_at(component.score);
  for (size_t i = 1; i < e.operands.size(); ++i) {
    component.phrases.push_back(bind_expression(*e.operands[i]));
    check_phrase(*e.operands[i], component.phrases.back());
  }
  return component;
}

// One number for each component; a negative one turns its ranking round. False if they are anything else.
bool Binding::bind_rank_weights(const sql::Expression& e, Ranking& ranking) {
  const size_t mistakes = diagnostics_.size();
  Scalar bound = bind_expression(e);
  diagnostics_.resize(mistakes);
  fold_constants(bound);
  const Datum weights = bound.is_constant() ? bound.constant_value() : Datum();
  bool is_valid = weights.is_array() && weights.size() == ranking.components.size();
  for (size_t i = 0; is_valid && i < weights.size(); ++i) {
    const Datum weight = weights.element_at(i);
    is_valid = weight.is_number();
    if (!is_valid) break;
    ranking.components[i].weight = std::abs(weight.number());
    ranking.components[i].is_ascending = weight.number() < 0;
  }
  return is_valid;
}

}  // namespace partita::query
