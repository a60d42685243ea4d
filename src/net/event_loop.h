#pragma once

#include "net/file_descriptor.h"

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace partita::net {

// CallbackTimes: how long the callbacks of a loop kept it from all others. Written by the loop's thread, read by any.
struct CallbackTimes {
  std::atomic<uint64_t> over_1_ms{0};
  std::atomic<uint64_t> over_10_ms{0};
  std::atomic<uint64_t> over_100_ms{0};
  std::atomic<uint64_t> longest_us{0};
  std::atomic<uint64_t> longest_processor_us{0};  // without what the machine did meanwhile; only if asked for

  void note(int64_t us);
  void note_processor(int64_t us);
};

// EventLoop: one thread that waits for sockets, for work from other threads and for the next tick.
//
// post() is thread-safe; all else is for the loop's own thread, or for before run_in_thread().
//
// A watcher is called at most once per round. It may end itself then, and others: whoever ends says so by forget(), because this
// round may have something to tell it, too.
class EventLoop {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  using Work = std::move_only_function<void()>;

  class Watcher {
   public:
    // `events` as epoll reports them.
    virtual void on_ready(uint32_t events) = 0;

   protected:
    ~Watcher() = default;
  };

  // `on_tick` runs about every `tick`.
  EventLoop(std::chrono::milliseconds tick, Work on_tick);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // False when the system cannot (it says so in errno).
  bool watch(int descriptor, uint32_t events, Watcher& watcher);
  // Of the loop's own thread, or when that has ended, before the descriptor is closed: the watcher is called no more. To close it
  // is not enough, because a process that is being forked meanwhile has it, too, and then the system goes on reporting it.
  void forget(int descriptor, const Watcher& watcher);
  void post(Work work);
  // Resumes after the others had their turn.
  void defer(std::coroutine_handle<> coroutine) { deferred_.push_back(coroutine); }

  // So long the messages of one connection that are at hand are answered before the others have their turn.
  static constexpr std::chrono::microseconds kTurn{150};
  // co_await give_way(): goes on at once while this turn is young, else after the others had theirs.
  auto give_way() {
    struct Awaiter {
      EventLoop& loop;
      bool await_ready() const { return std::chrono::steady_clock::now() - loop.callback_began_ < kTurn; }
      void await_suspend(std::coroutine_handle<> awaiter) { loop.defer(awaiter); }
      void await_resume() const {}
    };
    return Awaiter{*this};
  }

  // When something that may take `timeout` from now is overdue. Late by up to two ticks, never early.
  SteadyTime deadline_after(std::chrono::milliseconds timeout) const { return last_tick_ + tick_ + timeout; }
  SteadyTime last_tick() const { return last_tick_; }

  // To be called before run_in_thread(): costs a system call for each callback.
  void measure_processor_time() { measures_processor_ = true; }
  const CallbackTimes& times() const { return times_; }

  void run_in_thread(const std::string& name);
  // Ends the thread after the work that was posted before.
  void join();

 private:
  // A callback begins where the one before it ended.
  void begin_callbacks();
  void end_callback();

  void run();
  int wait_ms() const;
  void handle_events(int timeout_ms);
  void run_posted();
  void run_deferred();
  void tick_if_due();

  const std::chrono::milliseconds tick_;
  Work on_tick_;
  SteadyTime last_tick_ = std::chrono::steady_clock::now();
  FileDescriptor epoll_;
  FileDescriptor wake_up_;        // readable when there is posted work
  std::span<epoll_event> round_;  // what is still to be told; what points at the loop is for nobody any more
  std::vector<std::coroutine_handle<>> deferred_;
  std::vector<std::coroutine_handle<>> resuming_;  // of the round; kept for its memory
  bool is_ending_ = false;
  bool measures_processor_ = false;
  SteadyTime callback_began_;
  int64_t processor_began_us_ = 0;
  CallbackTimes times_;

  std::mutex mutex_;
  std::vector<Work> posted_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace partita::net
