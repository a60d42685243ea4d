#include "protocols/cosmos/cors.h"

#include <algorithm>

namespace partita::cosmos {
namespace {

constexpr std::string_view kExposedHeaders =
    "etag,lsn,content-location,x-ms-activity-id,x-ms-alt-content-path,x-ms-content-path,x-ms-continuation,x-ms-cosmos-index-"
    "utilization,"
    "x-ms-cosmos-min-throughput,x-ms-documentdb-partitionkeyrangeid,x-ms-documentdb-query-metrics,x-ms-documentdb-script-log-"
    "results,"
    "x-ms-item-count,x-ms-offer-replace-pending,x-ms-request-charge,x-ms-resource-quota,x-ms-resource-usage,x-ms-retry-after-ms,"
    "x-ms-session-token,x-ms-substatus";
constexpr std::string_view kSecondsToRemember = "86400";

}  // namespace

OriginPolicy::OriginPolicy(std::vector<std::string> origins)
    : origins_(std::move(origins)), has_all_(std::ranges::find(origins_, kAll) != origins_.end()) {}

bool OriginPolicy::names(std::string_view origin) const {
  return has_all_ || std::ranges::find(origins_, origin) != origins_.end();
}

void add_cors_headers(std::string_view origin, net::HttpResponse& response) {
  response.header("Access-Control-Allow-Origin", origin);
  response.header("Access-Control-Expose-Headers", kExposedHeaders);
  response.header("Vary", "Origin");
}

void answer_preflight(const net::HttpRequest& request, net::HttpResponse& response) {
  const std::string_view asked_headers = request.header("access-control-request-headers");
  response.status = 200;
  response.header("Access-Control-Allow-Methods", "GET,POST,PUT,PATCH,DELETE,OPTIONS");
  if (!asked_headers.empty()) response.header("Access-Control-Allow-Headers", asked_headers);
  if (request.header("access-control-request-private-network") == "true") {
    response.header("Access-Control-Allow-Private-Network", "true");
  }
  response.header("Access-Control-Max-Age", kSecondsToRemember);
}

}  // namespace partita::cosmos
