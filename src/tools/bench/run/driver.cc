#include "tools/bench/run/driver.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

namespace partita::tools::bench {
namespace {

// A connection whose request was not answered begins its next operation so much later: a server that is gone is not called
// thousands of times a second.
constexpr int64_t kRestNs = 100'000'000;

// What an answer that is no success says, in one line.
std::string describe(const client::Failure& failure) {
  const std::string status = failure.status == 0 ? "" : fmt::format("{}: ", failure.status);
  std::string message = status + failure.message;
  for (char& byte : message) byte = byte == '\n' || byte == '\r' ? ' ' : byte;
  return message;
}

}  // namespace

Driver::Driver(Parts parts, const Turns::Terms& terms, size_t connections)
    : parts_(std::move(parts)), slots_(connections), turns_(terms, now_ns()) {
  const KeyChooser keys(parts_.plan.workload.keys, parts_.plan.document_count, parts_.plan.exponent);
  for (size_t i = 0; i < connections; ++i) {
    slots_[i].operations = std::make_unique<Operations>(parts_.plan, parts_.numbers, keys, i);
  }
}

Driver::~Driver() {
  stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return in_flight_ == 0; });
  is_closing_ = true;
  changed_.notify_all();
  lock.unlock();
  if (pacer_.joinable()) pacer_.join();
}

void Driver::start() {
  pacer_ = std::thread([this] { pace(); });
  for (size_t connection = 0; connection < slots_.size(); ++connection) {
    std::unique_lock lock(mutex_);
    const std::optional<int64_t> due_ns = turns_.next(connection, now_ns());
    if (due_ns) ++in_flight_;
    lock.unlock();
    if (due_ns) begin(connection, *due_ns);
  }
  changed_.notify_all();
}

void Driver::stop() {
  std::lock_guard lock(mutex_);
  turns_.stop();
  changed_.notify_all();
}

bool Driver::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return in_flight_ == 0 && turns_.is_over(now_ns()); });
}

int64_t Driver::ended_ns() {
  std::lock_guard lock(mutex_);
  return ended_ns_;
}

uint64_t Driver::missed() {
  std::lock_guard lock(mutex_);
  return turns_.missed(now_ns());
}

void Driver::pace() {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // in nanoseconds; the system's 50 µs would be part of each latency
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    if (const std::optional<Turns::Turn> turn = turns_.due(now_ns())) {
      ++in_flight_;
      lock.unlock();
      begin(turn->connection, turn->due_ns);
      lock.lock();
      continue;
    }
    const std::optional<int64_t> wake = turns_.wake_at();
    is_pacer_idle_ = !wake;
    if (!wake) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, std::chrono::nanoseconds(std::max<int64_t>(*wake - now_ns(), 0)));
    }
    is_pacer_idle_ = false;
  }
}

void Driver::begin(size_t connection, int64_t due_ns) {
  Slot& slot = slots_[connection];
  slot.due_ns = due_ns;
  slot.requests = slot.throttles = 0;
  send(connection, slot.operations->begin());
}

void Driver::send(size_t connection, client::Request request) {
  parts_.send(std::move(request),
              [this, connection](client::Answer<client::Response> answer) { receive(connection, std::move(answer)); });
}

void Driver::receive(size_t connection, client::Answer<client::Response> answer) {
  Slot& slot = slots_[connection];
  ++slot.requests;
  if (!answer) {
    parts_.recorder.record(slot.operations->kind(), RequestOutcome{});
    parts_.recorder.note_error(describe(answer.error()));
    return finish(connection, false, false);
  }
  record(slot, *answer);
  if (!answer->is_success()) {
    parts_.recorder.note_error(describe(client::failure_of(*answer)));
    return finish(connection, false, true);
  }
  if (std::optional<client::Request> more = slot.operations->go_on(*answer)) return send(connection, *std::move(more));
  finish(connection, true, true);
}

// The session token of an answer begins with the range that gave it; refusals have none.
void Driver::record(Slot& slot, const client::Response& response) {
  constexpr int kTooManyRequests = 429;
  const uint32_t throttles = response.throttles + (response.status() == kTooManyRequests ? 1 : 0);
  slot.throttles += throttles;
  const std::string_view token = response.session_token();
  const std::string_view range = token.substr(0, std::min(token.find(':'), token.size()));
  const std::string found = range.empty() ? parts_.find_range(slot.operations->key()) : std::string();
  parts_.recorder.record(slot.operations->kind(), {.status = response.status(),
                                                   .range = range.empty() ? std::string_view(found) : range,
                                                   .request_units = response.charge(),
                                                   .throttles = throttles});
}

void Driver::finish(size_t connection, bool is_success, bool was_answered) {
  Slot& slot = slots_[connection];
  const int64_t now = now_ns();
  slot.operations->end(is_success);
  parts_.recorder.record(
      {.kind = slot.operations->kind(), .is_success = is_success, .latency_ns = now - slot.due_ns, .throttles = slot.throttles});
  std::unique_lock lock(mutex_);
  std::optional<int64_t> due_ns;
  if (was_answered) {
    due_ns = turns_.next(connection, now);
  } else {
    turns_.rest(connection, now + kRestNs);
  }
  if (due_ns) {
    lock.unlock();
    return begin(connection, *due_ns);
  }
  --in_flight_;
  ended_ns_ = now;
  // Others look again only where something changed for them.
  if (is_pacer_idle_ || !was_answered || (in_flight_ == 0 && turns_.is_over(now))) changed_.notify_all();
}

}  // namespace partita::tools::bench
