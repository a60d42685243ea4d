#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/fair_memory.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "cluster/catalog/catalog.h"
#include "cluster/tenants.h"
#include "gateway/items/items.h"
#include "gateway/query/query_runner.h"
#include "gateway/scripts/scripts.h"
#include "net/http/http_message.h"
#include "partition/changes/change_subscriptions.h"
#include "protocols/cosmos/account_usage.h"
#include "protocols/cosmos/consistency_level.h"
#include "protocols/cosmos/cors.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/fidelity.h"

#include <atomic>
#include <memory>
#include <string>

namespace partita::cosmos {

// Of stored documents that are written as an answer: about 150 us of work.
inline constexpr size_t kAnswerBytesAtOnceMax = 64 << 10;
// So long a request may wait for changes; one that asks for more waits that long.
inline constexpr int64_t kChangeWaitMsMax = 60'000;

// Where clients in direct mode are told to connect.
struct DirectAccess {
  bool is_served = true;
  uint16_t port = 0;  // 0: that of the request for addresses
};

// What the service works with. All of it outlives the service and is thread-safe.
struct ServiceParts {
  Catalog& catalog;
  const Items& items;
  const auth::MasterKeyVerifier& keys;
  const Clock& clock;
  Random& random;
  FairScheduler& workers;
  const ScriptRunner& scripts;
  const QueryRunner& queries;
  ChangeSubscriptions& changes;
  ConsistencyLevel consistency = ConsistencyLevel::kSession;
  Fidelity fidelity = Fidelity::kService;
  // Where clients are told to go on, with its trailing slash; empty: by the way they came.
  std::string public_endpoint = {};
  OriginPolicy origins = OriginPolicy();
  int64_t change_wait_ms_max = kChangeWaitMsMax;
  DirectAccess direct = {};
  // What large answers are counted against while they wait to be written; null: without a limit.
  FairMemory* answers = nullptr;
};

// Service: the Cosmos DB account that clients talk to: authorization, routing, and the answers of this wire.
//
// Thread-safe. Every request that reaches a handler is authorized; a request that fails anywhere gets a JSON body that says why,
// unless its path is one that the service takes for none (is_url_of_gateway).
class Service final : public net::HttpHandler {
 public:
  explicit Service(ServiceParts parts) : parts_(std::move(parts)), usage_(parts_.catalog, parts_.clock, parts_.workers) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;
  // The same verdict as handle() comes to, and whether the body is larger than any that the operation takes.
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override;
  // The number of the database that the path names, by its name or its resource id; all that do not exist are one.
  uint64_t tenant_of(const net::HttpRequest& head) const override;
  void answer_busy(net::HttpResponse& response) const override;

  Catalog& catalog() const { return parts_.catalog; }
  const Items& items() const { return parts_.items; }
  const auth::MasterKeyVerifier& keys() const { return parts_.keys; }
  const Clock& clock() const { return parts_.clock; }
  FairScheduler& workers() const { return parts_.workers; }
  const ScriptRunner& scripts() const { return parts_.scripts; }
  const QueryRunner& queries() const { return parts_.queries; }
  ChangeSubscriptions& changes() const { return parts_.changes; }
  int64_t change_wait_ms_max() const { return parts_.change_wait_ms_max; }
  ConsistencyLevel consistency() const { return parts_.consistency; }
  // How the request is to be answered. A word that means nothing was refused before.
  Fidelity fidelity(const Exchange& exchange) const;
  const std::string& public_endpoint() const { return parts_.public_endpoint; }
  const DirectAccess& direct() const { return parts_.direct; }
  AccountUsage& usage() const { return usage_; }

  // The container that the path names, checked against the one the client believes it to be.
  Result<std::shared_ptr<const Container>> container(const Exchange& exchange) const;
  // The same for one that the request means in another way; by names or resource ids.
  Result<std::shared_ptr<const Container>> container(const Exchange& exchange, std::string_view database,
                                                     std::string_view name) const;
  // Whether the request may be answered, and within which limits. Asked again after a wait: tokens expire, and permissions are
  // changed and deleted.
  Status check_authorization(Exchange& exchange) const;
  // On what terms the request's reads and writes are served.
  RequestTerms terms(const Exchange& exchange) const;

  // Answers the exchange on a worker, in the tenant's turn: for what takes too long for a connection's thread. Where it may take
  // longer than a few milliseconds, it asks the turn to give way.
  using LaterAnswer = std::move_only_function<void(ExchangePtr, Turn&)>;
  void answer_by_worker(const Tenant& tenant, ExchangePtr exchange, LaterAnswer answer) const;
  // The same for the rest of a request that was let in already: no bound counts any more.
  void continue_by_worker(const Tenant& tenant, ExchangePtr exchange, LaterAnswer answer) const;
  // Answers at once what has few bytes to be written, or where this is a worker already; else on a worker. For requests that were
  // carried out already, so no bound on those who wait counts; but what waits is counted, and where there is no memory for it,
  // one that has changed nothing is refused.
  void answer_large(const Tenant& tenant, ExchangePtr exchange, size_t bytes,
                    std::move_only_function<void(Exchange&)> answer) const;

 private:
  // The exchange of a request that may go on; null when it may not, and is answered.
  ExchangePtr open(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const;
  void submit(FairScheduler::Job job, ExchangePtr exchange, LaterAnswer answer) const;

  ServiceParts parts_;
  mutable AccountUsage usage_;
};

}  // namespace partita::cosmos
