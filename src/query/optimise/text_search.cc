#include "query/optimise/text_search.h"

#include "query/optimise/path_expressions.h"

#include <algorithm>
#include <span>

namespace partita::query {
namespace {

bool is_call(const Scalar& scalar, std::string_view name) {
  return scalar.kind == ScalarKind::kCall && scalar.function->name == name;
}

// Of a full text function, which has it as its last argument.
std::optional<Language> language_of_call(const Scalar& call) {
  return language_of(call.operands.back().constant_value().string());
}

// Searches: makes those of one plan.
class Searches {
 public:
  Searches(const Plan& plan, const IndexedPaths& indexed) : paths_(plan.sources.front().slot), indexed_(indexed) {}

  // Nothing when the index does not have the words of the text.
  std::optional<TextSearch> at(const Scalar& text, std::optional<Language> language) const {
    const auto place = paths_.find(text);
    if (!place || !language || place->path.has_many_values() || !indexed_.has_words(place->path, *language)) return std::nullopt;
    return TextSearch{.path = place->path, .phrases = {}};
  }

  std::optional<TextSearch> of(const Ranking::Component& component) const {
    auto search = at(component.score, component.language);
    for (const Scalar& phrase : component.phrases) {
      if (!search || !phrase.is_constant() || !phrase.constant_value().is_string()) return std::nullopt;
      search->phrases.push_back(WordList::of(phrase.constant_value().string(), component.language));
    }
    return search;
  }

  // _FULLTEXTSCORE(text, phrases, texts, words, hits, language)
  std::optional<TextSearch> of_score(const Scalar& call) const {
    const bool is_known = std::ranges::all_of(std::span(call.operands).subspan(1), &Scalar::is_constant);
    if (!is_known || !has_sound_statistics(call)) return std::nullopt;
    auto search = at(call.operands[0], language_of_call(call));
    const Datum phrases = call.operands[1].constant_value();
    for (size_t i = 0; search && i < phrases.size(); ++i) {
      if (!phrases.element_at(i).is_string()) return std::nullopt;
      search->phrases.push_back(WordList::of(phrases.element_at(i).string(), *language_of_call(call)));
    }
    return search;
  }

 private:
  // With which every text that has a phrase has a score above 0, and every other one 0.
  static bool has_sound_statistics(const Scalar& call) {
    const auto is_count = [](const Datum& value) { return value.is_number() && value.number() >= 0; };
    const Datum hits = call.operands[4].constant_value();
    const bool has_lists = call.operands[1].constant_value().is_array() && hits.is_array() &&
                           hits.size() == call.operands[1].constant_value().size();
    if (!has_lists || !is_count(call.operands[2].constant_value()) || !is_count(call.operands[3].constant_value())) return false;
    for (size_t i = 0; i < hits.size(); ++i) {
      if (!is_count(hits.element_at(i))) return false;
    }
    return true;
  }

  PathExpressions paths_;
  const IndexedPaths& indexed_;
};

bool is_scan(const Plan& plan) { return plan.sources.size() == 1 && plan.sources.front().kind == Source::Kind::kScan; }

std::optional<uint64_t> rows_max_of(const Plan& plan) {
  return plan.limit && !plan.is_distinct ? std::optional(plan.offset + *plan.limit) : std::nullopt;
}

}  // namespace

std::optional<RelevanceOrder> relevance_order_of(const Plan& plan, const IndexedPaths& indexed) {
  if (!is_scan(plan) || plan.grouping) return std::nullopt;
  const Searches searches(plan, indexed);
  RelevanceOrder order{.components = {}, .rows_max = rows_max_of(plan)};
  if (!plan.ranking) {
    const bool is_best_first = plan.order.size() == 1 && plan.order.front().is_descending;
    if (!is_best_first || !order.rows_max || !is_call(plan.order.front().scalar, "_FULLTEXTSCORE")) return std::nullopt;
    auto search = searches.of_score(plan.order.front().scalar);
    if (!search) return std::nullopt;
    order.components.push_back(std::move(*search));
    return order;
  }
  order.needs_statistics = true;
  for (const Ranking::Component& component : plan.ranking->components) {
    if (component.phrases.empty() || component.is_ascending) order.rows_max.reset();
    auto search = component.phrases.empty() ? TextSearch() : searches.of(component);
    if (!search) return std::nullopt;
    order.components.push_back(std::move(*search));
  }
  return order;
}

std::optional<TextSums> text_sums_of(const Plan& plan, const IndexedPaths& indexed) {
  const bool is_over_all = is_scan(plan) && !plan.filter && plan.grouping && plan.grouping->keys.empty();
  if (!is_over_all) return std::nullopt;
  const Searches searches(plan, indexed);
  TextSums sums;
  const auto search_at = [&](const Scalar& call) -> std::optional<size_t> {
    auto search = searches.at(call.operands[0], language_of_call(call));
    if (!search) return std::nullopt;
    const auto known = std::ranges::find(sums.searches, search->path, &TextSearch::path);
    const auto index = static_cast<size_t>(known - sums.searches.begin());
    if (known == sums.searches.end()) sums.searches.push_back(std::move(*search));
    return index;
  };
  for (const Aggregate& aggregate : plan.grouping->aggregates) {
    const Scalar& argument = aggregate.argument;
    const bool is_number_of_rows = argument.is_constant() && !argument.constant_value().is_undefined();
    if (aggregate.kind == AggregateKind::kCount && is_number_of_rows) {
      sums.sums.push_back({TextSums::Kind::kDocuments});
      continue;
    }
    const bool is_words = aggregate.kind == AggregateKind::kSum && is_call(argument, "_FULLTEXTWORDCOUNT");
    const bool is_hits = aggregate.kind == AggregateKind::kCountIf && is_call(argument, "FULLTEXTCONTAINS") &&
                         argument.operands[1].is_constant() && argument.operands[1].constant_value().is_string();
    const auto search = is_words || is_hits ? search_at(argument) : std::nullopt;
    if (!search) return std::nullopt;
    std::vector<WordList>& phrases = sums.searches[*search].phrases;
    sums.sums.push_back({is_words ? TextSums::Kind::kWords : TextSums::Kind::kHits, *search, phrases.size()});
    if (is_hits) {
      phrases.push_back(WordList::of(argument.operands[1].constant_value().string(), *language_of_call(argument)));
    }
  }
  return sums.searches.empty() ? std::nullopt : std::optional(std::move(sums));
}

}  // namespace partita::query
