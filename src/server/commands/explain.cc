#include "server/commands/explain.h"

#include "client/items/item_requests.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/command_parts.h"
#include "server/commands/send_signed.h"
#include "tools/explain/render_explanation.h"

#include <fmt/format.h>

namespace partita::server {

Result<std::string> explain(const ExplainOptions& options) {
  TRY_ASSIGN(const std::string parameters, query_parameters(options.parameters));
  client::Request request =
      client::explained_query_page({options.database, options.container}, {}, client::query_body(options.query, parameters));
  if (const std::string& key = options.partition_key; !key.empty()) {
    request.with(cosmos::header::kPartitionKey, key.starts_with('[') ? key : fmt::format("[{}]", key));
  }
  TRY_ASSIGN(const client::Response answer, send_signed(options.server, std::move(request), kWorkPatience));
  if (answer.status() != 200) return refusal_in(answer, options.server);
  if (options.is_json) return answer.body() + "\n";
  return tools::render_explanation(answer.body());
}

}  // namespace partita::server
