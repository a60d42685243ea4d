#pragma once

#include "net/http/http_message.h"
#include "net/wire.h"
#include "protocols/cosmos/direct/wire_name.h"
#include "protocols/cosmos/service.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace partita::cosmos::direct {

// What one connection may have at once.
struct DirectLimits {
  // Clients send up to 30 before they open another connection, unless they are told otherwise. Who sends more waits.
  size_t requests_at_once_max = 256;
  // A payload that is refused is skipped, so that the connection can go on, if it has no more; else the connection ends.
  size_t skipped_payload_bytes_max = 16 << 20;
  // After the first request that was authorized: clients keep connections open, and take a closed one for a dead server.
  std::chrono::milliseconds idle_timeout = std::chrono::hours(24);
};

// DirectWire: direct mode (RNTBD), in TLS only. Its requests take the way of all others: `door` answers them, `service` says how
// far partitions are. Both outlive the wire.
class DirectWire final : public net::Wire {
 public:
  DirectWire(net::HttpHandler& door, const Service& service, const DirectLimits& limits = {})
      : door_(door), service_(service), limits_(limits) {}

  std::string_view name() const override { return kWireName; }
  // By what no HTTP request begins with: the length of the first frame, which is short, and two zeros for what it is about.
  Match match(std::string_view first_bytes, bool is_tls) const override;
  std::unique_ptr<net::Session> open(net::Connection& connection) override;

  net::HttpHandler& door() const { return door_; }
  const Service& service() const { return service_; }
  const DirectLimits& limits() const { return limits_; }

 private:
  net::HttpHandler& door_;
  const Service& service_;
  const DirectLimits limits_;
};

}  // namespace partita::cosmos::direct
