#include "query/function/groups.h"
#include "search/relevance.h"
#include "search/words.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace partita::query {
namespace {

constexpr int kMany = Function::kUnbounded;

bool are_strings(Arguments arguments) { return std::ranges::all_of(arguments, &Datum::is_string); }

// The last argument of all these functions is the language of the text.
WordList words_of(Arguments arguments, const Datum& text) {
  return WordList::of(text.string(), language_of(arguments.back().string()).value_or(Language::kEnglish));
}

// How often each phrase is in the text; nothing when one is not a string.
std::optional<std::vector<uint32_t>> counts_of(Arguments arguments) {
  if (!are_strings(arguments)) return std::nullopt;
  const WordList text = words_of(arguments, arguments[0]);
  std::vector<uint32_t> counts;
  for (const Datum& phrase : arguments.subspan(1, arguments.size() - 2)) {
    counts.push_back(static_cast<uint32_t>(count_phrase(text, words_of(arguments, phrase))));
  }
  return counts;
}

constexpr auto kOccurs = [](uint32_t count) { return count > 0; };

Datum contains_all(Arguments arguments, FunctionContext&) {
  const auto counts = counts_of(arguments);
  return counts ? Datum::boolean(std::ranges::all_of(*counts, kOccurs)) : Datum();
}

Datum contains_any(Arguments arguments, FunctionContext&) {
  const auto counts = counts_of(arguments);
  return counts ? Datum::boolean(std::ranges::any_of(*counts, kOccurs)) : Datum();
}

Datum word_count(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_string()) return {};
  return Datum::number(static_cast<double>(words_of(arguments, arguments[0]).length()));
}

// Text, phrases, and the statistics over all texts: how many there are, how many words they have, how many have each phrase.
Datum score(Arguments arguments, FunctionContext&) {
  const Datum& phrases = arguments[1];
  const Datum& hits = arguments[4];
  const bool is_valid = arguments[0].is_string() && phrases.is_array() && arguments[2].is_number() && arguments[3].is_number() &&
                        hits.is_array() && phrases.size() == hits.size();
  if (!is_valid) return {};
  TextStatistics statistics{.texts = arguments[2].number(), .words = arguments[3].number(), .hits = {}};
  const WordList text = words_of(arguments, arguments[0]);
  std::vector<uint32_t> counts;
  for (size_t i = 0; i < phrases.size(); ++i) {
    const Datum phrase = phrases.element_at(i);
    const Datum hit = hits.element_at(i);
    if (!phrase.is_string() || !hit.is_number()) return {};
    counts.push_back(static_cast<uint32_t>(count_phrase(text, words_of(arguments, phrase))));
    statistics.hits.push_back(hit.number());
  }
  return Datum::number(relevance(counts, static_cast<double>(text.length()), statistics));
}

constexpr Function kFunctions[] = {
    {.name = "FULLTEXTCONTAINS", .arguments_min = 2, .arguments_max = 2, .body = contains_all, .takes_language = true},
    {.name = "FULLTEXTCONTAINSALL", .arguments_min = 2, .arguments_max = kMany, .body = contains_all, .takes_language = true},
    {.name = "FULLTEXTCONTAINSANY", .arguments_min = 2, .arguments_max = kMany, .body = contains_any, .takes_language = true},
    {.name = "_FULLTEXTWORDCOUNT", .arguments_min = 1, .arguments_max = 1, .body = word_count, .takes_language = true},
    {.name = "_FULLTEXTSCORE", .arguments_min = 5, .arguments_max = 5, .body = score, .can_sort = true, .takes_language = true},
    // These rank rows against each other: they have no value for one row.
    {"FULLTEXTSCORE", 2, kMany, nullptr},
    {"RRF", 2, kMany, nullptr},
};

}  // namespace

std::span<const Function> full_text_functions() { return kFunctions; }

}  // namespace partita::query
