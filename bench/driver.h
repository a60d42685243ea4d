#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
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

// How to wait for answers. A client that sleeps has to be woken, and on one machine the server's processor time pays for it;
// one that spins behaves like a client on another machine, but needs a core to itself.
enum class Waiting { kSleep, kSpin };

// Driver: keeps every connection busy with one operation at a time, on one thread.
class Driver {
 public:
  // `next_number` gives the document of each operation.
  Driver(std::vector<std::unique_ptr<Connection>> connections, std::function<std::uint64_t()> next_number, Check check,
         Waiting waiting);
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

  std::span<const epoll_event> wait();
  void start(Slot& slot);
  void record(Slot& slot, Clock::time_point now, Measurements& measurements);

  std::vector<Slot> slots_;
  std::function<std::uint64_t()> next_number_;
  Check check_;
  Waiting waiting_;
  int epoll_;
  std::array<epoll_event, 128> events_;
};

}  // namespace partita::bench
