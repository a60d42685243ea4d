#pragma once

#include <chrono>
#include <cstddef>

namespace partita::net {

// What one peer may cost, whatever it speaks. Times are kept by a coarse timer: about a second late with the defaults.
struct StreamLimits {
  size_t connections_max = 10'000;
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(300);  // before and between messages
  std::chrono::milliseconds message_timeout =
      std::chrono::seconds(30);  // from a message's first byte to its last; also the TLS handshake
  std::chrono::milliseconds send_timeout = std::chrono::seconds(60);  // a peer that takes nothing of what is sent to it
  // So long a message stays unread while there is no memory for it; longer than others of its tenant may be slow then.
  std::chrono::milliseconds memory_timeout = std::chrono::seconds(5);
  // What is counted in memory moves at least so fast on average, once the grace is over; and so fast while its tenant has as much
  // memory as it may have, and wants more.
  size_t bytes_per_second_min = 16 * 1024;
  std::chrono::milliseconds slow_grace = std::chrono::seconds(10);
  size_t bytes_per_second_min_when_short = 256 * 1024;
  std::chrono::milliseconds slow_grace_when_short = std::chrono::seconds(2);
};

// What a connection may hold without being counted: a small message, and small answers.
inline constexpr size_t kUncountedBytes = 16 * 1024;

}  // namespace partita::net
