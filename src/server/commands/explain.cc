#include "server/commands/explain.h"

#include "client/items/item_requests.h"
#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/command_parts.h"
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

}  // namespace

Result<std::string> explain(const ExplainOptions& options) {
  TRY_ASSIGN(const std::string body, body_of(options));
  client::Request request = client::query_page({options.database, options.container}, {}, body);
  request.with(cosmos::header::kExplain, "true");
  if (const std::string& key = options.partition_key; !key.empty()) {
    request.with(cosmos::header::kPartitionKey, key.starts_with('[') ? key : fmt::format("[{}]", key));
  }
  TRY_ASSIGN(const client::Response answer, send_signed(options.server, std::move(request), kWorkPatience));
  if (answer.status() != 200) return refusal_in(answer, options.server);
  if (options.is_json) return answer.body() + "\n";
  return tools::render_explanation(answer.body());
}

}  // namespace partita::server
