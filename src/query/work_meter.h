#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <functional>

namespace partita::query {

// How much work a function is, for tests that compare amounts of it: the instructions that the thread executes or, where the
// machine does not count those, its processor time in nanoseconds. Neither depends on what else the machine does, by much.
inline double work_of(const std::function<void()>& work) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const auto counter = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  timespec begin{};
  timespec end{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  work();
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  uint64_t instructions = 0;
  const bool is_counted = counter >= 0 && ::read(counter, &instructions, sizeof(instructions)) == sizeof(instructions);
  if (counter >= 0) ::close(counter);
  if (is_counted && instructions > 0) return static_cast<double>(instructions);
  return static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 + static_cast<double>(end.tv_nsec - begin.tv_nsec);
}

}  // namespace partita::query
