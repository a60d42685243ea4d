#include "server/admin/admin_api.h"

#include "auth/authorization_token.h"
#include "auth/keyed_hash.h"
#include "base/encodings.h"
#include "document/json/json.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/worker_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace partita::server {
namespace {

using Paths = std::string_view[];

constexpr Paths kOlderReady = {"/_health", "/_health/ready", "/_partita/health"};
constexpr Paths kOlderAlive = {"/_health/alive"};
constexpr Paths kOlderMetrics = {"/_metrics"};
constexpr Paths kOlderOverview = {"/_explorer/", "/_explorer", "/_explorer/index.html"};
constexpr Paths kOlderCertificate = {"/_explorer/emulator.pem"};  // where scripts expect it

constexpr std::array kRoutes = {
    AdminRoute{"GET", "/_partita/health/ready", Caller::kAnyone, RunsOn::kConnection, answer_readiness, kOlderReady, true},
    AdminRoute{"GET", "/_partita/health/alive", Caller::kAnyone, RunsOn::kConnection, answer_alive, kOlderAlive, true},
    AdminRoute{"GET", "/_partita/certificate", Caller::kAnyone, RunsOn::kConnection, answer_certificate, kOlderCertificate},
    AdminRoute{"GET", "/_partita/metrics", Caller::kMetricsReader, RunsOn::kWorker, answer_metrics, kOlderMetrics},
    AdminRoute{"GET", "/_partita/overview", Caller::kAnyoneOnLoopback, RunsOn::kWorker, answer_overview, kOlderOverview},
    AdminRoute{"GET", "/_partita/statistics", Caller::kReader, RunsOn::kWorker, answer_statistics},
    AdminRoute{"GET", "/_partita/reshapes", Caller::kReader, RunsOn::kWorker, answer_reshapes},
    AdminRoute{"GET", "/_partita/workload", Caller::kReader, RunsOn::kWorker, answer_workload},
    AdminRoute{"GET", "/_partita/export", Caller::kReader, RunsOn::kConnection, answer_export},
    AdminRoute{.method = "POST",
               .path = "/_partita/import",
               .caller = Caller::kWriter,
               .runs_on = RunsOn::kStream,
               .answer = nullptr,
               .take = take_import},
    AdminRoute{"POST", "/_partita/reset-budgets", Caller::kWriter, RunsOn::kWorker, answer_reset_budgets},
    AdminRoute{"POST", "/_partita/split", Caller::kWriter, RunsOn::kReshaper, answer_split},
    AdminRoute{"POST", "/_partita/merge", Caller::kWriter, RunsOn::kReshaper, answer_merge},
    AdminRoute{"POST", "/_partita/rekey", Caller::kWriter, RunsOn::kReshaper, answer_rekey},
    AdminRoute{"POST", "/_partita/plan", Caller::kWriter, RunsOn::kWorker, answer_plan},
};

// Of what has no need of more: orders are short.
constexpr size_t kBodyBytesMax = 64 * 1024;

bool is_method(const AdminRoute& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized: return 401;
    case ErrorCode::kForbidden:
    case ErrorCode::kLogicalPartitionFull:
    case ErrorCode::kAuthorizationExpired: return 403;
    case ErrorCode::kPartitionKeyMismatch:
    case ErrorCode::kInvalidInput: return 400;
    case ErrorCode::kTooLarge: return 413;
    case ErrorCode::kThrottled: return 429;
    case ErrorCode::kNotFound:
    case ErrorCode::kOwnerNotFound:
    case ErrorCode::kPartitionGone: return 404;
    case ErrorCode::kAlreadyExists: return 409;
    default: return 503;
  }
}

std::string_view code_of(int status) {
  switch (status) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 409: return "Conflict";
    case 413: return "RequestEntityTooLarge";
    case 429: return "TooManyRequests";
    default: return "ServiceUnavailable";
  }
}

std::string no_such_route(const net::HttpRequest& request) {
  return fmt::format(
      "There is no {} {}. The server itself answers /_health/alive, /_health/ready, /_metrics, /_explorer/ (on loopback), "
      "/_explorer/emulator.pem and, to operators, {}.",
      request.method, request.path, kAdminPrefix);
}

}  // namespace

std::span<const AdminRoute> admin_routes() { return kRoutes; }

const AdminRoute* find_admin_route(std::string_view path) {
  for (const AdminRoute& route : kRoutes) {
    if (route.path == path || std::ranges::find(route.older_paths, path) != route.older_paths.end()) return &route;
  }
  return nullptr;
}

void answer_text(net::HttpResponse& response, int status, std::string_view type, std::string body) {
  response.status = status;
  response.header("Content-Type", type);
  response.body = std::move(body);
}

void answer_json(net::HttpResponse& response, const Value& body) {
  answer_text(response, 200, "application/json", to_json(body) + "\n");
}

void answer_refusal(net::HttpResponse& response, int status, std::string_view message) {
  std::string body = fmt::format("{{\"code\":\"{}\",\"message\":", code_of(status));
  append_json_string(body, message);
  answer_text(response, status, "application/json", body + "}\n");
}

void answer_error(net::HttpResponse& response, const Error& error) {
  answer_refusal(response, status_of(error.code), error.message);
}

bool AdminApi::streams(const net::HttpRequest& head) const {
  const AdminRoute* route = find_admin_route(head.path);
  return route != nullptr && route->take != nullptr && is_method(*route, head.method);
}

