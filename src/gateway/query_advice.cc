#include "gateway/query_advice.h"

#include "gateway/index_access.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

std::vector<std::string> texts_of(const CompositeIndex& index, bool reversed) {
  std::vector<std::string> texts;
  for (const CompositeIndex::Part& part : index.parts) {
    texts.push_back(to_text(ValuePath{part.path.steps}) + (part.is_descending != reversed ? " DESC" : " ASC"));
  }
  return texts;
}

bool has_composite(const IndexingPolicy& policy, const query::IndexDemands::Composite& wanted) {
  return std::ranges::any_of(policy.composite_indexes(), [&](const CompositeIndex& index) {
    return texts_of(index, false) == wanted || texts_of(index, true) == wanted;
  });
}

}  // namespace

QueryAdvice advice_on(const query::Plan& plan, const QueryPage& page, const IndexingPolicy& policy) {
  const PolicyPaths indexed(policy);
  QueryAdvice advice;
  if (page.access != "scan") advice.used = query::filter_demands(plan, indexed);
  for (query::IndexDemands& demands : std::array{query::filter_demands(plan, query::AllPaths()), query::order_demands(plan)}) {
    for (query::IndexDemands::Single& single : demands.singles) {
      if (!indexed.is_indexed(single.path)) advice.missing.singles.push_back(std::move(single));
    }
    for (query::IndexDemands::Composite& composite : demands.composites) {
      if (!has_composite(policy, composite)) advice.missing.composites.push_back(std::move(composite));
    }
  }
  return advice;
}

}  // namespace partita
