#include "query/distribute/hybrid_search.h"

#include "query/distribute/rewriting.h"
#include "query/sql/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;
using sql::ExpressionPointer;

// Each component gives twice as many rows as are asked for, and at least so many, because the best of all need not be among the
// best of each.
constexpr uint64_t kComponentRowsMin = 120;
constexpr uint64_t kComponentRowsFactor = 2;
// Scores of rows that have none, so that they come last.
constexpr std::string_view kNoRelevance = "-1";
constexpr std::string_view kNoScore = "-1.79769e+308";
constexpr std::string_view kNoScoreAscending = "1.79769e+308";

// Where clients put the sums of all partitions' statistics.
ExpressionPointer placeholder(std::string_view name) {
  return make(ExpressionKind::kVerbatim, fmt::format("{{documentdb-formattablehybridsearchquery-{}}}", name));
}

// HybridRewriting: the work of hybrid_search_of().
class HybridRewriting {
 public:
  HybridRewriting(const sql::Query& query, const Ranking& ranking, std::span<const Parameter> parameters)
      : query_(query), ranking_(ranking), parameters_(parameters) {
    const Expression& rank = *query.order_by[0].expression;
    const bool is_fused = find_function(rank.text)->name == "RRF";
    for (size_t i = 0; i < ranking.components.size(); ++i) calls_.push_back(is_fused ? rank.operands[i].get() : &rank);
  }

  HybridSearch run() {
    HybridSearch search;
    if (query_.top) search.take = count_of(*query_.top, parameters_);
    if (query_.offset) {
      search.skip = count_of(*query_.offset, parameters_);
      search.take = count_of(*query_.limit, parameters_);
    }
    search.statistics_text = statistics_text();
    search.needs_statistics = std::ranges::any_of(ranking_.components, &HybridRewriting::is_text);
    for (size_t i = 0; i < calls_.size(); ++i) search.components.push_back(component(i, search));
    const bool is_weighted = std::ranges::any_of(
        ranking_.components, [](const Ranking::Component& part) { return part.weight != 1 || part.is_ascending; });
    if (is_weighted) {
      for (const Ranking::Component& part : ranking_.components) search.weights.push_back(part.weight);
    }
    return search;
  }

 private:
  static bool is_text(const Ranking::Component& component) { return !component.phrases.empty(); }

