#pragma once

#include "base/clock.h"
#include "net/http_message.h"
#include "observe/metrics.h"
#include "storage/store.h"

#include <string>

namespace partita::server {

// FrontDoor: the first to see every request. Answers what belongs to the server itself, hands the rest to the account, and counts.
//
//   /_health/alive            200 as long as the process answers
//   /_health/ready, /_health  200 only while reads and writes work, else 503 with the reason
//   /_metrics                 for Prometheus
//   /_explorer/emulator.pem   the certificate, where scripts expect it
class FrontDoor final : public net::HttpHandler {
 public:
  FrontDoor(net::HttpHandler& account, const Store& store, observe::Metrics& metrics, const Clock& clock, std::string certificate_pem)
      : account_(account), store_(store), metrics_(metrics), clock_(clock), certificate_pem_(std::move(certificate_pem)) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;

 private:
  void answer_own(const net::HttpRequest& request, net::HttpResponse& response) const;
  void answer_readiness(net::HttpResponse& response) const;

  net::HttpHandler& account_;
  const Store& store_;
  observe::Metrics& metrics_;
  const Clock& clock_;
  std::string certificate_pem_;
};

}  // namespace partita::server
