#pragma once

#include "base/fair_memory.h"
#include "base/fair_scheduler.h"
#include "base/turn.h"
#include "gateway/feeds/stretch_reader.h"
#include "query/query.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace partita {

// Who may read ahead for a query. All of it outlives the query.
struct SpareWorkers {
  FairScheduler& workers;
  FairMemory& memory;  // for rows that were prepared
  Tenant tenant;
  size_t helpers_max = 0;       // at once, beside the thread of the query
  int64_t ask_after_us = 1000;  // so long a query reads alone, because most have come to their end by then; then again and again
};

// ReadAhead: while a query reads one stretch, free workers open the following ones and prepare their rows.
//
// The query sees what it would see without them. Each stretch is read by one thread at a time; the query takes them one after the
// other, from whoever is at it, with the rows that are prepared by then, and reads on by itself. Whatever goes wrong for a helper
// (an error, no memory, others want the processor), it only leaves off in front of that row or that stretch: so the query runs
// into the same error by itself, or into none, and what is prepared and not taken is as if it had never been.
//
// ask() and take() are the query's thread's; the helpers are synchronised with it by a lock. No thread of the scheduler waits for
// another, except that the query waits for a helper to come to the end of the row it is at.
class ReadAhead {
 public:
  struct Terms {
    StretchTerms stretches;  // with the environment of the query
    // Nobody knows whether the query will get to what is read ahead: then no more is read than what a page may cost, in request
    // units, and what partitions have cached is not changed. Nothing: all of it will be wanted.
    std::optional<double> charge_max;
  };

  // The plan of the purpose is one whose rows can be prepared (RowPreparation). Everything outlives it.
  ReadAhead(const SpareWorkers& helpers, const Terms& terms, std::vector<Stretch> stretches);
  // Waits until no helper is at work.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Lets one more worker help, if one is free and there is something to do.
  void ask();
  // The stretch of that place in the list, as far as it was read; null when nobody has begun. Once for each, in their order.
  std::unique_ptr<StretchReader> take(size_t stretch);

 private:
  class Shared;
  const std::shared_ptr<Shared> shared_;  // with helpers that have not begun yet
};

}  // namespace partita
