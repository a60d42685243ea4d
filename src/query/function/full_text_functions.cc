#include "query/function/groups.h"
#include "search/relevance.h"
#include "search/words.h"

#include <algorithm>
#include <vector>

namespace partita::query {
namespace {

constexpr int kMany = Function::kUnbounded;

bool are_strings(Arguments arguments) { return std::ranges::all_of(arguments, &Datum::is_string); }

bool contains(const WordList& text, const Datum& phrase) { return count_phrase(text, WordList::of(phrase.string())) > 0; }

Datum contains_one(Arguments arguments, FunctionContext&) {
  if (!are_strings(arguments)) return {};
  return Datum::boolean(contains(WordList::of(arguments[0].string()), arguments[1]));
}

Datum contains_all(Arguments arguments, FunctionContext&) {
  if (!are_strings(arguments)) return {};
  const WordList text = WordList::of(arguments[0].string());
  return Datum::boolean(std::ranges::all_of(arguments.subspan(1), [&](const Datum& phrase) { return contains(text, phrase); }));
}

Datum contains_any(Arguments arguments, FunctionContext&) {
  if (!are_strings(arguments)) return {};
  const WordList text = WordList::of(arguments[0].string());
  return Datum::boolean(std::ranges::any_of(arguments.subspan(1), [&](const Datum& phrase) { return contains(text, phrase); }));
}

Datum word_count(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_string()) return {};
  return Datum::number(static_cast<double>(WordList::of(arguments[0].string()).length()));
}

// Text, phrases, and the statistics over all texts: how many there are, how many words they have, how many have each phrase.
Datum score(Arguments arguments, FunctionContext&) {
  const Datum& phrases = arguments[1];
  const Datum& hits = arguments[4];
  const bool is_valid = arguments[0].is_string() && phrases.is_array() && arguments[2].is_number() && arguments[3].is_number() &&
                        hits.is_array() && phrases.size() == hits.size();
  if (!is_valid) return {};
  TextStatistics statistics{.texts = arguments[2].number(), .words = arguments[3].number(), .hits = {}};
  const WordList text = WordList::of(arguments[0].string());
  std::vector<uint32_t> counts;
  for (size_t i = 0; i < phrases.size(); ++i) {
    const Datum phrase = phrases.element_at(i);
    const Datum hit = hits.element_at(i);
    if (!phrase.is_string() || !hit.is_number()) return {};
    counts.push_back(static_cast<uint32_t>(count_phrase(text, WordList::of(phrase.string()))));
    statistics.hits.push_back(hit.number());
  }
  return Datum::number(relevance(counts, static_cast<double>(text.length()), statistics));
}

constexpr Function kFunctions[] = {
    {"FULLTEXTCONTAINS", 2, 2, contains_one},
    {"FULLTEXTCONTAINSALL", 2, kMany, contains_all},
    {"FULLTEXTCONTAINSANY", 2, kMany, contains_any},
    {"_FULLTEXTWORDCOUNT", 1, 1, word_count},
    {.name = "_FULLTEXTSCORE", .arguments_min = 5, .arguments_max = 5, .body = score, .can_sort = true},
    // These rank rows against each other: they have no value for one row.
    {"FULLTEXTSCORE", 2, kMany, nullptr},
    {"RRF", 2, kMany, nullptr},
};

}  // namespace

std::span<const Function> full_text_functions() { return kFunctions; }

}  // namespace partita::query
