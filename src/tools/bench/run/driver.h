#pragma once

#include "base/clock.h"
#include "client/client.h"
#include "tools/bench/run/operations.h"
#include "tools/bench/run/recorder.h"
#include "tools/bench/run/turns.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace partita::tools::bench {

// How requests are sent; an answer may come on any thread, also at once.
using Send = std::function<void(client::Request, client::Callback)>;
// The id of the range that a partition key is in; empty: unknown. Thread-safe.
using FindRange = std::function<std::string(const PartitionKey&)>;

// Driver: keeps a number of connections busy with operations, and records what becomes of them. Thread-safe.
//
// Its own thread begins operations that are not due when a connection becomes free; all others begin in the callback of the one
// before.
class Driver {
 public:
  struct Parts {
    const Plan& plan;
    DocumentNumbers& numbers;
    Recorder& recorder;
    Send send;
    FindRange find_range;
    const Clock& clock;
  };
  Driver(Parts parts, const Turns::Terms& terms, size_t connections);
  // Waits for all answers.
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void start();
  // Begins nothing more.
  void stop();
  // Whether everything has begun and was answered, after waiting so long at most.
  bool wait(std::chrono::milliseconds time);
  // When a connection last became idle; REQUIRES: wait() has returned true.
  int64_t ended_ns();
  // Operations that were due and did not begin.
  uint64_t missed();

 private:
  struct Slot {
    std::unique_ptr<Operations> operations;
    int64_t due_ns = 0;
    uint32_t requests = 0;
    uint32_t throttles = 0;
  };

  int64_t now_ns() const { return parts_.clock.steady_us() * 1000; }
  void pace();
  void begin(size_t connection, int64_t due_ns);
  void send(size_t connection, client::Request request);
  void receive(size_t connection, client::Answer<client::Response> answer);
  void record(Slot& slot, const client::Response& response);
  void finish(size_t connection, bool is_success, bool was_answered);

  Parts parts_;
  std::vector<Slot> slots_;  // each is its operation's own
  std::mutex mutex_;         // guards what follows
  std::condition_variable changed_;
  Turns turns_;
  size_t in_flight_ = 0;
  int64_t ended_ns_ = 0;
  bool is_closing_ = false;
  bool is_pacer_idle_ = false;  // it waits for a connection to become free
  std::thread pacer_;
};

}  // namespace partita::tools::bench
