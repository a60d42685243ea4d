#pragma once

#include "client/options.h"
#include "client/response.h"
#include "client/transport/transport.h"

#include <chrono>
#include <optional>

namespace partita::client {

// RetryState: how often one request was sent in vain, and whether it is sent once more. Not thread-safe.
class RetryState {
 public:
  // `is_repeatable`: sending the request twice does no harm. `names_range`: it asks one partition, so it is its sender who must
  // learn that the partition is gone.
  RetryState(const RetryOptions& options, bool is_repeatable, bool names_range)
      : options_(options), is_repeatable_(is_repeatable), names_range_(names_range) {}

  // How long to wait before it is sent again; nothing: this is the outcome.
  std::optional<std::chrono::milliseconds> wait_after(const Outcome& outcome);

  uint32_t throttles() const { return throttles_; }
  uint32_t retries() const { return retries_; }

 private:
  using Wait = std::optional<std::chrono::milliseconds>;
  Wait after_response(const Response& response);
  Wait after_throttling(std::chrono::milliseconds wait);
  Wait after_failure();
  Wait take(std::chrono::milliseconds wait);

  const RetryOptions& options_;
  bool is_repeatable_;
  bool names_range_;
  uint32_t throttles_ = 0;
  uint32_t retries_ = 0;
  std::chrono::milliseconds waited_{0};
};

}  // namespace partita::client
