#pragma once

#include "base/clock.h"
#include "cluster/catalog.h"
#include "net/http_message.h"
#include "observe/metrics.h"
#include "server/reshape_door.h"
#include "storage/store.h"

#include <string>

namespace partita::server {

// FrontDoor: the first to see every request. Answers what belongs to the server itself, hands the rest to the account, and
// counts.
//
//   /_health/alive            200 as long as the process answers
//   /_health/ready, /_health  200 only while reads and writes work, else 503 with the reason
//   /_metrics                 for Prometheus
//   /_explorer/               an overview of what is stored, to look at; only where the server listens on loopback
//   /_explorer/emulator.pem   the certificate, where scripts expect it
//   /_partita/...             for operators (reshape_door.h)
class FrontDoor final : public net::HttpHandler {
 public:
  struct Parts {
    net::HttpHandler& account;
    Store& store;
    const Catalog& catalog;
    observe::Metrics& metrics;
    const Clock& clock;
    const ReshapeDoor& reshapes;
  };
  FrontDoor(const Parts& parts, std::string certificate_pem, bool shows_overview)
      : parts_(parts), certificate_pem_(std::move(certificate_pem)), shows_overview_(shows_overview) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;

 private:
  void answer_own(const net::HttpRequest& request, net::HttpResponse& response) const;
  void answer_readiness(net::HttpResponse& response) const;

  Parts parts_;
  std::string certificate_pem_;
  bool shows_overview_;
};

}  // namespace partita::server
