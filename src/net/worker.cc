#include "net/worker.h"

#include "base/check.h"
#include "net/connection.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::net {
namespace {

// So many connections are looked at for one that gives way to another; together with the turn they take, that finds old ones.
constexpr size_t kLooksForRoom = 64;

// A second, or less where limits are shorter than that.
std::chrono::milliseconds tick_for(const StreamLimits& limits) {
  auto shortest = std::min({limits.idle_timeout, limits.message_timeout, limits.send_timeout, limits.memory_timeout,
                            limits.slow_grace, limits.slow_grace_when_short});
  return std::clamp(shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(1000));
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

Worker::Worker(std::shared_ptr<ServerContext> server)
    : server_(std::move(server)), loop_(tick_for(server_->limits), [this] { expire_connections(); }) {}

Worker::~Worker() { CHECK(connections_.empty()); }

void Worker::start(size_t index) { loop_.run_in_thread(fmt::format("net-{}", index)); }

void Worker::adopt(const Wires& wires, FileDescriptor socket, std::string peer_address, bool is_spare) {
  loop_.post([this, &wires, accepted = std::move(socket), peer = std::move(peer_address), is_spare]() mutable {
    Connection::start(shared_from_this(), wires, std::move(accepted), std::move(peer), is_spare);
  });
}

void Worker::make_room() {
  loop_.post([this] { close_longest_waiting(); });
}

void Worker::close_longest_waiting() {
  Connection* longest = nullptr;
  const size_t looks = std::min(connections_.size(), kLooksForRoom);
  for (size_t i = 0; i < looks; ++i) {
    next_look_ = (next_look_ + 1) % connections_.size();
    Connection* connection = connections_[next_look_];
    const auto since = connection->waiting_since();
    if (since && (longest == nullptr || *since < *longest->waiting_since())) longest = connection;
  }
  if (longest != nullptr) longest->give_way();
}

void Worker::begin_stop() {
  loop_.post([this] {
    is_stopping_ = true;
    for (Connection* connection : connections_) connection->close_if_idle();
  });
}

void Worker::abort_connections() {
  loop_.post([this] {
    is_stopping_ = true;
    for (Connection* connection : connections_) connection->abort();
  });
}

void Worker::enter(Connection& connection) {
  connection.set_place(connections_.size());
  connections_.push_back(&connection);
}

void Worker::leave(Connection& connection) {
  Connection* last = connections_.back();
  connections_[connection.place()] = last;
  last->set_place(connection.place());
  connections_.pop_back();
}

void Worker::expire_connections() {
  for (Connection* connection : connections_) {
    connection->expire_if_overdue(loop_.last_tick());
    connection->release_if_idle();
  }
}

}  // namespace partita::net
