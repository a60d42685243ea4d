#include "server/commands/advise_workload.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "server/admin/admin_api.h"
#include "server/commands/send_signed.h"

#include <fmt/format.h>

namespace partita::server {
namespace {

void note_request(DocumentUses& uses, const Value& request, uint32_t number) {
  const Value units = request.find("requestUnits");
  const Value rids = request.find("rids");
  if (!units.is_number() || !rids.is_array()) return;
  const Value seconds = request.find("unixSeconds");
  const std::optional<int64_t> time = seconds.is_number() ? seconds.integer() : std::nullopt;
  for (size_t at = 0; at < rids.size(); ++at) {
    if (!rids.element(at).is_string()) continue;
    tools::advise::DocumentUse& use = uses[std::string(rids.element(at).string())];
    use.units += units.number() / static_cast<double>(rids.size());
    if (rids.size() > 1) use.transactions.push_back(number);
    // Documents of one transaction are no two requests that met by chance.
    if (time && at == 0) use.times.push_back({.seconds = *time, .units = units.number()});
  }
}

}  // namespace

Result<WorkloadRecord> parse_workload_record(std::string_view json) {
  WorkloadRecord record;
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  const Value answer = Value::view(stored);
  if (!answer.is_object()) return record;
  const Value requests = answer.find("requests");
  for (size_t i = 0; requests.is_array() && i < requests.size(); ++i) {
    if (requests.element(i).is_object()) note_request(record.uses, requests.element(i), static_cast<uint32_t>(i));
  }
  const Value shapes = answer.find("queries");
  for (size_t i = 0; shapes.is_array() && i < shapes.size(); ++i) {
    if (!shapes.element(i).is_object()) continue;
    const Value text = shapes.element(i).find("query");
    const Value pages = shapes.element(i).find("pages");
    if (!text.is_string() || !pages.is_number() || pages.number() <= 0) continue;
    // Without their values some queries are none any more.
    Result<tools::advise::WeighedQuery> query = tools::advise::weigh_query(pages.number(), text.string());
    if (query) record.queries.push_back(std::move(*query));
  }
  return record;
}

Result<WorkloadRecord> read_workload(const AdviseOptions& options) {
  TRY_ASSIGN(const client::Client client, client::Client::create(client_options(options.server)));
  client::Request request{.path = fmt::format("{}workload?database={}&container={}", kAdminPrefix,
                                              percent_encode(options.database), percent_encode(options.container)),
                          .resource_type = std::string(kAdminResourceType),
                          .resource_link = "workload"};
  const client::Answer<client::Response> answer = client.send_expecting_success(std::move(request));
  if (!answer) return WorkloadRecord();
  return parse_workload_record(answer->body());
}

}  // namespace partita::server
