#include "server/front_door.h"

#include "auth/keyed_hash.h"
#include "document/json.h"
#include "document/stored_writer.h"
#include "observe/log.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/overview.h"

#include <fmt/format.h>

#include <time.h>

#include <optional>

namespace partita::server {
namespace {

constexpr size_t kOwnBodyBytesMax = 64 * 1024;

void answer_text(net::HttpResponse& response, int status, std::string_view type, std::string body) {
  response.status = status;
  response.header("Content-Type", type);
  response.body = std::move(body);
}

void answer_json_status(net::HttpResponse& response, int status, std::string_view state, std::string_view reason = {}) {
  std::string body = fmt::format("{{\"status\":\"{}\"", state);
  if (!reason.empty()) {
    body += ",\"reason\":";
    append_json_string(body, reason);
  }
  answer_text(response, status, "application/json", body + "}\n");
}

void answer_refusal(net::HttpResponse& response, int status, std::string_view code, std::string_view message) {
  StoredWriter out;
  out.begin_object();
  out.key("code");
  out.string(code);
  out.key("message");
  out.string(message);
  out.end_object();
  answer_text(response, status, "application/json", to_json(out.view()) + "\n");
}

int64_t processor_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

void FrontDoor::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  if (!terms_.tells_long_requests) return serve(request, response, std::move(done));
  constexpr int64_t kLongMicroseconds = 1000;
  const std::string what = fmt::format("{} {}", request.method, request.path);  // the request may end before this does
  const int64_t began_us = processor_us();
  serve(request, response, std::move(done));
  const int64_t us = processor_us() - began_us;
  if (us >= kLongMicroseconds) spdlog::warn("{} kept a connection's thread busy for {} us", what, us);
}

void FrontDoor::serve(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  if (const std::optional<std::string> why = parts_.guard.refusal(request)) {
    answer_refusal(response, 403, "Forbidden", *why);
    parts_.metrics.count_request(request.method, response.status, 0);
    return done();
  }
  if (request.path.starts_with(kAdminPrefix)) return parts_.reshapes.handle(request, response, std::move(done));
  if (request.path.starts_with("/_")) {
    answer_own(request, response);
    return done();
  }
  // Nobody else is kept waiting when this thread syncs the log itself.
  std::optional<CommitHere> commit;
  if (request.is_alone) commit.emplace(parts_.store);
  const int64_t started_us = parts_.clock.steady_us();
  parts_.account.handle(request, response, [this, started_us, &request, &response, done = std::move(done)]() mutable {
    const double seconds = static_cast<double>(parts_.clock.steady_us() - started_us) / 1e6;
    parts_.metrics.count_request(request.method, response.status, seconds);
    spdlog::debug("{} {} {} {} {:.3f} ms", request.peer_address, request.method, request.path, response.status, seconds * 1000);
    done();
  });
}

net::HttpAdmission FrontDoor::admit(const net::HttpRequest& head, net::HttpResponse& refusal) {
  // The server's own requests have small bodies or none.
  if (head.path.starts_with("/_")) {
    const bool is_admitted = head.announced_bytes.value_or(0) <= kOwnBodyBytesMax;
    if (!is_admitted) answer_text(refusal, 413, "application/json", "{\"code\":\"RequestEntityTooLarge\"}\n");
    return {.is_admitted = is_admitted, .body_bytes_max = kOwnBodyBytesMax};
  }
  const net::HttpAdmission admission = parts_.account.admit(head, refusal);
  if (!admission.is_admitted) parts_.metrics.count_request(head.method, refusal.status, 0);
  return admission;
}

void FrontDoor::answer_own(const net::HttpRequest& request, net::HttpResponse& response) const {
  if (request.path == "/_health/alive") return answer_json_status(response, 200, "alive");
  if (request.path == "/_health/ready" || request.path == "/_health") return answer_readiness(response);
  if (request.path == "/_metrics") return answer_metrics(request, response);
  if (terms_.is_on_loopback &&
      (request.path == "/_explorer/" || request.path == "/_explorer" || request.path == "/_explorer/index.html")) {
    return answer_overview(response);
  }
  if (request.path == "/_explorer/emulator.pem")
    return answer_text(response, 200, "application/x-pem-file", terms_.certificate_pem);
  answer_text(response, 404, "application/json",
              "{\"code\":\"NotFound\",\"message\":\"The server itself answers /_health/alive, /_health/ready, /_metrics, "
              "/_explorer/ (on loopback), /_explorer/emulator.pem and, to operators, /_partita/.\"}\n");
}

bool FrontDoor::may_see_metrics(const net::HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (terms_.is_on_loopback) return true;
  const std::string_view given = request.header(cosmos::header::kAuthorization);
  if (given.size() <= kScheme.size() || !net::equal_without_case(given.substr(0, kScheme.size()), kScheme)) return false;
  const std::string_view key = given.substr(kScheme.size());
  const bool is_metrics_key = !terms_.metrics_key.empty() && auth::equal_in_constant_time(key, terms_.metrics_key);
  return is_metrics_key || parts_.keys.find(key).has_value();
}

void FrontDoor::answer_metrics(const net::HttpRequest& request, net::HttpResponse& response) const {
  if (may_see_metrics(request)) return answer_text(response, 200, "text/plain; version=0.0.4", parts_.metrics.text());
  response.header("WWW-Authenticate", "Bearer");
  answer_refusal(response, 401, "Unauthorized",
                 "Beyond loopback metrics are shown to those who send 'Authorization: Bearer KEY', with the --metrics-key or an "
                 "account key.");
}

// Nothing on the page runs, nothing is loaded, and no other page can have it in a frame.
void FrontDoor::answer_overview(net::HttpResponse& response) const {
  response.header("Content-Security-Policy",
                  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.header("X-Content-Type-Options", "nosniff");
  response.header("X-Frame-Options", "DENY");
  response.header("Referrer-Policy", "no-referrer");
  response.header("Cross-Origin-Resource-Policy", "same-origin");
  response.header("Cache-Control", "no-store");
  answer_text(response, 200, "text/html; charset=utf-8", overview_html(parts_.catalog));
}

void FrontDoor::answer_readiness(net::HttpResponse& response) const {
  if (const auto reason = parts_.store.failure()) return answer_json_status(response, 503, "writes refused", *reason);
  if (const auto reason = parts_.watch.failure()) return answer_json_status(response, 503, "reads fail", *reason);
  answer_json_status(response, 200, "ready");
}

}  // namespace partita::server
