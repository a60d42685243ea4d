#include "net/event_loop.h"

#include "base/check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace partita::net {
namespace {

// Signals to the process are for the main thread, except those that this thread's own instructions raise.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&signals, own);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int64_t processor_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

void raise(std::atomic<uint64_t>& greatest, int64_t us) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(us, 0));
  if (value > greatest.load(std::memory_order_relaxed)) greatest.store(value, std::memory_order_relaxed);
}

}  // namespace

void CallbackTimes::note(int64_t us) {
  if (us >= 1'000) over_1_ms.fetch_add(1, std::memory_order_relaxed);
  if (us >= 10'000) over_10_ms.fetch_add(1, std::memory_order_relaxed);
  if (us >= 100'000) over_100_ms.fetch_add(1, std::memory_order_relaxed);
  raise(longest_us, us);
}

void CallbackTimes::note_processor(int64_t us) { raise(longest_processor_us, us); }

EventLoop::EventLoop(std::chrono::milliseconds tick, Work on_tick)
    : tick_(tick),
      on_tick_(std::move(on_tick)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK_MESSAGE(epoll_.is_open() && wake_up_.is_open(), "no file descriptor is left to start a server with");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_up_.get(), &event) == 0);
}

EventLoop::~EventLoop() { CHECK(!thread_.joinable()); }

bool EventLoop::watch(int descriptor, uint32_t events, Watcher& watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void EventLoop::forget(int descriptor, const Watcher& watcher) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  for (epoll_event& event : round_) {
    if (event.data.ptr == &watcher) event.data.ptr = this;
  }
}

void EventLoop::post(Work work) {
  bool must_wake_up;
  {
    std::lock_guard lock(mutex_);
    must_wake_up = posted_.empty();
    posted_.push_back(std::move(work));
  }
  if (must_wake_up) eventfd_write(wake_up_.get(), 1);
}

void EventLoop::run_in_thread(const std::string& name) {
  thread_ = std::jthread([this, name] {
    block_signals();
    pthread_setname_np(pthread_self(), name.c_str());
    run();
  });
}

void EventLoop::join() {
  if (!thread_.joinable()) return;
  post([this] { is_ending_ = true; });
  thread_.join();
}

void EventLoop::begin_callbacks() {
  callback_began_ = std::chrono::steady_clock::now();
  if (measures_processor_) processor_began_us_ = processor_us();
}

void EventLoop::end_callback() {
  const SteadyTime now = std::chrono::steady_clock::now();
  times_.note(std::chrono::duration_cast<std::chrono::microseconds>(now - callback_began_).count());
  callback_began_ = now;
  if (!measures_processor_) return;
  const int64_t used_us = processor_us();
  times_.note_processor(used_us - processor_began_us_);
  processor_began_us_ = used_us;
}

void EventLoop::run() {
  while (!is_ending_) {
    handle_events(wait_ms());
    run_deferred();
    tick_if_due();
  }
}

int EventLoop::wait_ms() const {
  if (!deferred_.empty()) return 0;
  auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(last_tick_ + tick_ - std::chrono::steady_clock::now());
  return std::max<int>(0, static_cast<int>(rest.count()) + 1);
}

void EventLoop::handle_events(int timeout_ms) {
  std::array<epoll_event, 128> events;
  int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  CHECK(count >= 0 || errno == EINTR);
  begin_callbacks();
  bool has_posted = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event event = events[static_cast<size_t>(i)];
    round_ = std::span(events).subspan(static_cast<size_t>(i) + 1, static_cast<size_t>(count - i - 1));
    if (event.data.ptr == nullptr) {
      has_posted = true;
    } else if (event.data.ptr != this) {
      static_cast<Watcher*>(event.data.ptr)->on_ready(event.events);
      end_callback();
    }
  }
  if (has_posted) run_posted();
}

void EventLoop::run_posted() {
  eventfd_t ignored;
  eventfd_read(wake_up_.get(), &ignored);
  std::vector<Work> batch;
  {
    std::lock_guard lock(mutex_);
    batch.swap(posted_);
  }
  for (Work& work : batch) {
    work();
    end_callback();
  }
}

void EventLoop::run_deferred() {
  resuming_.swap(deferred_);
  for (std::coroutine_handle<> coroutine : resuming_) {
    coroutine.resume();
    end_callback();
  }
  resuming_.clear();
}

void EventLoop::tick_if_due() {
  auto now = std::chrono::steady_clock::now();
  if (now < last_tick_ + tick_) return;
  last_tick_ = now;
  on_tick_();
}

}  // namespace partita::net
