#pragma once

#include "base/clock.h"
#include "net/http/http_message.h"
#include "observe/metrics.h"
#include "server/admin/admin_api.h"
#include "server/request_guard.h"

namespace partita::server {

// FrontDoor: the first to see every request. Turns away what should not have come (request_guard.h), hands what belongs to the
// server itself to the admin API and the rest to the account, and counts. Thread-safe.
class FrontDoor final : public net::HttpHandler {
 public:
  struct Parts {
    net::HttpHandler& account;
    const AdminApi& admin;
    const RequestGuard& guard;
    observe::Metrics& metrics;
    const Clock& clock;
  };
  // `tells_long_requests`: those that keep a connection's thread busy are logged.
  explicit FrontDoor(const Parts& parts, bool tells_long_requests = false)
      : parts_(parts), tells_long_requests_(tells_long_requests) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;
  bool streams(const net::HttpRequest& head) const override { return parts_.admin.streams(head); }
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override;
  uint64_t tenant_of(const net::HttpRequest& head) const override { return parts_.account.tenant_of(head); }
  void answer_busy(net::HttpResponse& response) const override { parts_.account.answer_busy(response); }
  // What orchestrators ask: they would kill a server that does not answer because it is busy.
  bool is_vital(const net::HttpRequest& request) const override;

 private:
  void serve(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done);

  Parts parts_;
  bool tells_long_requests_;
};

}  // namespace partita::server
