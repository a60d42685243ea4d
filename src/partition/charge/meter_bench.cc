// partition_meter_bench: what metering one request costs, without the request: admission, charge, heat and hot key values.
#include "partition/charge/meter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace partita;

constexpr size_t kRequests = 3'000'000;
constexpr size_t kKeyValues = 1'000;

double processor_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Processor time of a request, when this many threads meter requests to the same partition.
double meter_requests(const Clock& clock, size_t threads) {
  Meter meter(clock);
  meter.budget().set_rate(1e9);
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeyValues; ++i) keys.push_back("a hash of bytes " + std::to_string(i));
  std::vector<double> used(threads);
  {
    std::vector<std::jthread> running;
    for (size_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        const double begin = processor_ns();
        for (size_t i = 0; i < kRequests; ++i) {
          const Result<int64_t> began = meter.admit(Priority::kHigh);
          meter.charge(1);
          if (began) meter.record(*began, keys[(7 * i + thread) % kKeyValues], 1);
        }
        used[thread] = (processor_ns() - begin) / static_cast<double>(kRequests);
      });
    }
  }
  double sum = 0;
  for (const double each : used) sum += each;
  return sum / static_cast<double>(threads);
}

// Of which that much is for looking at the clock.
double read_clock(const Clock& clock) {
  int64_t last = 0;
  const double begin = processor_ns();
  for (size_t i = 0; i < kRequests; ++i) last = std::max(last, clock.steady_us());
  return last == 0 ? 0 : (processor_ns() - begin) / static_cast<double>(kRequests);
}

}  // namespace

int main() {
  const SystemClock clock;
  for (const size_t threads : std::array<size_t, 2>{1, 2}) {
    std::printf("{\"threads\":%zu,\"request_ns\":%.0f,\"clock_ns\":%.0f}\n", threads, meter_requests(clock, threads),
                read_clock(clock));
  }
  return 0;
}
