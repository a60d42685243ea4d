#pragma once

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "partition/charge/request_budget.h"
#include "partition/heat/document_samples.h"
#include "partition/heat/heat.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// Meter: what one physical partition may be asked for, and what it is asked for. Thread-safe.
class Meter {
 public:
  // `memory`: for what it keeps of requests; null: without a limit.
  explicit Meter(const Clock& clock, std::shared_ptr<MemoryBudget> memory = nullptr)
      : clock_(clock),
        own_budget_(clock.steady_us()),
        steady_began_us_(clock.unix_ms() * 1000 - clock.steady_us()),
        heat_(heat_time_us()),
        documents_(std::move(memory)) {}

  // When the request began, in steady microseconds. kThrottled, with when to come back, while the budget is overdrawn.
  Result<int64_t> admit(Priority priority);
  // Work that was done, as soon as it was.
  void charge(double units) { budget().charge(clock_.steady_us(), units); }
  // The end of a request that was admitted and charged; its key is empty when it concerned several.
  void record(int64_t began_us, std::string_view effective_key, double units);

  // Which documents requests touch, for some of them: asked before, because finding out costs something.
  bool samples_next() const { return documents_.wants_next(); }
  void note_documents(DocumentSamples::Kind kind, std::span<const DocumentNumber> documents, double units) const {
    documents_.note(minute(), kind, documents, units);
  }
  std::vector<DocumentSamples::Request> document_samples() const { return documents_.requests(minute()); }
  void sample_documents(bool is_enabled) { documents_.set_enabled(is_enabled); }
  bool samples_documents() const { return documents_.is_enabled(); }

  // Whether clients leave something to work that can wait.
  bool has_leftover() const { return budget().wait_us(clock_.steady_us(), Priority::kLow) == 0; }

  RequestBudget& budget() const { return shared_budget_ ? *shared_budget_ : own_budget_; }
  // Instead of the partition's own. REQUIRES: nobody uses the meter yet.
  void share_budget(std::shared_ptr<RequestBudget> budget) { shared_budget_ = std::move(budget); }
  bool shares_budget() const { return shared_budget_ != nullptr; }
  void reset_budget() { budget().reset(clock_.steady_us()); }

  Heat::Report heat() const { return heat_.report(heat_time_us()); }
  HeatTally last_minute() const { return heat_.last_minute(heat_time_us()); }
  HeatTally total() const { return heat_.total(heat_time_us()); }
  double peak_units_per_second() const { return heat_.peak_units_per_second(heat_time_us()); }
  HeatHistory history() const;
  // REQUIRES: nothing was recorded yet.
  void restore(const HeatHistory& history) { heat_.restore(history, heat_time_us()); }

 private:
  int64_t heat_time_us() const { return steady_began_us_ + clock_.steady_us(); }
  int64_t minute() const { return heat_time_us() / 60'000'000; }

  const Clock& clock_;
  mutable RequestBudget own_budget_;
  std::shared_ptr<RequestBudget> shared_budget_;
  const int64_t steady_began_us_;  // when steady time was 0, since the Unix epoch: minutes and hours are those of other clocks
  Heat heat_;
  mutable DocumentSamples documents_;
};

}  // namespace partita
