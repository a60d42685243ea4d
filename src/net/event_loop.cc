#include "net/event_loop.h"

#include "base/check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

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

}  // namespace

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
  bool has_posted = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    if (event.data.ptr == nullptr) {
      has_posted = true;
    } else {
      static_cast<Watcher*>(event.data.ptr)->on_ready(event.events);
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
  for (Work& work : batch) work();
}

void EventLoop::run_deferred() {
  resuming_.swap(deferred_);
  for (std::coroutine_handle<> coroutine : resuming_) coroutine.resume();
  resuming_.clear();
}

void EventLoop::tick_if_due() {
  auto now = std::chrono::steady_clock::now();
  if (now < last_tick_ + tick_) return;
  last_tick_ = now;
  on_tick_();
}

}  // namespace partita::net
