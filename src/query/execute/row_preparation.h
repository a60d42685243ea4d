#pragma once

#include "document/value.h"
#include "query/execute/execution.h"
#include "query/execute/source_cursor.h"
#include "query/plan/plan.h"

namespace partita::query {

// RowPreparation: computes what a plan needs of one document by itself, before an execution of the plan gets to it: whether it
// passes the filter and, if so, the keys and the arguments of a grouping, or the projection. What an order compares it does not
// know: there the document is still needed.
//
// Not thread-safe, but several may work for one plan. The plan and the environment outlive it.
class RowPreparation {
 public:
  // Whether that gives the same as the execution would compute: the plan reads documents, and depends on nothing else.
  static bool is_possible(const Plan& plan);

  // REQUIRES: is_possible.
  RowPreparation(const Plan& plan, const Environment& environment);

  // Valid until the next call. Null when it failed, whatever the reason; then nothing is known, also of later documents.
  const PreparedRow* prepare(const Value& document);

 private:
  void compute_values();

  const Plan& plan_;
  Execution execution_;
  const Arena::Mark start_;
  PreparedRow row_;
};

}  // namespace partita::query
