#pragma once

#include "auth/master_key.h"
#include "cluster/reshape/reshaper.h"
#include "observe/metrics.h"
#include "protocols/cosmos/fuzz/fuzzed_account.h"
#include "protocols/cosmos/in_process_account.h"
#include "protocols/cosmos/service.h"
#include "server/admin/admin_api.h"
#include "server/admin/statistics.h"
#include "server/front_door.h"
#include "server/fuzz_seeds.h"
#include "server/request_guard.h"
#include "server/store_watch.h"

#include <string>
#include <string_view>
#include <vector>

// For tests and fuzzers.
namespace partita::server {

// Where a server beyond loopback is reached. Everything else is sent to one on loopback, over the same account.
inline constexpr std::string_view kPublicHost = "example.org";
// The origin of pages that may use the account there.
inline constexpr std::string_view kNamedPage = "https://pages.example.org";

// FuzzedServer: the server's front doors, one on loopback and one beyond it, before an account that has something of everything.
class FuzzedServer {
 public:
  // `script_host`: the program that runs scripts.
  explicit FuzzedServer(std::string script_host) : fuzzed_(std::move(script_host)) {
    add_partition_gauges(metrics_, account_.catalog());
    reshaper_.start();
    fuzzed_.serve_through(doors_, signature);
    for (const std::string_view seed : kServerSeeds) fuzzed_.add_seed(seed);
  }

  bool is_worn() const { return fuzzed_.is_worn(); }
  const std::vector<std::string>& seeds() const { return fuzzed_.seeds(); }
  const std::vector<std::string>& tokens() const { return fuzzed_.tokens(); }
  cosmos::InProcessService::Answer send(const cosmos::fuzz::RequestText& text) { return fuzzed_.send(text); }

 private:
  using Account = cosmos::InProcessAccount;

  // Doors: which of the two a request comes to, by the name of the server that it asks for.
  class Doors final : public net::HttpHandler {
   public:
    Doors(FrontDoor& loopback, FrontDoor& beyond) : loopback_(loopback), beyond_(beyond) {}
    void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override {
      door_for(request).handle(request, response, std::move(done));
    }
    net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override {
      return door_for(head).admit(head, refusal);
    }

   private:
    FrontDoor& door_for(const net::HttpRequest& request) const {
      return host_without_port(request.header("host")) == kPublicHost ? beyond_ : loopback_;
    }
    FrontDoor& loopback_;
    FrontDoor& beyond_;
  };

  static std::string signature(std::string_view key, const net::HttpRequest& request) {
    if (!request.path.starts_with(kAdminPrefix)) {
      return Account::signature(key, request.method, request.path, request.query);
    }
    return auth::master_token(*auth::sign(key, {.verb = request.method, .client_date = Account::kNow, .date = {}},
                                          {.type = kAdminResourceType, .link = request.path.substr(kAdminPrefix.size())}));
  }

  cosmos::ServiceParts with_pages() {
    cosmos::ServiceParts parts = account_.parts();
    parts.origins = cosmos::OriginPolicy({std::string(kNamedPage)});
    return parts;
  }
  AdminApi::Parts admin_parts() {
    return {account_.catalog(), reshaper_,           account_.keys(), account_.store(),           watch_,
            metrics_,           &account_.workers(), nullptr,         &account_.service().items()};
  }

  cosmos::fuzz::FuzzedAccount fuzzed_;
  Account& account_ = fuzzed_.account();
  observe::Metrics metrics_;
  StoreWatch watch_{account_.store(), account_.clock()};
  RequestGuard loopback_guard_{RequestGuard::Rules{}};
  RequestGuard beyond_guard_{{.hosts = {std::string(kPublicHost)},
                              .public_origin = "https://example.org",
                              .origins = cosmos::OriginPolicy({std::string(kNamedPage)})}};
  cosmos::Service public_account_{with_pages()};
  Reshaper reshaper_{account_.store(), account_.catalog(), account_.clock(), {}};
  AdminApi loopback_admin_{admin_parts(), {.certificate_pem = "the certificate"}};
  AdminApi beyond_admin_{admin_parts(),
                         {.certificate_pem = "the certificate", .is_on_loopback = false, .metrics_key = "bWV0cmljcw=="}};
  FrontDoor loopback_{{account_.service(), loopback_admin_, loopback_guard_, metrics_, account_.clock()}};
  FrontDoor beyond_{{public_account_, beyond_admin_, beyond_guard_, metrics_, account_.clock()}};
  Doors doors_{loopback_, beyond_};
};

}  // namespace partita::server
