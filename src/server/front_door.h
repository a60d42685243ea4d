#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "cluster/catalog.h"
#include "net/http_message.h"
#include "observe/metrics.h"
#include "server/request_guard.h"
#include "server/reshape_door.h"
#include "server/store_watch.h"
#include "storage/store.h"

#include <string>

namespace partita::server {

// FrontDoor: the first to see every request. Turns away what should not have come (request_guard.h), answers what belongs to the
// server itself, hands the rest to the account, and counts.
//
// Health is answered from memory alone: neither a queue nor the disk is waited for.
//
//   /_health/alive            200 as long as the process answers
//   /_health/ready, /_health  200 only while reads and writes work, else 503 with the reason
//   /_metrics                 for Prometheus; beyond loopback only with a key, as "Authorization: Bearer KEY"
//   /_explorer/               an overview of what is stored, to look at; only where the server listens on loopback
//   /_explorer/emulator.pem   the certificate, where scripts expect it
//   /_partita/...             for operators (reshape_door.h)
class FrontDoor final : public net::HttpHandler {
 public:
  struct Parts {
    net::HttpHandler& account;
    Store& store;
    const StoreWatch& watch;
    const Catalog& catalog;
    observe::Metrics& metrics;
    const Clock& clock;
    const ReshapeDoor& reshapes;
    const auth::MasterKeyVerifier& keys;
    const RequestGuard& guard;
  };
  struct Terms {
    std::string certificate_pem;
    bool is_on_loopback = true;  // overview and metrics are shown to everybody who gets there
    std::string metrics_key = {};
    bool tells_long_requests = false;  // those that keep a connection's thread busy are logged
  };
  FrontDoor(const Parts& parts, Terms terms) : parts_(parts), terms_(std::move(terms)) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override;
  uint64_t tenant_of(const net::HttpRequest& head) const override { return parts_.account.tenant_of(head); }
  void answer_busy(net::HttpResponse& response) const override { parts_.account.answer_busy(response); }
  // What orchestrators ask: they would kill a server that does not answer because it is busy.
  bool is_vital(const net::HttpRequest& request) const override { return request.path.starts_with("/_health"); }

 private:
  void serve(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done);
  void answer_own(const net::HttpRequest& request, net::HttpResponse& response) const;
  void answer_readiness(net::HttpResponse& response) const;
  void answer_metrics(const net::HttpRequest& request, net::HttpResponse& response) const;
  void answer_overview(net::HttpResponse& response) const;
  bool may_see_metrics(const net::HttpRequest& request) const;

  Parts parts_;
  Terms terms_;
};

}  // namespace partita::server
