#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "cluster/catalog/catalog.h"
#include "engine/item/etag.h"
#include "gateway/items/items.h"
#include "gateway/query/query_runner.h"
#include "gateway/scripts/scripts.h"
#include "net/http/http_message.h"
#include "partition/changes/change_subscriptions.h"
#include "protocols/cosmos/codec/resource_path.h"
#include "protocols/cosmos/documents/service_documents.h"
#include "protocols/cosmos/script_texts.h"
#include "protocols/cosmos/service.h"
#include "script/script_engine.h"

#include <algorithm>
#include <future>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// For tests and fuzzers.
namespace partita::cosmos {

// InProcessService: an account's service over a catalog, without sockets. Requests in, answers out.
class InProcessService {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  struct Answer {
    int status = 0;
    std::string header_block;  // "Name: value\r\n"...
    std::string body;
    bool is_outcome = false;

    // Empty when the answer has no such header.
    std::string header(std::string_view wanted) const {
      for (std::string_view rest = header_block; !rest.empty();) {
        const size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        const size_t colon = line.find(": ");
        if (net::equal_without_case(line.substr(0, colon), wanted)) return std::string(line.substr(colon + 2));
        rest.remove_prefix(end + 2);
      }
      return {};
    }
  };

  static constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
  static constexpr std::string_view kReadOnlyKey = "cmVhZCBvbmx5";
  static constexpr std::string_view kNow = "Tue, 14 Nov 2023 22:13:20 GMT";  // what the clock must show

  struct Stored {
    Catalog& catalog;
    EtagSource& etags;
    Random& random;
    const Clock& clock;
  };
  // `script_host`: the program that runs scripts. What is stored outlives this.
  InProcessService(const Stored& stored, std::string script_host, script::ScriptLimits script_limits = {},
                   int64_t change_wait_ms_max = kChangeWaitMsMax)
      : stored_(stored),
        change_wait_ms_max_(change_wait_ms_max),
        documents_(stored.etags),
        items_(stored.clock, documents_, stored.random),
        keys_(auth::MasterKeyVerifier::create({.primary = std::string(kKey),
                                               .secondary = {},
                                               .primary_read_only = std::string(kReadOnlyKey),
                                               .secondary_read_only = {}},
                                              stored.clock)
                  .value()),
        script_engine_(std::move(script_host), script_limits, 1),
        scripts_(items_, stored.catalog, script_engine_, workers_, script_texts_),
        queries_({stored.catalog, script_engine_, workers_, stored.clock, stored.random}),
        service_(parts()),
        changes_(stored.clock),
        workers_(
            {.limits =
                 {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
            stored.clock) {}
  InProcessService(const InProcessService&) = delete;
  InProcessService& operator=(const InProcessService&) = delete;

  // As the key's owner. Empty when no path can be signed for: then the request is refused before anybody looks at a signature.
  static std::string signature(std::string_view key, std::string_view method, std::string_view path,
                               std::string_view query = {}) {
    const Result<ResourcePath> parsed = ResourcePath::parse(path, query);
    if (!parsed) return {};
    const auth::SignedRequest request{.verb = method, .client_date = kNow, .date = {}};
    return auth::master_token(*auth::sign(key, request, parsed->signed_resources().front()));
  }

  // `target`: a path, maybe with a query.
  Answer send(std::string_view method, std::string_view target, Headers headers = {}, std::string_view body = {},
              std::string_view key = kKey) {
    const auto [path, query] = split(target);
    headers.emplace_back("authorization", signature(key, method, path, query));
    headers.emplace_back("x-ms-date", kNow);
    return send_as_is(method, target, headers, body);
  }
  Answer send_as_is(std::string_view method, std::string_view target, const Headers& headers, std::string_view body) {
    net::HttpRequest request;
    request.method = method;
    std::tie(request.path, request.query) = split(target);
    request.body = body;
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    return handle(request);
  }
  // Waits for the answer.
  Answer handle(const net::HttpRequest& request) {
    net::HttpResponse response;
    std::promise<void> is_done;
    served_by_->handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return taken(response);
  }
  // The refusal of a request whose body would not be read; status 0 when it would be.
  Answer refusal(const net::HttpRequest& request) {
    net::HttpResponse response;
    if (served_by_->admit(request, response).is_admitted) return {};
    return taken(response);
  }

  // Path and query.
  static std::pair<std::string_view, std::string_view> split(std::string_view target) {
    const size_t end = std::min(target.find('?'), target.size());
    return {target.substr(0, end), target.substr(std::min(end + 1, target.size()))};
  }

  // From now on requests go to this, which outlives them.
  void serve_through(net::HttpHandler& handler) { served_by_ = &handler; }
  // What another service over the same account is made of.
  ServiceParts parts() {
    ServiceParts parts{stored_.catalog, items_, keys_, stored_.clock, stored_.random, workers_, scripts_, queries_, changes_};
    parts.change_wait_ms_max = change_wait_ms_max_;
    // Most tests want to see everything that the server can do; fidelity_test.cc tries what it does as the service.
    parts.fidelity = Fidelity::kExtended;
    return parts;
  }
  Service& service() { return service_; }
  const auth::MasterKeyVerifier& keys() const { return keys_; }
  FairScheduler& workers() { return workers_; }
  ChangeSubscriptions& changes() { return changes_; }

 private:
  // The whole body of a streamed answer, unless it fails: then nothing.
  static std::string drained(net::ResponseSource& source) {
    using Progress = net::ResponseSource::Progress;
    std::string body;
    while (true) {
      std::string piece;
      std::promise<Progress> made;
      source.make(piece, [&](Progress progress) { made.set_value(progress); });
      const Progress progress = made.get_future().get();
      if (progress == Progress::kFailed) return {};
      body += piece;
      if (progress == Progress::kEnd) return body;
    }
  }

  static Answer taken(net::HttpResponse& response) {
    if (response.source) response.body = drained(*response.source);
    return {response.status, std::string(response.header_block()), std::move(response.body), response.is_outcome};
  }

  Stored stored_;
  const int64_t change_wait_ms_max_;
  ServiceDocuments documents_;
  Items items_;
  auth::MasterKeyVerifier keys_;
  script::ScriptEngine script_engine_;
  WireScriptTexts script_texts_;
  ScriptRunner scripts_;
  QueryRunner queries_;
  Service service_;
  net::HttpHandler* served_by_ = &service_;
  ChangeSubscriptions changes_;
  // Last, so that it ends first: its jobs use all of the above.
  FairScheduler workers_;
};

}  // namespace partita::cosmos
