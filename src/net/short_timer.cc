#include "net/short_timer.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace partita::net {

ShortTimer::ShortTimer(EventLoop& loop)
    : loop_(loop), timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)), is_over_(loop) {
  if (timer_.is_open() && !loop_.watch(timer_.get(), EPOLLIN, *this)) timer_ = FileDescriptor();
}

Signal& ShortTimer::wait_for(std::chrono::microseconds time) {
  constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
  itimerspec spec{};
  spec.it_value.tv_sec = time.count() / kMicrosecondsPerSecond;
  spec.it_value.tv_nsec = time.count() % kMicrosecondsPerSecond * 1000;
  if (!timer_.is_open() || ::timerfd_settime(timer_.get(), 0, &spec, nullptr) != 0) is_over_.set();
  return is_over_;
}

void ShortTimer::on_ready(uint32_t /*events*/) {
  uint64_t expirations = 0;
  if (::read(timer_.get(), &expirations, sizeof expirations) == sizeof expirations) is_over_.set();
}

}  // namespace partita::net
