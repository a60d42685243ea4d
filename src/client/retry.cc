#include "client/retry.h"

#include <algorithm>

namespace partita::client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstConflictWait{10};
constexpr milliseconds kFirstFailureWait{50};
constexpr uint32_t kDoublingsMax = 6;
constexpr int kSessionNotAvailable = 1002;  // of 404
constexpr int kRangeGone = 1002;            // of 410

milliseconds doubled(milliseconds first, uint32_t times) { return first * (1 << std::min(times, kDoublingsMax)); }

}  // namespace

std::optional<milliseconds> RetryState::wait_after(const Outcome& outcome) {
  if (!options_.is_enabled) return std::nullopt;
  if (outcome) return after_response(*outcome);
  switch (outcome.error().kind) {
    case Loss::Kind::kNotSent: return after_failure();
    case Loss::Kind::kUnknown: return is_repeatable_ ? after_failure() : std::nullopt;
    // It took all the time that a request may take.
    case Loss::Kind::kTimeout:
    case Loss::Kind::kNotHttp:
    case Loss::Kind::kNotOpened:
    case Loss::Kind::kClosed: return std::nullopt;
  }
  return std::nullopt;
}

RetryState::Wait RetryState::after_response(const Response& response) {
  switch (response.status()) {
    case 429: return after_throttling(milliseconds(response.retry_after_ms()));
    case 449: return after_throttling(doubled(kFirstConflictWait, throttles_));
    // Nothing was done where the partition is not.
    case 410: return names_range_ && response.sub_status() == kRangeGone ? std::nullopt : after_failure();
    case 404: return response.sub_status() == kSessionNotAvailable ? after_failure() : std::nullopt;
    case 408:
    case 503: return is_repeatable_ ? after_failure() : std::nullopt;
    default: return std::nullopt;
  }
}

RetryState::Wait RetryState::after_throttling(milliseconds wait) {
  if (throttles_ >= options_.throttled_max) return std::nullopt;
  const Wait granted = take(wait);
  if (granted) ++throttles_;
  return granted;
}

RetryState::Wait RetryState::after_failure() {
  if (retries_ >= options_.failed_max) return std::nullopt;
  const Wait granted = take(doubled(kFirstFailureWait, retries_));
  if (granted) ++retries_;
  return granted;
}

RetryState::Wait RetryState::take(milliseconds wait) {
  // Compared so that no server's number overflows.
  if (wait > options_.wait_max - waited_) return std::nullopt;
  waited_ += wait;
  return wait;
}

}  // namespace partita::client
