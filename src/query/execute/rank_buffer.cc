#include "query/execute/rank_buffer.h"

#include "query/execute/evaluator.h"
#include "query/execute/sort_buffer.h"
#include "search/words.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace partita::query {

RankBuffer::RankBuffer(const Ranking& ranking, std::span<const TextStatistics> statistics, Execution& execution)
    : ranking_(ranking),
      execution_(execution),
      statistics_(statistics.begin(), statistics.end()),
      counts_all_(statistics.empty()) {
  if (!counts_all_) return;
  statistics_.resize(ranking.components.size());
  for (size_t i = 0; i < statistics_.size(); ++i) statistics_[i].hits.resize(ranking.components[i].phrases.size());
}

RankBuffer::~RankBuffer() { execution_.release(bytes_); }

void RankBuffer::observe() {
  ArenaScope scope(execution_.arena());
  observed_.clear();
  for (size_t i = 0; i < ranking_.components.size(); ++i) {
    const Ranking::Component& component = ranking_.components[i];
    if (counts_all_) statistics_[i].texts += 1;
    if (!component.phrases.empty()) {
      observed_.push_back(text_part(component, statistics_[i]));
      continue;
    }
    const Datum score = evaluate(component.score, execution_);
    observed_.push_back({.is_defined = score.is_number(), .score = score.is_number() ? score.number() : 0, .counts = {}});
  }
}

RankBuffer::Part RankBuffer::text_part(const Ranking::Component& component, TextStatistics& statistics) {
  Part part;
  const Datum text = evaluate(component.score, execution_);
  if (!text.is_string()) return part;
  const WordList words = WordList::of(text.string(), component.language);
  part.words = static_cast<double>(words.length());
  if (counts_all_) statistics.words += part.words;
  for (size_t i = 0; i < component.phrases.size(); ++i) {
    const Datum phrase = evaluate(component.phrases[i], execution_);
    if (!phrase.is_string()) return {};
    part.counts.push_back(static_cast<uint32_t>(count_phrase(words, WordList::of(phrase.string(), component.language))));
    if (counts_all_ && part.counts.back() > 0) statistics.hits[i] += 1;
  }
  part.is_defined = true;
  return part;
}

void RankBuffer::add(const Datum& row, Origin origin) {
  rows_.push_back({observed_, std::move(origin), KeptDatum(row)});
  rows_with_hits_ +=
      std::ranges::any_of(observed_, [](const Part& part) { return std::ranges::any_of(part.counts, std::identity()); });
  size_t bytes = sizeof(Row) + rows_.back().value.bytes();
  for (const Part& part : observed_) bytes += sizeof(Part) + part.counts.size() * sizeof(uint32_t);
  bytes_ += bytes;
  execution_.buffer(bytes);
}

// Rows without a score come behind all others.
double RankBuffer::score_of(const Part& part, size_t component) const {
  if (!part.is_defined) {
    return (ranking_.components[component].is_ascending ? 1 : -1) * std::numeric_limits<double>::max();
  }
  return ranking_.components[component].phrases.empty() ? part.score : relevance(part.counts, part.words, statistics_[component]);
}

std::vector<double> RankBuffer::rank() const {
  std::vector<RankedScores> rankings;
  for (size_t i = 0; i < ranking_.components.size(); ++i) {
    const Ranking::Component& component = ranking_.components[i];
    RankedScores scores{.scores = {}, .is_ascending = component.is_ascending, .weight = component.weight};
    for (const Row& row : rows_) scores.scores.push_back(score_of(row.parts[i], i));
    rankings.push_back(std::move(scores));
  }
  return fuse_ranks(rankings);
}

void RankBuffer::move_into(SortBuffer& sorted) {
  const std::vector<double> fused = rank();
  for (size_t i = 0; i < rows_.size(); ++i) {
    std::string order;
    append_sort_key(order, Datum::number(fused[i]), true);
    sorted.add_in_order(rows_[i].value.value(), std::move(rows_[i].origin), std::move(order));
  }
  rows_.clear();
}

}  // namespace partita::query
