#include "query/execute/row_preparation.h"

#include "query/execute/evaluator.h"
#include "query/plan/user_functions.h"

namespace partita::query {

bool RowPreparation::is_possible(const Plan& plan) {
  const bool is_scan = plan.sources.size() == 1 && plan.sources.front().kind == Source::Kind::kScan;
  return is_scan && !plan.ranking && depends_on_documents_only(plan);
}

RowPreparation::RowPreparation(const Plan& plan, const Environment& environment)
    : plan_(plan), execution_(environment, plan.slot_count), start_(execution_.arena().mark()) {}

const PreparedRow* RowPreparation::prepare(const Value& document) {
  execution_.arena().rewind(start_);
  const uint64_t steps_before = execution_.steps();
  execution_.slot(plan_.sources.front().slot) = Datum::of(document);
  row_.values.clear();
  row_.has_values = false;
  {
    ArenaScope scope(execution_.arena());
    row_.passes = !plan_.filter || evaluate(*plan_.filter, execution_).is_true();
  }
  if (row_.passes) compute_values();
  row_.steps = execution_.steps() - steps_before;
  const bool has_failed = execution_.has_failed() || execution_.arena().is_exhausted();
  return has_failed ? nullptr : &row_;
}

void RowPreparation::compute_values() {
  row_.has_values = plan_.grouping || plan_.order.empty();
  if (plan_.grouping) {
    for (const Grouping::Key& key : plan_.grouping->keys) row_.values.push_back(evaluate(key.scalar, execution_));
    for (const Aggregate& aggregate : plan_.grouping->aggregates) {
      row_.values.push_back(evaluate(aggregate.argument, execution_));
    }
  } else if (plan_.order.empty()) {
    row_.values.push_back(evaluate(plan_.projection, execution_));
  }
}

}  // namespace partita::query
