#pragma once

#include "base/bytes.h"
#include "net/connection.h"
#include "net/signal.h"
#include "net/wire.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A wire that is not HTTP, for tests. A peer begins with kFrameMagic; then both sides send frames:
//
//   payload bytes u32 LE | id u32 LE | kind u8 | payload
//
// Each is answered by one frame of kind 'a' with its id, in any order: 'e' with its payload, 'h' likewise but only when the test
// says so, 'g' with as many bytes as the payload, a number, says, 's' after having kept the thread busy for two milliseconds.
namespace partita::net {

inline constexpr std::string_view kFrameMagic = "FRM1";
inline constexpr size_t kFrameHeadBytes = 9;
inline constexpr size_t kFramePayloadBytesMax = 1024 * 1024;

inline std::string frame(char kind, uint32_t id, std::string_view payload) {
  std::string text;
  append_little_endian(text, static_cast<uint32_t>(payload.size()));
  append_little_endian(text, id);
  text.push_back(kind);
  return text.append(payload);
}

// TestWire: thread-safe.
class TestWire final : public Wire {
 public:
  // A frame whose answer waits for the test.
  struct Held {
    std::shared_ptr<Worker> worker;
    const std::atomic<bool>* is_abandoned;
    std::move_only_function<void()> answer;  // on the worker's thread
  };

  std::string_view name() const override { return "frames"; }
  Match match(std::string_view first_bytes, bool) const override {
    const size_t known = std::min(first_bytes.size(), kFrameMagic.size());
    if (first_bytes.substr(0, known) != kFrameMagic.substr(0, known)) return Match::kNo;
    return known == kFrameMagic.size() ? Match::kYes : Match::kNeedMore;
  }
  std::unique_ptr<Session> open(Connection& connection) override;

  // Large frames are received without being borrowed for, as a careless session would.
  std::atomic<bool> is_careless = false;
  std::atomic<size_t> output_bytes_max = 0;  // that a session ever had waiting

  void hold(Held held) {
    std::lock_guard lock(mutex_);
    held_.push_back(std::move(held));
    changed_.notify_all();
  }
  void wait_for_held(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.size() >= count; });
  }
  void wait_for_abandonment() {
    std::lock_guard lock(mutex_);
    for (const Held& held : held_) held.is_abandoned->wait(false);
  }
  // The last one first.
  void release_held() {
    std::vector<Held> released;
    {
      std::lock_guard lock(mutex_);
      released.swap(held_);
    }
    for (Held& held : released | std::views::reverse) held.worker->loop().post(std::move(held.answer));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Held> held_;
};

// FrameSession: receives with one task and sends with another, so that answers come as they are ready.
class FrameSession final : public Session {
 public:
  FrameSession(TestWire& wire, Connection& connection)
      : wire_(wire),
        connection_(connection),
        has_output_(connection.worker().loop()),
        is_drained_(connection.worker().loop()),
        is_writer_done_(connection.worker().loop()) {}

  Task<End> serve() override {
    write_answers();
    if (co_await skip_magic()) {
      while (co_await serve_frame()) {
      }
    }
    is_ending_ = true;
    has_output_.set();
    co_await is_writer_done_;
    co_return End::kAtOnce;
  }

  void release_idle_memory() override { std::string().swap(output_); }

 private:
  size_t waiting_bytes() const { return output_.size() + sending_.size(); }
  InputBuffer& input() { return connection_.input(); }

  Task<bool> receive_at_least(size_t bytes) {
    while (input().size() < bytes) {
      if (!co_await connection_.receive_more()) co_return false;
    }
    co_return true;
  }

  Task<bool> skip_magic() {
    if (!co_await receive_at_least(kFrameMagic.size()) || !input().view().starts_with(kFrameMagic)) co_return false;
    input().consume(kFrameMagic.size());
    connection_.end_message();
    co_return true;
  }

