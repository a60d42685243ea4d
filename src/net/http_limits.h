#pragma once

#include <chrono>
#include <cstddef>

namespace partita::net {

// What one client may cost. Times are kept by a coarse timer: about a second late with the defaults.
struct HttpLimits {
  size_t request_line_bytes_max = 16 * 1024;
  size_t header_bytes_max = 64 * 1024;  // request line and headers together
  size_t header_count_max = 128;
  size_t body_bytes_max = 16 * 1024 * 1024;
  size_t connections_max = 10'000;
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(300);  // before and between requests
  std::chrono::milliseconds request_timeout =
      std::chrono::seconds(30);  // from a request's first byte to its last; also the TLS handshake
  std::chrono::milliseconds response_timeout = std::chrono::seconds(60);  // a client that takes nothing of its answer
  // A body or an answer that is counted in memory moves at least so fast on average, once the grace is over; and so fast while
  // its tenant has as much memory as it may have, and wants more.
  size_t bytes_per_second_min = 16 * 1024;
  std::chrono::milliseconds slow_grace = std::chrono::seconds(10);
  size_t bytes_per_second_min_when_short = 256 * 1024;
  std::chrono::milliseconds slow_grace_when_short = std::chrono::seconds(2);
};

// What a connection may hold without being counted: a small request, and small answers.
inline constexpr size_t kUncountedBytes = 16 * 1024;

}  // namespace partita::net
