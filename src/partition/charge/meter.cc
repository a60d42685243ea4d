#include "partition/charge/meter.h"

#include "partition/charge/throttling.h"
#include "partition/heat/heat_history.h"

namespace partita {

Result<int64_t> Meter::admit(Priority priority) {
  const int64_t now_us = clock_.steady_us();
  const int64_t wait_us = budget().wait_us(now_us, priority);
  if (wait_us == 0) return now_us;
  heat_.record_throttled(steady_began_us_ + now_us);
  return throttled(budget().promise_us(now_us, wait_us));
}

void Meter::record(int64_t began_us, std::string_view effective_key, double units) {
  const int64_t now_us = clock_.steady_us();
  budget().note_request(units);
  heat_.record(steady_began_us_ + now_us, effective_key, units, now_us - began_us);
}

HeatHistory Meter::history() const { return heat_.history(heat_time_us()); }

}  // namespace partita