  // How many, how long, and with which hits the texts of a partition are.
  std::string statistics_text() const {
    ExpressionPointer texts = make(ExpressionKind::kArray);
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!is_text(ranking_.components[i])) continue;
      const Expression& text = *calls_[i]->operands[0];
      ExpressionPointer hits = make(ExpressionKind::kArray);
      for (size_t j = 1; j < calls_[i]->operands.size(); ++j) {
        auto contains = make_with(ExpressionKind::kCall, "FullTextContains", copy_of(text), copy_of(*calls_[i]->operands[j]));
        hits->operands.push_back(make_with(ExpressionKind::kCall, "COUNTIF", std::move(contains)));
      }
      auto words = make_with(ExpressionKind::kCall, "_FullTextWordCount", copy_of(text));
      ObjectBuilder statistics;
      statistics.add("totalWordCount", make_with(ExpressionKind::kCall, "SUM", std::move(words)))
          .add("hitCounts", std::move(hits));
      texts->operands.push_back(statistics.take());
    }
    sql::Query statistics = without_clauses(copy_of(query_));
    auto count = make_with(ExpressionKind::kCall, "COUNT", make(ExpressionKind::kNumber, "1"));
    statistics.selection.items.push_back(item_of(std::move(count), "documentCount"));
    statistics.selection.items.push_back(item_of(std::move(texts), "fullTextStatistics"));
    return sql::print(statistics);
  }

  static sql::Query without_clauses(sql::Query query) {
    query.selection = {};
    query.selection.kind = sql::Selection::Kind::kList;
    query.is_distinct = false;
    query.is_rank = false;
    query.order_by.clear();
    query.where.reset();
    query.top.reset();
    query.offset.reset();
    query.limit.reset();
    return query;
  }

  ExpressionPointer score(size_t index) const {
    const Expression& call = *calls_[index];
    if (!is_text(ranking_.components[index])) {
      ExpressionPointer vector = copy_of(call);
      vector->text = "_VectorScore";
      return vector;
    }
    ExpressionPointer phrases = make(ExpressionKind::kArray);
    for (size_t i = 1; i < call.operands.size(); ++i) phrases->operands.push_back(copy_of(*call.operands[i]));
    // Statistics are numbered among the texts.
    const auto ordinal =
        std::ranges::count_if(ranking_.components.begin(), ranking_.components.begin() + static_cast<ptrdiff_t>(index), is_text);
    return make_with(ExpressionKind::kCall, "_FullTextScore", copy_of(*call.operands[0]), std::move(phrases),
                     placeholder("totaldocumentcount"), placeholder(fmt::format("totalwordcount-{}", ordinal)),
                     placeholder(fmt::format("hitcountsarray-{}", ordinal)));
  }

  // The scores of all components.
  ExpressionPointer scores() const {
    ExpressionPointer all = make(ExpressionKind::kArray);
    for (size_t i = 0; i < calls_.size(); ++i) {
      const Ranking::Component& part = ranking_.components[i];
      const std::string_view missing = part.is_ascending ? kNoScoreAscending : is_text(part) ? kNoRelevance : kNoScore;
      all->operands.push_back(
          make_with(ExpressionKind::kCoalesce, "", score(i), make(ExpressionKind::kVerbatim, std::string(missing))));
    }
    return all;
  }

  DistributedQuery component(size_t index, const HybridSearch& search) const {
    const Ranking::Component& part = ranking_.components[index];
    DistributedQuery component;
    component.order_is_descending = {!part.is_ascending};
    component.order_by_expressions = {sql::print(*score(index))};
    component.is_order_by_rank = true;
    sql::Query text = without_clauses(copy_of(query_));
    text.where = resumable_filter(query_);
    ObjectBuilder payload;
    payload.add("payload", payload_of(query_)).add("componentScores", scores());
    const std::vector<ExpressionPointer> key = one(score(index));
    text.selection.items.push_back(resource_id_item(query_));
    text.selection.items.push_back(
        item_of(item_array(key, [](const ExpressionPointer& item) { return item.get(); }), "orderByItems"));
    text.selection.items.push_back(item_of(payload.take(), "payload"));
    // Vectors descend by nature.
    std::optional<bool> is_descending = !part.is_ascending;
    if (!is_text(part) && !part.is_ascending) is_descending.reset();
    text.order_by.push_back({score(index), is_descending});
    limit(component, text, search);
    component.rewritten_text = sql::print(text);
    return component;
  }

  static std::vector<ExpressionPointer> one(ExpressionPointer expression) {
    std::vector<ExpressionPointer> list;
    list.push_back(std::move(expression));
    return list;
  }

  // The numbers in plans have 32 bits.
  static void limit(DistributedQuery& component, sql::Query& text, const HybridSearch& search) {
    if (!search.take) return;
    const uint64_t rows = std::max((search.skip.value_or(0) + *search.take) * kComponentRowsFactor, kComponentRowsMin);
    if (!search.skip) {
      component.top = static_cast<uint32_t>(rows);
      text.top = make(ExpressionKind::kNumber, fmt::format("{}", rows));
      return;
    }
    component.offset = 0;
    component.limit = static_cast<uint32_t>(rows);
    text.offset = make(ExpressionKind::kNumber, "0");
    text.limit = make(ExpressionKind::kNumber, fmt::format("{}", *component.limit));
  }

  const sql::Query& query_;
  const Ranking& ranking_;
  std::span<const Parameter> parameters_;
  std::vector<const Expression*> calls_;  // of the components
};

}  // namespace

HybridSearch hybrid_search_of(const sql::Query& query, const Ranking& ranking, std::span<const Parameter> parameters) {
  return HybridRewriting(query, ranking, parameters).run();
}

}  // namespace partita::query
