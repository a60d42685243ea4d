#include "net/event_loop.h"

#include "base/check.h"
#include "net/connection.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <pthread.h>
#include <signal.h>

#include <algorithm>

namespace partita::net {
namespace {

// A second, or less where limits are shorter than that.
std::chrono::milliseconds tick_for(const HttpLimits& limits) {
  auto shortest = std::min({limits.idle_timeout, limits.request_timeout, limits.response_timeout});
  return std::clamp(shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(1000));
}

// Signals to the process are for the main thread, except those that this thread's own instructions raise.
void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&signals, own);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

void ConnectionCount::remove() {
  if (open_.fetch_sub(1) != 1) return;
  std::lock_guard lock(mutex_);
  none_open_.notify_all();
}

bool ConnectionCount::wait_until_none(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  return none_open_.wait_for(lock, at_most, [this] { return open_.load() == 0; });
}

void ConnectionCount::wait_until_none() {
  std::unique_lock lock(mutex_);
  none_open_.wait(lock, [this] { return open_.load() == 0; });
}

EventLoop::EventLoop(std::shared_ptr<ServerContext> server)
    : server_(std::move(server)), work_(context_.get_executor()), timer_(context_.get_executor()), tick_(tick_for(server_->limits)) {}

EventLoop::~EventLoop() { CHECK(connections_.empty()); }

void EventLoop::start_thread(size_t index) {
  schedule_tick();
  thread_ = std::jthread([this, index] {
    block_signals();
    pthread_setname_np(pthread_self(), fmt::format("http-{}", index).c_str());
    context_.run();
  });
}

void EventLoop::adopt(Socket socket, std::string peer_address, bool is_refused) {
  asio::post(context_, [this, socket = std::move(socket), peer = std::move(peer_address), is_refused]() mutable {
    Connection::start(shared_from_this(), std::move(socket), std::move(peer), is_refused);
  });
}

void EventLoop::begin_stop() {
  asio::post(context_, [this] {
    is_stopping_ = true;
    for (Connection* connection : connections_) connection->close_if_idle();
  });
}

void EventLoop::abort_connections() {
  asio::post(context_, [this] {
    is_stopping_ = true;
    for (Connection* connection : connections_) connection->abort();
  });
}

void EventLoop::finish() {
  asio::post(context_, [this] {
    timer_.cancel();
    work_.reset();
    context_.stop();
  });
  thread_.join();
}

void EventLoop::enter(Connection& connection) {
  connection.set_place(connections_.size());
  connections_.push_back(&connection);
}

void EventLoop::leave(Connection& connection) {
  Connection* last = connections_.back();
  connections_[connection.place()] = last;
  last->set_place(connection.place());
  connections_.pop_back();
}

void EventLoop::schedule_tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([this](ErrorCondition error) {
    if (error) return;
    tick();
    schedule_tick();
  });
}

void EventLoop::tick() {
  tick_time_ = std::chrono::steady_clock::now();
  for (Connection* connection : connections_) connection->expire_if_overdue(tick_time_);
}

}  // namespace partita::net
