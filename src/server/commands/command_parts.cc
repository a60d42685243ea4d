#include "server/commands/command_parts.h"

#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "document/stored/stored_writer.h"
#include "server/admin/admin_api.h"
#include "server/commands/send_signed.h"

#include <fmt/format.h>

#include <cstdio>

namespace partita::server {
namespace {

constexpr size_t kToolCacheBytes = 64UL << 20;

// @name=JSON as an element of the request's parameters.
Status write_parameter(StoredWriter& out, std::string_view parameter) {
  const size_t end = parameter.find('=');
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the parameter '{}' is not of the form @name=JSON: {}", parameter, why));
  };
  if (!parameter.starts_with('@') || end == std::string_view::npos) return refuse("such as @city=\"Oslo\"");
  out.begin_object();
  out.key("name");
  out.string(parameter.substr(0, end));
  out.key("value");
  if (const Status value = read_json(parameter.substr(end + 1), out); !value) return refuse(value.error().message);
  out.end_object();
  return {};
}

}  // namespace

int complain(const Error& error) {
  fmt::print(stderr, "partita: {}\n", terminal_lines(error.message));
  return 1;
}

Result<std::string> query_parameters(const std::vector<std::string>& parameters) {
  StoredWriter out;
  out.begin_array();
  for (const std::string& parameter : parameters) TRY(write_parameter(out, parameter));
  out.end_array();
  return to_json(out.view());
}

std::string computed_properties(const std::vector<std::string>& definitions) {
  if (definitions.empty()) return {};
  StoredWriter out;
  out.begin_array();
  for (const std::string& definition : definitions) {
    const size_t equals = definition.find('=');
    out.begin_object();
    out.key("name");
    out.string(std::string_view(definition).substr(0, equals));
    out.key("query");
    out.string(std::string_view(definition).substr(equals + 1));
    out.end_object();
  }
  out.end_array();
  return out.take();
}

Result<StoredWorld> open_stopped(const std::string& data) {
  TRY(DataDirectory::expect(data));
  return StoredWorld::open(data, {.directory = {}, .cache_bytes = kToolCacheBytes});
}

Result<StoredWorld> open_stopped_to_read(const std::string& data) { return StoredWorld::open_to_read(data, kToolCacheBytes); }

Result<std::string> ask_admin(const EndpointOptions& server, std::string_view method, std::string_view name,
                              std::string_view query, std::string_view body) {
  std::string path = fmt::format("{}{}", kAdminPrefix, name);
  if (!query.empty()) path += fmt::format("?{}", query);
  TRY_ASSIGN(client::Response answer, send_signed(server,
                                                  {.method = std::string(method),
                                                   .path = path,
                                                   .resource_type = std::string(kAdminResourceType),
                                                   .resource_link = std::string(name),
                                                   .body = std::string(body)},
                                                  body.empty() ? kAnswerPatience : kWorkPatience));
  if (answer.status() == 200) return answer.take_body();
  return refusal_in(answer, server);
}

std::unexpected<Error> refusal_in(const client::Response& answer, const EndpointOptions& server) {
  if (answer.status() == 401) {
    return fail(ErrorCode::kUnauthorized,
                fmt::format("{} does not take this key; give the account's key with --key or PARTITA_KEY", server.endpoint));
  }
  return fail(ErrorCode::kUnavailable, fmt::format("the server answered {}: {}{}", answer.status(), failure_of(answer).message,
                                                   answer.status() == 403 ? " (a read-only key may only look)" : ""));
}

}  // namespace partita::server
