#include "gateway/listed_query.h"

namespace partita {
namespace {

// Does every result come from a row of its own, in the order of the rows?
bool keeps_rows(const query::Plan& plan) {
  return plan.sources.size() == 1 && !plan.grouping && plan.order.empty() && !plan.ranking && !plan.is_distinct &&
         plan.offset == 0 && !plan.limit;
}

}  // namespace

Result<std::vector<FeedRow>> query_listed(const std::vector<FeedRow>& rows, const Value& specification,
                                          const query::Environment& environment) {
  TRY_ASSIGN(const query::QuerySpecification wanted, query::QuerySpecification::from(specification));
  TRY_ASSIGN(const query::Plan plan, query::compile(wanted));
  std::vector<Value> values;
  for (const FeedRow& row : rows) values.push_back(Value::view(row.stored));
  query::ListedRows source(values);
  query::QueryExecution execution(plan, source, environment);
  const bool has_numbers = keeps_rows(plan);
  std::vector<FeedRow> results;
  while (true) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    if (step == query::QueryExecution::Step::kEnd) return results;
    if (step != query::QueryExecution::Step::kRow) continue;
    results.push_back({has_numbers ? rows[source.number() - 1].number : results.size() + 1, std::string(row.bytes())});
  }
}

}  // namespace partita
