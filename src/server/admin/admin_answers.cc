#include "server/admin/admin_api.h"

#include "document/json/json.h"
#include "server/admin/overview.h"
#include "server/admin/statistics.h"

#include <fmt/format.h>

namespace partita::server {
namespace {

void answer_state(net::HttpResponse& response, int status, std::string_view state, std::string_view reason = {}) {
  std::string body = fmt::format("{{\"status\":\"{}\"", state);
  if (!reason.empty()) {
    body += ",\"reason\":";
    append_json_string(body, reason);
  }
  answer_text(response, status, "application/json", body + "}\n");
}

}  // namespace

void answer_alive(const AdminApi& /*api*/, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  answer_state(response, 200, "alive");
}

void answer_readiness(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  if (const auto reason = api.parts().store.failure()) return answer_state(response, 503, "writes refused", *reason);
  if (const auto reason = api.parts().watch.failure()) return answer_state(response, 503, "reads fail", *reason);
  answer_state(response, 200, "ready");
}

void answer_metrics(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  answer_text(response, 200, "text/plain; version=0.0.4", api.parts().metrics.text());
}

// Nothing on the page runs, nothing is loaded, and no other page can have it in a frame.
void answer_overview(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  response.header("Content-Security-Policy",
                  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.header("X-Content-Type-Options", "nosniff");
  response.header("X-Frame-Options", "DENY");
  response.header("Referrer-Policy", "no-referrer");
  response.header("Cross-Origin-Resource-Policy", "same-origin");
  response.header("Cache-Control", "no-store");
  answer_text(response, 200, "text/html; charset=utf-8", overview_html(api.parts().catalog));
}

void answer_certificate(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  answer_text(response, 200, "application/x-pem-file", api.terms().certificate_pem);
}

void answer_statistics(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  StoredWriter out;
  write_statistics(out, api.parts().catalog,
                   {.history = request.query.contains("history=true"), .sizes = request.query.contains("sizes=true")});
  answer_json(response, out.view());
}

void answer_reset_budgets(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  api.parts().catalog.offers().reset_budgets();
  response.status = 204;
}

}  // namespace partita::server
