#pragma once

#include "auth/master_key.h"
#include "base/fair_scheduler.h"
#include "base/turn.h"
#include "cluster/catalog/catalog.h"
#include "cluster/reshape/reshaper.h"
#include "document/stored/stored_writer.h"
#include "gateway/items/items.h"
#include "gateway/query/query_shapes.h"
#include "net/http/http_message.h"
#include "observe/metrics.h"
#include "server/admin/document_streams.h"
#include "server/store_watch.h"
#include "storage/store.h"

#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace partita::server {

// Of everything that the server answers itself begins with kOwnPrefix: the admin API, and the older names of parts of it.
inline constexpr std::string_view kOwnPrefix = "/_";
inline constexpr std::string_view kAdminPrefix = "/_partita/";
// What an account key signs for the admin API: this resource type, and as link the path behind kAdminPrefix.
inline constexpr std::string_view kAdminResourceType = "partita";

class AdminApi;

// Who may call a route.
enum class Caller {
  kAnyone,
  kAnyoneOnLoopback,  // elsewhere it does not exist
  kMetricsReader,     // anyone on loopback; elsewhere "Authorization: Bearer KEY", with the metrics key or an account key
  kReader,            // signed with an account key, a read-only one too
  kWriter,            // signed with an account key that can write
};

// Where a route is answered.
enum class RunsOn {
  kConnection,  // from memory alone: neither a queue nor the disk is waited for
  kWorker,      // in the account's own turn: what takes longer the more partitions, or documents, there are
  kReshaper,    // one after the other: what moves documents
  kStream,      // piece by piece, as the client sends
};

// One endpoint of the server itself.
struct AdminRoute {
  std::string_view method;  // a GET answers HEAD, too
  std::string_view path;    // begins with kAdminPrefix
  Caller caller;
  RunsOn runs_on;
  // With the turn of the worker that it runs on, if it does: in it, what takes long gives way to others. Null: `take` answers.
  void (*answer)(const AdminApi&, const net::HttpRequest&, net::HttpResponse&, Turn*);
  std::span<const std::string_view> older_paths = {};  // answered alike
  bool is_vital = false;  // also over plain http where https is asked for, and with too many connections
  // Takes a body of any size piece by piece, and answers when it is done.
  void (*take)(const AdminApi&, const net::HttpRequest&, net::HttpResponse&, net::HttpDone) = nullptr;
};

// All of them: the only place that says what there is and who may call it.
std::span<const AdminRoute> admin_routes();
// By path and older paths, whatever the method; null: there is none.
const AdminRoute* find_admin_route(std::string_view path);

// AdminApi: what the server answers itself: health, metrics, an overview, the certificate; how an operator watches and changes
// partitions. Decides for every route whether its caller may have it, and where it runs. Thread-safe.
class AdminApi {
 public:
  struct Parts {
    Catalog& catalog;
    Reshaper& reshaper;
    const auth::MasterKeyVerifier& keys;
    const Store& store;
    const StoreWatch& watch;
    const observe::Metrics& metrics;
    FairScheduler* workers = nullptr;     // null: what is theirs is done at once
    const QueryShapes* shapes = nullptr;  // null: nobody notes queries
    const Items* items = nullptr;         // null: nothing can be imported
  };
  struct Terms {
    std::string certificate_pem = {};
    bool is_on_loopback = true;
    std::string metrics_key = {};
    size_t plan_bytes_max = SIZE_MAX;  // of memory for the values of a key that a plan counts
  };
  AdminApi(const Parts& parts, Terms terms) : parts_(parts), terms_(std::move(terms)) {}

  // As net::HttpHandler's. REQUIRES, here and below: the path begins with kOwnPrefix.
  bool streams(const net::HttpRequest& head) const;
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) const;
  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const;

  const Parts& parts() const { return parts_; }
  const Terms& terms() const { return terms_; }
  StreamSlots& stream_slots() const { return stream_slots_; }
  // Held while a plan is made: Terms::plan_bytes_max is for one at a time. kUnavailable while another one is.
  Result<std::unique_lock<std::mutex>> begin_plan() const;

 private:
  // The route, if the request may have it; else null, and the refusal is the answer.
  const AdminRoute* find_allowed(const net::HttpRequest& request, net::HttpResponse& refusal) const;
  // The only place where callers are told apart.
  Status authorize(const AdminRoute& route, const net::HttpRequest& request) const;
  Status authorize_signature(const AdminRoute& route, const net::HttpRequest& request) const;
  bool has_metrics_key(const net::HttpRequest& request) const;
  void run(const AdminRoute& route, const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const;

  Parts parts_;
  Terms terms_;
  mutable StreamSlots stream_slots_;
  mutable std::mutex planning_;
};

// Answers of the routes.

void answer_alive(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
void answer_readiness(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
void answer_metrics(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
void answer_overview(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
void answer_certificate(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// What partitions hold and are asked for; ?history=true: also over the last seconds, minutes and hours; ?sizes=true: also what
// the hottest key values hold.
void answer_statistics(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// ?database=ID&container=ID: a sample of what a container was asked for in the last hour: documents by their rids, queries
// without values. Nothing that a reader of the container could not read there.
void answer_workload(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// ?database=ID&container=ID: all documents, one in a line, and documents in lines, to be stored (document_streams.h).
void answer_export(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
void take_import(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done);
// Every partition's budget of request units begins anew.
void answer_reset_budgets(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// Those under way, with their states.
void answer_reshapes(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// {"database","container","range"}, "at" (a hash) if the cut shall not be found. This and the next two with a "mode" (online,
// readOnly, offline) of the container meanwhile; other than online, it is verified.
void answer_split(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// {"database","container","range"}: the range and its right neighbour.
void answer_merge(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// {"database","container","partitionKey"}
void answer_rekey(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);
// {"database","container"} and what shall be otherwise: "throughput", "partitionKeys" (paths of each), "partitionBytes",
// "merge" (true); answers with a text, or JSON if "json" is true; changes nothing.
void answer_plan(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn);

// Shared by them.

void answer_text(net::HttpResponse& response, int status, std::string_view type, std::string body);
void answer_json(net::HttpResponse& response, const Value& body);
// {"code":"NotFound","message":"..."}; the message may quote bytes of the request that are no text.
void answer_refusal(net::HttpResponse& response, int status, std::string_view message);
void answer_error(net::HttpResponse& response, const Error& error);
void write_report(StoredWriter& out, const ReshapeReport& report);
// The one that the request means with ?database=ID&container=ID.
Result<std::shared_ptr<const Container>> container_in(const AdminApi& api, const net::HttpRequest& request);

}  // namespace partita::server
