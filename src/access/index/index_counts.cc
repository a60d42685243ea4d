#include "access/index/index_counts.h"

#include "access/index/candidates.h"
#include "access/index/key_access.h"
#include "access/index/policy_paths.h"
#include "access/index/text_index.h"

#include <utility>

namespace partita {
namespace {

double value_of(const query::TextSums::Sum& sum, const std::vector<FoundTexts>& found) {
  switch (sum.kind) {
    case query::TextSums::Kind::kDocuments: return found.front().statistics.texts;
    case query::TextSums::Kind::kWords: return found[sum.search].statistics.words;
    case query::TextSums::Kind::kHits: return found[sum.search].statistics.hits[sum.phrase];
  }
  return 0;
}

}  // namespace

Result<std::optional<CountedDocuments>> count_documents(const PartitionView& view, const ReadScope& scope,
                                                        const ReadPurpose& purpose) {
  const bool is_whole = scope.key ? contains(scope.range, range_of_prefix(*scope.key, scope.definition))
                                  : contains(scope.range, view.partition->range());
  const query::Access access = with_key(access_of_counted(*purpose.plan, PolicyPaths(*view.index.policy)), scope);
  if (!is_whole || !access.is_exact) return std::nullopt;
  // Neither counters nor index entries know what has expired.
  if (view.slice.visibility().time_to_live.is_on()) return std::nullopt;
  if (access.is_all()) return CountedDocuments{view.documents, 0, "counters"};
  if (access.is_none()) return CountedDocuments{0, 0, "none"};
  TRY_ASSIGN(const std::optional<CountedEntries> counted, count_entries(access, view, *purpose.environment));
  if (!counted) return std::nullopt;
  return CountedDocuments{counted->documents, counted->entries_read, "count of " + to_text(access)};
}

Result<std::optional<SummedTexts>> sum_texts(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose) {
  const auto wanted = query::text_sums_of(*purpose.plan, PolicyPaths(*view.index.policy));
  if (!wanted) return std::nullopt;
  TRY_ASSIGN(const std::optional<ScopeInIndex> in_scope, find_scope(view, scope, *purpose.environment));
  if (!in_scope) return std::nullopt;
  SummedTexts summed{
      .sums = {}, .entries_read = in_scope->entries_read, .text = "sums of " + to_text(wanted->searches.front().path.words())};
  std::vector<FoundTexts> found;
  for (const query::TextSearch& search : wanted->searches) {
    TRY_ASSIGN(FoundTexts texts, find_texts(search, view, in_scope->numbers, *purpose.environment));
    summed.entries_read += texts.entries_read;
    found.push_back(std::move(texts));
  }
  for (const query::TextSums::Sum& sum : wanted->sums) summed.sums.push_back(value_of(sum, found));
  return summed;
}

}  // namespace partita
