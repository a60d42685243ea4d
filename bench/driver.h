#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "connection.h"

namespace partita::bench {

struct Measurements {
  std::uint64_t operations = 0;  // complete answers, good or bad
  std::uint64_t errors = 0;      // answers that were not a success
  std::uint64_t checked = 0;     // bodies compared with the document that was asked for
  std::uint64_t wrong = 0;       // of these, how many differed
  std::string first_error;
  double seconds = 0;  // from the first request to the last answer
  std::vector<std::uint32_t> latencies_us_tenths;

  // `share` of the operations were faster than this. Reorders the latencies.
  double latency_us(double share);
};

// When to stop: no operation starts after `duration`, nor after `operations` have started; those in flight are awaited.
struct Limit {
  std::chrono::duration<double> duration = std::chrono::hours(24);
  std::uint64_t operations = std::numeric_limits<std::uint64_t>::max();
};

enum class Check { kOneInHundred, kNone };

// Driver: keeps every connection busy with one operation at a time, on one thread.
class Driver {
 public:
  // `next_number` gives the document of each operation.
  Driver(std::vector<std::unique_ptr<Connection>> connections, std::function<std::uint64_t()> next_number, Check check);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  Measurements run(const Limit& limit);

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    std::unique_ptr<Connection> connection;
    std::uint64_t number = 0;
    Clock::time_point started;
  };

  void start(Slot& slot);
  void record(Slot& slot, Clock::time_point now, Measurements& measurements);

  std::vector<Slot> slots_;
  std::function<std::uint64_t()> next_number_;
  Check check_;
  int epoll_;
};

}  // namespace partita::bench
