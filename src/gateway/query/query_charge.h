#pragma once

#include "gateway/query/rows/query_rows.h"
#include "gateway/request_charge.h"
#include "query/execute/execution.h"

#include <cstdint>

namespace partita {

// A page of a query that can be continued ends when the budget of one of its partitions is overdrawn by more than this.
inline constexpr int64_t kQueryDebtUs = 1 * RequestBudget::kSecondUs;
// A query that cannot fails when it has cost as much as its partitions have for so many seconds.
inline constexpr double kQueryBudgetSeconds = 30;

// QueryCharge: charges the partitions of a query while it runs, and ends it when it costs too much. Not thread-safe; all that it
// is given outlives it.
class QueryCharge final : public query::Metering {
 public:
  QueryCharge(RequestCharge& request_charge, const RequestTerms& terms, const query::Environment& environment)
      : request_charge_(request_charge), terms_(terms), environment_(environment) {}

  // Whose rows the query reads, once that is known, and whether its page can end anywhere.
  void watch(const QueryRows& rows, bool can_pause);
  // Before the rows are gone.
  void unwatch();

  Status note_steps(uint64_t steps) override;
  bool wants_pause() const override { return is_overdrawn_; }

  // For computing, beside the work of the page.
  double evaluation() const { return evaluation_charge(steps_); }
  // What was done so far.
  WorkDone work() const;

 private:
  RequestCharge& request_charge_;
  const RequestTerms& terms_;
  const query::Environment& environment_;
  const QueryRows* rows_ = nullptr;
  bool can_pause_ = false;
  bool is_overdrawn_ = false;
  uint64_t steps_ = 0;
  double charged_ = 0;
  WorkDone read_;  // once the rows are gone
};

}  // namespace partita
