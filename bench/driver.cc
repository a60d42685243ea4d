#include "driver.h"

#include <unistd.h>

#include <algorithm>

#include "fatal.h"
#include "sample_document.h"

namespace partita::bench {
namespace {

constexpr std::uint64_t kCheckOneIn = 100;
constexpr std::chrono::seconds kSilenceMax{20};  // a server that answers nobody for so long is broken

}  // namespace

double Measurements::latency_us(double share) {
  if (latencies_us_tenths.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(latencies_us_tenths.size() - 1));
  const auto position = latencies_us_tenths.begin() + rank;
  std::ranges::nth_element(latencies_us_tenths, position);
  return *position / 10.0;
}

Driver::Driver(std::vector<std::unique_ptr<Connection>> connections, std::function<std::uint64_t()> next_number, Check check,
               Waiting waiting)
    : next_number_(std::move(next_number)),
      check_(check),
      waiting_(waiting),
      epoll_(must("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC))) {
  for (auto& connection : connections) slots_.push_back({std::move(connection), 0, {}});
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    must("epoll_ctl", ::epoll_ctl(epoll_, EPOLL_CTL_ADD, slots_[i].connection->socket(), &event));
  }
}

Driver::~Driver() { ::close(epoll_); }

Measurements Driver::run(const Limit& limit) {
  Measurements measurements;
  const Clock::time_point began = Clock::now();
  const Clock::time_point deadline = began + std::chrono::duration_cast<Clock::duration>(limit.duration);
  std::uint64_t started = 0;
  std::uint64_t in_flight = 0;
  for (Slot& slot : slots_) {
    if (started == limit.operations) break;
    start(slot);
    ++started, ++in_flight;
  }
  Clock::time_point now = began;
  while (in_flight > 0) {
    for (const epoll_event& event : wait()) {
      Slot& slot = slots_[event.data.u64];
      if (!slot.connection->receive()) continue;
      now = Clock::now();
      record(slot, now, measurements);
      if (now < deadline && started < limit.operations) {
        start(slot);
        ++started;
      } else {
        --in_flight;
      }
    }
  }
  measurements.seconds = std::chrono::duration<double>(now - began).count();
  return measurements;
}

// The connections that have something to read; at least one.
std::span<const epoll_event> Driver::wait() {
  const Clock::time_point patience = Clock::now() + kSilenceMax;
  const auto timeout_ms = static_cast<int>(std::chrono::milliseconds(kSilenceMax).count());
  while (Clock::now() < patience) {
    const int count =
        ::epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), waiting_ == Waiting::kSpin ? 0 : timeout_ms);
    if (count > 0) return {events_.data(), static_cast<std::size_t>(count)};
    if (count < 0 && errno != EINTR) fatal("epoll_wait: {}", std::strerror(errno));
  }
  fatal("no answer for {} seconds", kSilenceMax.count());
}

void Driver::start(Slot& slot) {
  slot.number = next_number_();
  slot.started = Clock::now();
  slot.connection->start(slot.number);
}

void Driver::record(Slot& slot, Clock::time_point now, Measurements& measurements) {
  const auto nanoseconds = std::chrono::nanoseconds(now - slot.started).count();
  measurements.latencies_us_tenths.push_back(static_cast<std::uint32_t>(nanoseconds / 100));
  ++measurements.operations;
  if (const std::string_view failure = slot.connection->failure(); !failure.empty()) {
    if (measurements.errors++ == 0) measurements.first_error = failure;
    return;
  }
  const std::string_view document = slot.connection->document();
  if (check_ == Check::kNone || document.empty() || measurements.operations % kCheckOneIn != 1) return;
  ++measurements.checked;
  if (!holds_document(document, slot.number)) {
    if (measurements.wrong++ == 0) measurements.first_error = fmt::format("document {} came as {}", slot.number, document);
  }
}

}  // namespace partita::bench
