#include "server/commands/command_parts.h"
#include "server/commands/commands.h"
#include "server/commands/send_signed.h"
#include "tools/shell/shell.h"

namespace partita::server {

int run_query(const ShellCommandOptions& options) {
  const Result<std::string> parameters = query_parameters(options.parameters);
  if (!parameters) return complain(parameters.error());
  return tools::run_query_command({.client = client_options(options.server, kWorkPatience),
                                   .database = options.database,
                                   .container = options.container,
                                   .text = options.query,
                                   .parameters = *parameters,
                                   .partition_key = options.partition_key,
                                   .format = options.is_json ? tools::RowFormat::kJson : options.format,
                                   .shows_charge = options.shows_charge});
}

int run_shell(const ShellCommandOptions& options) {
  return tools::run_shell({.client = client_options(options.server, kWorkPatience),
                           .database = options.database,
                           .container = options.container,
                           .format = options.format});
}

}  // namespace partita::server
