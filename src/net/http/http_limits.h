#pragma once

#include <cstddef>

namespace partita::net {

// How large the parts of an HTTP request may be.
struct HttpLimits {
  size_t request_line_bytes_max = 16 * 1024;
  size_t header_bytes_max = 64 * 1024;  // request line and headers together
  size_t header_count_max = 128;
  size_t body_bytes_max = 16 * 1024 * 1024;
};

}  // namespace partita::net