  Task<bool> serve_frame() {
    if (!co_await receive_at_least(kFrameHeadBytes)) co_return false;
    const size_t payload_bytes = load_little_endian<uint32_t>(input().begin());
    if (payload_bytes > kFramePayloadBytesMax) {
      Worker::Counters::add(connection_.worker().counters().malformed_requests);
      co_return false;
    }
    const bool is_large = payload_bytes > kUncountedBytes && !wire_.is_careless;
    if (is_large && !co_await borrow(2 * (kFrameHeadBytes + payload_bytes + 32 * 1024))) co_return false;
    if (!co_await receive_at_least(kFrameHeadBytes + payload_bytes)) co_return false;
    connection_.end_message();
    connection_.end_transfer();
    Worker::Counters::add(connection_.worker().counters().requests);
    const bool is_served = co_await answer(input().view().substr(0, kFrameHeadBytes + payload_bytes));
    input().consume(kFrameHeadBytes + payload_bytes);
    // Who does not read is not read either.
    const size_t waiting_max = is_large ? 0 : kUncountedBytes;
    while (waiting_bytes() > waiting_max && !is_broken_) co_await is_drained_;
    if (is_large) connection_.give_memory_back();
    co_return is_served;
  }

  Task<bool> borrow(size_t bytes) {
    connection_.borrow_as(1);
    Connection::Memory memory = connection_.borrow_or_wait(bytes);
    std::string none;
    if (memory == Connection::Memory::kAwaited)
      memory = co_await connection_.await_memory(none) ? Connection::Memory::kGranted : Connection::Memory::kRefused;
    if (memory == Connection::Memory::kRefused) {
      connection_.note_refusal();
      co_return false;
    }
    connection_.begin_transfer();
    co_return true;
  }

  Task<bool> answer(std::string_view text) {
    const uint32_t id = load_little_endian<uint32_t>(text.data() + 4);
    const std::string_view payload = text.substr(kFrameHeadBytes);
    switch (text[8]) {
      case 'e': append(frame('a', id, payload)); co_return true;
      case 'g': co_return co_await answer_large(id, std::stoul(std::string(payload)));
      case 's':
        for (const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
             std::chrono::steady_clock::now() < end;) {
        }
        append(frame('a', id, payload));
        co_return true;
      case 'h':
        connection_.begin_work();
        ++works_;
        wire_.hold({connection_.shared_worker(), &connection_.has_peer_closed(), [this, answer = frame('a', id, payload)] {
                      --works_;
                      append(answer);
                      has_output_.set();
                      connection_.end_work();
                    }});
        co_return true;
      default: co_return false;
    }
  }

  Task<bool> answer_large(uint32_t id, size_t bytes) {
    if (!co_await borrow(bytes + kFrameHeadBytes)) co_return false;
    append(frame('a', id, std::string(bytes, 'x')));
    while (waiting_bytes() > 0 && !is_broken_) co_await is_drained_;
    connection_.end_transfer();
    connection_.give_memory_back();
    co_return true;
  }

  void append(std::string_view text) {
    if (is_broken_) return;
    output_.append(text);
    if (waiting_bytes() > wire_.output_bytes_max) wire_.output_bytes_max = waiting_bytes();
    has_output_.set();
  }

  Detached write_answers() {
    while (true) {
      while (output_.empty() && !(is_ending_ && works_ == 0)) co_await has_output_;
      if (output_.empty()) break;
      sending_.swap(output_);
      if (!co_await connection_.send(sending_)) {
        is_broken_ = true;
        output_.clear();
      }
      is_drained_.set();
    }
    is_writer_done_.set();
  }

  TestWire& wire_;
  Connection& connection_;
  Signal has_output_;
  Signal is_drained_;
  Signal is_writer_done_;
  std::string output_;
  std::string sending_;
  size_t works_ = 0;
  bool is_ending_ = false;
  bool is_broken_ = false;
};

inline std::unique_ptr<Session> TestWire::open(Connection& connection) {
  return std::make_unique<FrameSession>(*this, connection);
}

}  // namespace partita::net
