#pragma once

#include "query/optimise/access.h"
#include "query/plan/plan.h"
#include "search/words.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita::query {

// TextSearch: phrases that are looked for in the texts at a path, of which the index has the words.
struct TextSearch {
  ValuePath path;
  std::vector<WordList> phrases;
};

// RelevanceOrder: what a plan whose rows are ordered by their relevance looks for.
struct RelevanceOrder {
  std::vector<TextSearch> components;  // of the plan's ranking, without path for a vector; or the only one, of its sort key
  bool needs_statistics = false;       // over all documents, also those that the filter drops
  std::optional<uint64_t> rows_max;    // when documents without any of the phrases come last: more rows are not wanted
};
// Nothing when the plan has no such order, or when documents would tell more than the index.
std::optional<RelevanceOrder> relevance_order_of(const Plan& plan, const IndexedPaths& indexed);

// TextSums: what a plan computes from all documents, as clients that merge partitions ask for it before they rank.
struct TextSums {
  enum class Kind : uint8_t {
    kDocuments,  // how many there are
    kWords,      // how many words their texts have
    kHits,       // in how many texts the phrase is
  };
  struct Sum {
    Kind kind;
    size_t search = 0;  // of the searches
    size_t phrase = 0;  // among its phrases
  };

  std::vector<TextSearch> searches;
  std::vector<Sum> sums;  // one for each aggregate of the plan
};
std::optional<TextSums> text_sums_of(const Plan& plan, const IndexedPaths& indexed);

}  // namespace partita::query
