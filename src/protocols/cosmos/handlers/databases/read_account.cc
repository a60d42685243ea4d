#include "document/json/json.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

// What the query engines of some clients want to know, as JSON text within the JSON.
constexpr std::string_view kQueryEngineConfiguration =
    R"({"maxSqlQueryInputLength":524288,"maxJoinsPerSqlQuery":10,"maxLogicalAndPerSqlQuery":2000,"maxLogicalOrPerSqlQuery":2000,)"
    R"("maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,"queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,)"
    R"("sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,"sqlAllowScalarSubQuery":true,"allowNewKeywords":true,)"
    R"("sqlAllowLike":true,"sqlAllowGroupByClause":true,"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,"sqlDisableOptimizationFlags":0,)"
    R"("sqlAllowTop":true,"enableSpatialIndexing":true})";
// Not "localhost": @azure/cosmos takes that for an account without locations, and asks for them around every operation.
constexpr std::string_view kAccountId = "partita";
constexpr std::string_view kRegion = "South Central US";

void location(StoredWriter& out, std::string_view list, std::string_view endpoint) {
  out.key(list);
  out.begin_array();
  out.begin_object();
  out.key("name");
  out.string(kRegion);
  out.key("databaseAccountEndpoint");
  out.string(endpoint);
  out.end_object();
  out.end_array();
}

void replication(StoredWriter& out, std::string_view name) {
  out.key(name);
  out.begin_object();
  if (name == "userReplicationPolicy") {
    out.key("asyncReplication");
    out.boolean(false);
  }
  out.key("minReplicaSetSize");
  out.integer(1);
  out.key("maxReplicasetSize");
  out.integer(4);
  out.end_object();
}

// Unless the server was told, the address is the one the client used to get here, whatever ports or names lie in between:
// clients go on with it.
std::string endpoint_for(const Service& service, const Exchange& exchange) {
  if (!service.public_endpoint().empty()) return service.public_endpoint();
  return fmt::format("{}://{}/", exchange.request().is_tls ? "https" : "http", repaired_utf8(exchange.header(header::kHost)));
}

}  // namespace

void read_account(const Service& service, ExchangePtr exchange) {
  const std::string endpoint = endpoint_for(service, *exchange);
  StoredWriter out;
  const auto text = [&](std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
  };
  out.begin_object();
  text("_self", "");
  text("id", kAccountId);
  text("_rid", kAccountId);
  text("media", "//media/");
  text("addresses", "//addresses/");
  text("_dbs", "//dbs/");
  location(out, "writableLocations", endpoint);
  location(out, "readableLocations", endpoint);
  out.key("enableMultipleWriteLocations");
  out.boolean(false);
  out.key("continuousBackupEnabled");
  out.boolean(false);
  replication(out, "userReplicationPolicy");
  out.key("userConsistencyPolicy");
  out.begin_object();
  text("defaultConsistencyLevel", name_of(service.consistency()));
  out.end_object();
  replication(out, "systemReplicationPolicy");
  out.key("readPolicy");
  out.begin_object();
  out.key("primaryReadCoefficient");
  out.integer(1);
  out.key("secondaryReadCoefficient");
  out.integer(1);
  out.end_object();
  text("queryEngineConfiguration", kQueryEngineConfiguration);
  out.end_object();
  net::HttpResponse& response = exchange->response();
  response.header("x-ms-max-media-storage-usage-mb", "10240");
  response.header("x-ms-media-storage-usage-mb", "0");
  response.header("x-ms-databaseaccount-consumed-mb", std::to_string(service.usage().stored_bytes() >> 20));
  // Nothing is reserved in advance.
  response.header("x-ms-databaseaccount-reserved-mb", "0");
  response.header("x-ms-databaseaccount-provisioned-mb", "0");
  exchange->answer_json(200, out.view());
}

}  // namespace partita::cosmos
