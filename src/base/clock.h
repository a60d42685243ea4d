#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace partita {

// Where time comes from. Thread-safe. Injected, so that tests decide what time it is.
class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since the Unix epoch, UTC.
  virtual int64_t unix_ms() const = 0;
  // Microseconds from an arbitrary start that never goes backwards; for durations.
  virtual int64_t steady_us() const = 0;

  int64_t unix_seconds() const { return unix_ms() / 1000; }
};

class SystemClock final : public Clock {
 public:
  int64_t unix_ms() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  int64_t steady_us() const override {
    using namespace std::chrono;
    return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t unix_ms) : unix_ms_(unix_ms) {}
  int64_t unix_ms() const override { return unix_ms_.load(); }
  int64_t steady_us() const override { return unix_ms_.load() * 1000; }
  void advance_ms(int64_t by_ms) { unix_ms_ += by_ms; }

 private:
  std::atomic<int64_t> unix_ms_;
};

}  // namespace partita
