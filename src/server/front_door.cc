#include "server/front_door.h"

#include "observe/event_log.h"
#include "observe/log.h"

#include <fmt/format.h>

#include <time.h>

#include <optional>
#include <string>

namespace partita::server {
namespace {

int64_t processor_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

void FrontDoor::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  if (!tells_long_requests_) return serve(request, response, std::move(done));
  constexpr int64_t kLongMicroseconds = 1000;
  const std::string what =
      fmt::format("{} {}", request.method, observe::escaped_for_log(request.path));  // the request may end before this does
  const int64_t began_us = processor_us();
  serve(request, response, std::move(done));
  const int64_t us = processor_us() - began_us;
  if (us >= kLongMicroseconds) spdlog::warn("{} kept a connection's thread busy for {} us", what, us);
}

void FrontDoor::serve(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  if (const std::optional<std::string> why = parts_.guard.refusal(request)) {
    answer_refusal(response, 403, *why);
    parts_.metrics.count_request(request.method, response.status, 0);
    return done();
  }
  if (request.path.starts_with(kOwnPrefix)) return parts_.admin.handle(request, response, std::move(done));
  const int64_t started_us = parts_.clock.steady_us();
  parts_.account.handle(request, response, [this, started_us, &request, &response, done = std::move(done)]() mutable {
    const double seconds = static_cast<double>(parts_.clock.steady_us() - started_us) / 1e6;
    parts_.metrics.count_request(request.method, response.status, seconds);
    if (spdlog::should_log(spdlog::level::debug)) {
      spdlog::debug("{} {} {} {} {:.3f} ms", request.peer_address, request.method, observe::escaped_for_log(request.path),
                    response.status, seconds * 1000);
    }
    done();
  });
}

net::HttpAdmission FrontDoor::admit(const net::HttpRequest& head, net::HttpResponse& refusal) {
  if (head.path.starts_with(kOwnPrefix)) return parts_.admin.admit(head, refusal);
  const net::HttpAdmission admission = parts_.account.admit(head, refusal);
  if (!admission.is_admitted) parts_.metrics.count_request(head.method, refusal.status, 0);
  return admission;
}

bool FrontDoor::is_vital(const net::HttpRequest& request) const {
  const AdminRoute* route = find_admin_route(request.path);
  return route != nullptr && route->is_vital;
}

}  // namespace partita::server
