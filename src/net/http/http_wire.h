#pragma once

#include "net/http/http_limits.h"
#include "net/http/http_message.h"
#include "net/wire.h"

#include <memory>
#include <string_view>

namespace partita::net {

// HttpWire: HTTP/1.1, as strict as http_head.h says. Takes whatever no wire before it has claimed, because it answers what it
// cannot read with the reason: it is the last one of its port.
class HttpWire final : public Wire {
 public:
  // The handler outlives the wire.
  explicit HttpWire(HttpHandler& handler, const HttpLimits& limits = {}) : handler_(handler), limits_(limits) {}

  std::string_view name() const override { return "http"; }
  Match match(std::string_view /*first_bytes*/, bool /*is_tls*/) const override { return Match::kYes; }
  std::unique_ptr<Session> open(Connection& connection) override;
  bool answers_over_limit() const override { return true; }

  HttpHandler& handler() const { return handler_; }
  const HttpLimits& limits() const { return limits_; }

 private:
  HttpHandler& handler_;
  const HttpLimits limits_;
};

}  // namespace partita::net
