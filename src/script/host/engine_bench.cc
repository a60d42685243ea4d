// script_context_bench: what a fresh context from the snapshot costs, without processes, sockets and scripts.
#include "script/host/engine.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

constexpr int kWarmUp = 200;
constexpr int kContexts = 3'000;

double processor_us() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void nothing(const v8::FunctionCallbackInfo<v8::Value>&) {}

// Processor time of each; collecting the garbage of earlier ones is part of it, now and then.
std::vector<double> open_contexts(partita::script::Engine& engine, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    v8::Isolate::Scope in_isolate(engine.isolate());
    v8::HandleScope handles(engine.isolate());
    const double before = processor_us();
    engine.open();
    times.push_back(processor_us() - before);
  }
  return times;
}

}  // namespace

int main() {
  partita::script::Engine engine({nothing, nothing, nothing}, [](v8::Isolate*) {});
  open_contexts(engine, kWarmUp);
  std::vector<double> times = open_contexts(engine, kContexts);
  double total = 0;
  for (const double each : times) total += each;
  std::ranges::sort(times);
  std::printf("{\"median_us\":%.1f,\"p99_us\":%.1f,\"mean_us\":%.1f}\n", times[times.size() / 2], times[times.size() * 99 / 100],
              total / static_cast<double>(times.size()));
  return 0;
}
