#include "gateway/query/query_charge.h"

namespace partita {
namespace {

// What is charged at a time: less is not worth the exchange on a counter that others use.
constexpr double kUnitsAtATime = 10;

}  // namespace

void QueryCharge::watch(const QueryRows& rows, bool can_pause) {
  rows_ = &rows;
  can_pause_ = can_pause;
}

void QueryCharge::unwatch() {
  read_ = rows_->work();
  rows_ = nullptr;
}

WorkDone QueryCharge::work() const {
  WorkDone work = rows_ == nullptr ? read_ : rows_->work();
  if (environment_.user_functions != nullptr) work.script_us = environment_.user_functions->spent_us();
  return work;
}

Status QueryCharge::note_steps(uint64_t steps) {
  steps_ += steps;
  const double units = charge_for(work(), terms_.reads) + evaluation();
  if (units - charged_ < kUnitsAtATime) return {};
  request_charge_.charge_ahead(units - charged_);
  charged_ = units;
  is_overdrawn_ = request_charge_.debt_us(environment_.clock.steady_us()) > kQueryDebtUs;
  const double rate = request_charge_.rate();
  if (can_pause_ || rate == RequestBudget::kUnlimited || units <= kQueryBudgetSeconds * rate) return {};
  return fail(ErrorCode::kTimeout,
              "The query has used up its request units before its first result, and cannot be continued later. Narrow it with a "
              "filter that the index can answer, or give the container more throughput.");
}

}  // namespace partita
