#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "cluster/catalog.h"
#include "cluster/tenants.h"
#include "gateway/items.h"
#include "gateway/scripts.h"
#include "net/http_message.h"
#include "protocols/cosmos/account_usage.h"
#include "protocols/cosmos/consistency_level.h"
#include "protocols/cosmos/cors.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/prepared_queries.h"
#include "protocols/cosmos/short_queries.h"
#include "query/query.h"

#include <atomic>
#include <memory>
#include <string>

namespace partita::cosmos {

// Of stored documents that are written as an answer: about 150 us of work.
inline constexpr size_t kAnswerBytesAtOnceMax = 64 << 10;

// What the service works with. All of it outlives the service and is thread-safe.
struct ServiceParts {
  Catalog& catalog;
  const Items& items;
  const auth::MasterKeyVerifier& keys;
  const Clock& clock;
  Random& random;
  FairScheduler& workers;
  const ScriptRunner& scripts;
  ConsistencyLevel consistency = ConsistencyLevel::kSession;
  // Where clients are told to go on, with its trailing slash; empty: by the way they came.
  std::string public_endpoint = {};
  OriginPolicy origins = OriginPolicy();
  // What all queries together may keep in memory; null: what each may keep is the only limit.
  FairMemory* query_memory = nullptr;
  size_t query_bytes_max = query::kBufferedBytesMax;  // by one of them
};

// Service: the Cosmos DB account that clients talk to: authorization, routing, and the answers of this wire.
//
// Thread-safe. Every request that reaches a handler is authorized; a request that fails anywhere gets a JSON body that says why.
class Service final : public net::HttpHandler {
 public:
  explicit Service(ServiceParts parts) : parts_(std::move(parts)), usage_(parts_.catalog, parts_.clock, parts_.workers) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override;
  // The same verdict as handle() comes to, and whether the body is larger than any that the operation takes.
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override;
  // A number of the database that the path names.
  uint64_t tenant_of(const net::HttpRequest& head) const override;
  void answer_busy(net::HttpResponse& response) const override;

  Catalog& catalog() const { return parts_.catalog; }
  const Items& items() const { return parts_.items; }
  const auth::MasterKeyVerifier& keys() const { return parts_.keys; }
  const Clock& clock() const { return parts_.clock; }
  FairScheduler& workers() const { return parts_.workers; }
  const ScriptRunner& scripts() const { return parts_.scripts; }
  ConsistencyLevel consistency() const { return parts_.consistency; }
  const std::string& public_endpoint() const { return parts_.public_endpoint; }
  PreparedQueries& prepared_queries() const { return prepared_queries_; }
  ShortQueries& short_queries() const { return short_queries_; }
  AccountUsage& usage() const { return usage_; }
  query::Environment query_environment() const {
    return {.clock = parts_.clock,
            .random = parts_.random,
            .buffered_bytes_max = parts_.query_bytes_max,
            .memory = parts_.query_memory};
  }

  // The container that the path names, checked against the one the client believes it to be.
  Result<std::shared_ptr<const Container>> container(const Exchange& exchange) const;
  // The same for one that the request means in another way; by names or resource ids.
  Result<std::shared_ptr<const Container>> container(const Exchange& exchange, std::string_view database,
                                                     std::string_view name) const;
  // On what terms the request's reads and writes are served.
  RequestTerms terms(const Exchange& exchange) const;

  // Answers the exchange on a worker, in the tenant's turn: for what takes too long for a connection's thread. Where it may take
  // longer than a few milliseconds, it asks the turn to give way.
  using LaterAnswer = std::move_only_function<void(ExchangePtr, Turn&)>;
  void answer_by_worker(const Tenant& tenant, ExchangePtr exchange, LaterAnswer answer) const;
  // Answers at once what has few bytes to be written, or where this is a worker already; else on a worker. For requests that were
  // carried out already, so they are not refused any more.
  void answer_large(const Tenant& tenant, ExchangePtr exchange, size_t bytes,
                    std::move_only_function<void(Exchange&)> answer) const;

 private:
  // The exchange of a request that may go on; null when it may not, and is answered.
  ExchangePtr open(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const;
  void submit(FairScheduler::Job job, ExchangePtr exchange, LaterAnswer answer) const;

  ServiceParts parts_;
  mutable PreparedQueries prepared_queries_;
  mutable ShortQueries short_queries_;
  mutable AccountUsage usage_;
};

}  // namespace partita::cosmos