net::HttpAdmission AdminApi::admit(const net::HttpRequest& head, net::HttpResponse& refusal) const {
  if (streams(head)) return {.is_admitted = find_allowed(head, refusal) != nullptr};
  const bool is_admitted = head.announced_bytes.value_or(0) <= kBodyBytesMax;
  if (!is_admitted) answer_refusal(refusal, 413, fmt::format("The body is larger than {} bytes.", kBodyBytesMax));
  return {.is_admitted = is_admitted, .body_bytes_max = kBodyBytesMax};
}

Result<std::unique_lock<std::mutex>> AdminApi::begin_plan() const {
  std::unique_lock planning(planning_, std::try_to_lock);
  if (planning) return planning;
  return fail(ErrorCode::kUnavailable, "Another plan is being made; try again later.");
}

void AdminApi::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const {
  const AdminRoute* route = find_allowed(request, response);
  if (route == nullptr) return done();
  run(*route, request, response, std::move(done));
}

const AdminRoute* AdminApi::find_allowed(const net::HttpRequest& request, net::HttpResponse& refusal) const {
  const AdminRoute* route = find_admin_route(request.path);
  if (route != nullptr && route->caller == Caller::kAnyoneOnLoopback && !terms_.is_on_loopback) route = nullptr;
  if (route == nullptr) {
    answer_refusal(refusal, 404, no_such_route(request));
    return nullptr;
  }
  if (!is_method(*route, request.method)) {
    refusal.header("Allow", route->method);
    answer_refusal(refusal, 405, fmt::format("{} is answered to {} only.", route->path, route->method));
    return nullptr;
  }
  if (Status verdict = authorize(*route, request); !verdict) {
    if (route->caller == Caller::kMetricsReader) refusal.header("WWW-Authenticate", "Bearer");
    answer_error(refusal, verdict.error());
    return nullptr;
  }
  return route;
}

Status AdminApi::authorize(const AdminRoute& route, const net::HttpRequest& request) const {
  switch (route.caller) {
    case Caller::kAnyone:
    case Caller::kAnyoneOnLoopback: return {};
    case Caller::kMetricsReader:
      if (terms_.is_on_loopback || has_metrics_key(request)) return {};
      return fail(ErrorCode::kUnauthorized,
                  "Beyond loopback metrics are shown to those who send 'Authorization: Bearer KEY', with the --metrics-key or an "
                  "account key.");
    case Caller::kReader:
    case Caller::kWriter: return authorize_signature(route, request);
  }
  return fail(ErrorCode::kForbidden, "Nobody may call this.");
}

Status AdminApi::authorize_signature(const AdminRoute& route, const net::HttpRequest& request) const {
  TRY_ASSIGN(const auth::AuthorizationToken token,
             auth::parse_authorization_token(request.header(cosmos::header::kAuthorization)));
  const std::optional<std::string> signature = from_base64(token.signature);
  if (token.type != auth::TokenType::kMaster || !signature) {
    return fail(ErrorCode::kUnauthorized, "Only requests signed with an account key (type=master) are accepted.");
  }
  const std::array spellings = {auth::SignedResource{.type = kAdminResourceType, .link = route.path.substr(kAdminPrefix.size())}};
  const auth::SignedRequest signed_request{.verb = request.method,
                                           .client_date = request.header(cosmos::header::kClientDate),
                                           .date = request.header(cosmos::header::kDate)};
  TRY_ASSIGN(const auth::KeyKind kind, parts_.keys.verify(signed_request, spellings, *signature));
  if (kind == auth::KeyKind::kReadOnly && route.caller != Caller::kReader) {
    return fail(ErrorCode::kForbidden, "The request was signed with a read-only key, which can only read.");
  }
  return {};
}

bool AdminApi::has_metrics_key(const net::HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view given = request.header(cosmos::header::kAuthorization);
  if (given.size() <= kScheme.size() || !net::equal_without_case(given.substr(0, kScheme.size()), kScheme)) return false;
  const std::string_view key = given.substr(kScheme.size());
  const bool is_metrics_key = !terms_.metrics_key.empty() && auth::equal_in_constant_time(key, terms_.metrics_key);
  return is_metrics_key || parts_.keys.keyring().find(key).has_value();
}

void AdminApi::run(const AdminRoute& route, const net::HttpRequest& request, net::HttpResponse& response,
                   net::HttpDone done) const {
  const auto answer = [this, &route, &request, &response](Turn* turn) { route.answer(*this, request, response, turn); };
  switch (route.runs_on) {
    case RunsOn::kConnection: answer(nullptr); return done();
    case RunsOn::kWorker:
      return answer_by_worker(parts_.workers, request, std::move(done), answer,
                              [&response](const Error& error) { answer_error(response, error); });
    case RunsOn::kStream: return route.take(*this, request, response, std::move(done));
    case RunsOn::kReshaper: break;
  }
  // Shared, because a refused task is still needed to say so.
  auto told = std::make_shared<net::HttpDone>(std::move(done));
  std::move_only_function<void()> task = [answer, told, &request, &response] {
    const bool is_abandoned = request.is_abandoned != nullptr && request.is_abandoned->load(std::memory_order_relaxed);
    if (is_abandoned) {
      answer_error(response, {ErrorCode::kUnavailable, "The client is gone."});
    } else {
      answer(nullptr);
    }
    (*told)();
  };
  if (parts_.reshaper.post(task)) return;
  answer_error(response, {ErrorCode::kUnavailable, "Too many orders wait already; try again later."});
  (*told)();
}

}  // namespace partita::server
