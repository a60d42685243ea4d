#include "net/event_loop.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>

namespace partita::net {
namespace {

// Destroyer: ends all others as soon as it is told anything.
class Destroyer final : private EventLoop::Watcher {
 public:
  using All = std::array<std::unique_ptr<Destroyer>, 100>;

  Destroyer(EventLoop& loop, All& all, size_t& calls) : loop_(loop), all_(all), calls_(calls), ready_(eventfd(1, EFD_NONBLOCK)) {
    EXPECT_TRUE(loop.watch(ready_.get(), EPOLLIN | EPOLLET, *this));
  }
  ~Destroyer() { loop_.forget(ready_.get(), *this); }
  Destroyer(const Destroyer&) = delete;
  Destroyer& operator=(const Destroyer&) = delete;

  int descriptor() const { return ready_.get(); }

 private:
  void on_ready(uint32_t) override {
    ++calls_;
    for (std::unique_ptr<Destroyer>& other : all_) {
      if (other.get() != this) other.reset();
    }
  }

  EventLoop& loop_;
  All& all_;
  size_t& calls_;
  FileDescriptor ready_;
};

// One connection's answer can be what another one waits for, which then may end; both may be in what epoll has reported together.
TEST(EventLoop, TellsNothingToThoseWhoEndedInTheSameRound) {
  EventLoop loop(std::chrono::seconds(1), [] {});
  Destroyer::All all;
  size_t calls = 0;
  for (std::unique_ptr<Destroyer>& one : all) one = std::make_unique<Destroyer>(loop, all, calls);
  loop.run_in_thread("loop");
  loop.join();
  EXPECT_EQ(calls, 1u);
}

// As a process that is forked for a moment before it runs another program.
TEST(EventLoop, TellsNothingOfADescriptorThatSomebodyElseKeepsOpen) {
  EventLoop loop(std::chrono::seconds(1), [] {});
  Destroyer::All all;
  size_t calls = 0;
  all[0] = std::make_unique<Destroyer>(loop, all, calls);
  const FileDescriptor kept(dup(all[0]->descriptor()));
  all[0].reset();
  loop.run_in_thread("loop");
  loop.join();
  EXPECT_EQ(calls, 0u);
}

}  // namespace
}  // namespace partita::net
