#include "client/resources/containers.h"

#include "base/encodings.h"
#include "client/header_names.h"
#include "client/resources/resource_feeds.h"
#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::client {
namespace {

Request with_throughput(Request request, const Throughput& throughput) {
  if (throughput.manual) request.with(header::kOfferThroughput, std::to_string(*throughput.manual));
  if (throughput.autoscale_max) {
    request.with(header::kOfferAutopilot, fmt::format(R"({{"maxThroughput":{}}})", *throughput.autoscale_max));
  }
  return request;
}

Request database_request(std::string_view method, std::string_view id) {
  return {.method = std::string(method),
          .path = fmt::format("/dbs/{}", percent_encode(id)),
          .resource_type = "dbs",
          .resource_link = fmt::format("dbs/{}", id),
          .is_repeatable = method != "DELETE"};
}

Request container_request(std::string_view method, const ContainerName& name) {
  return {.method = std::string(method), .path = name.path(), .resource_type = "colls", .resource_link = name.link()};
}

Answer<ContainerDefinition> definition_in(const Answer<Response>& response) {
  if (!response) return std::unexpected(response.error());
  TRY_ASSIGN(ContainerDefinition definition, ContainerDefinition::parse(response->body()));
  return definition;
}

}  // namespace

Answer<Response> create_database(const Client& client, std::string_view id, const Throughput& throughput) {
  std::string body = R"({"id":)";
  append_json_string(body, id);
  body += '}';
  return client.send_expecting_success(
      with_throughput({.method = "POST", .path = "/dbs", .resource_type = "dbs", .body = std::move(body)}, throughput));
}

Answer<Response> read_database(const Client& client, std::string_view id) {
  return client.send_expecting_success(database_request("GET", id));
}

Answer<Response> delete_database(const Client& client, std::string_view id) {
  return client.send_expecting_success(database_request("DELETE", id));
}

Answer<std::vector<std::string>> list_databases(const Client& client) {
  std::vector<std::string> ids;
  TRY(read_feed(client, {.path = "/dbs", .resource_type = "dbs"}, "Databases", [&](const Value& database) -> Status {
    if (const Value id = database.find("id"); id.is_string()) ids.emplace_back(id.string());
    return {};
  }));
  return ids;
}

Answer<ContainerDefinition> create_container(const Client& client, std::string_view database,
                                             const ContainerDefinition& definition, const Throughput& throughput) {
  TRY_ASSIGN(std::string body, definition.to_json());
  Request request{.method = "POST",
                  .path = fmt::format("/dbs/{}/colls", percent_encode(database)),
                  .resource_type = "colls",
                  .resource_link = fmt::format("dbs/{}", database),
                  .body = std::move(body)};
  client.forget_session({std::string(database), definition.id});
  return definition_in(client.send_expecting_success(with_throughput(std::move(request), throughput)));
}

Answer<ContainerDefinition> read_container(const Client& client, const ContainerName& name) {
  return definition_in(client.send_expecting_success(container_request("GET", name)));
}

Answer<ContainerDefinition> replace_container(const Client& client, const ContainerName& name, std::string json) {
  Request request = container_request("PUT", name);
  request.body = std::move(json);
  return definition_in(client.send_expecting_success(std::move(request)));
}

Answer<Response> delete_container(const Client& client, const ContainerName& name) {
  client.forget_session(name);
  return client.send_expecting_success(container_request("DELETE", name));
}

Answer<std::vector<ContainerDefinition>> list_containers(const Client& client, std::string_view database) {
  std::vector<ContainerDefinition> containers;
  const Request request{.path = fmt::format("/dbs/{}/colls", percent_encode(database)),
                        .resource_type = "colls",
                        .resource_link = fmt::format("dbs/{}", database)};
  TRY(read_feed(client, request, "DocumentCollections", [&](const Value& container) -> Status {
    TRY_ASSIGN(ContainerDefinition definition, ContainerDefinition::parse(to_json(container)));
    containers.push_back(std::move(definition));
    return {};
  }));
  return containers;
}

}  // namespace partita::client
