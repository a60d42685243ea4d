#include "server/commands/explain.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/send_signed.h"
#include "tools/explain/render_explanation.h"

#include <fmt/format.h>

namespace partita::server {
namespace {

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

Result<std::string> body_of(const ExplainOptions& options) {
  StoredWriter out;
  out.begin_object();
  out.key("query");
  out.string(options.query);
  out.key("parameters");
  out.begin_array();
  for (const std::string& parameter : options.parameters) TRY(write_parameter(out, parameter));
  out.end_array();
  out.end_object();
  return to_json(out.view());
}

// What the server says is wrong, without the JSON around it.
std::string reason_in(const std::string& body) {
  const Result<std::string> stored = stored_from_json(body);
  if (!stored) return body;
  const Value message = Value::view(*stored).find("message");
  return message.is_string() ? std::string(message.string()) : body;
}

}  // namespace

Result<std::string> explain(const ExplainOptions& options) {
  TRY_ASSIGN(const std::string body, body_of(options));
  const std::string link = fmt::format("dbs/{}/colls/{}", options.database, options.container);
  const std::string path =
      fmt::format("/dbs/{}/colls/{}/docs", percent_encode(options.database), percent_encode(options.container));
  net::ClientRequest request{.method = "POST",
                             .path = path,
                             .headers = {{std::string(cosmos::header::kIsQuery), "true"},
                                         {std::string(cosmos::header::kEnableCrossPartition), "true"},
                                         {std::string(cosmos::header::kExplain), "true"},
                                         {"content-type", "application/query+json"}},
                             .body = body,
                             .patience_seconds = 0};
  if (const std::string& key = options.partition_key; !key.empty()) {
    request.headers.emplace_back(cosmos::header::kPartitionKey, key.starts_with('[') ? key : fmt::format("[{}]", key));
  }
  TRY_ASSIGN(net::HttpAnswer answer, send_signed(options.server, {.type = "docs", .link = link}, std::move(request)));
  if (answer.status != 200) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the server answered {}: {}", answer.status, reason_in(answer.body)));
  }
  if (options.is_json) return answer.body + "\n";
  return tools::render_explanation(answer.body);
}

}  // namespace partita::server
