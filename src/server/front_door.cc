#include "server/front_door.h"

#include "observe/log.h"
#include "server/overview.h"

#include <fmt/format.h>

#include <optional>

namespace partita::server {
namespace {

void answer_text(net::HttpResponse& response, int status, std::string_view type, std::string body) {
  response.status = status;
  response.header("Content-Type", type);
  response.body = std::move(body);
}

void answer_json_status(net::HttpResponse& response, int status, std::string_view state, std::string_view reason = {}) {
  std::string body = fmt::format("{{\"status\":\"{}\"", state);
  if (!reason.empty()) {
    std::string safe;
    for (char c : reason) safe += (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') ? '\'' : c;
    body += fmt::format(",\"reason\":\"{}\"", safe);
  }
  answer_text(response, status, "application/json", body + "}\n");
}

}  // namespace

void FrontDoor::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
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

void FrontDoor::answer_own(const net::HttpRequest& request, net::HttpResponse& response) const {
  if (request.path == "/_health/alive") return answer_json_status(response, 200, "alive");
  if (request.path == "/_health/ready" || request.path == "/_health") return answer_readiness(response);
  if (request.path == "/_metrics") return answer_text(response, 200, "text/plain; version=0.0.4", parts_.metrics.text());
  if (shows_overview_ &&
      (request.path == "/_explorer/" || request.path == "/_explorer" || request.path == "/_explorer/index.html")) {
    return answer_text(response, 200, "text/html; charset=utf-8", overview_html(parts_.catalog));
  }
  if (request.path == "/_explorer/emulator.pem") return answer_text(response, 200, "application/x-pem-file", certificate_pem_);
  answer_text(response, 404, "application/json",
              "{\"code\":\"NotFound\",\"message\":\"The server itself answers /_health/alive, /_health/ready, /_metrics, "
              "/_explorer/ (on loopback), /_explorer/emulator.pem and, to operators, /_partita/.\"}\n");
}

void FrontDoor::answer_readiness(net::HttpResponse& response) const {
  if (const auto reason = parts_.store.failure()) return answer_json_status(response, 503, "writes refused", *reason);
  std::string value;
  if (const Result<bool> read = parts_.store.get(Family::kCatalog, "n", value); !read) {
    return answer_json_status(response, 503, "reads fail", read.error().message);
  }
  answer_json_status(response, 200, "ready");
}

}  // namespace partita::server
