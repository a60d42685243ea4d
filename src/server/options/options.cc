#include "server/options/options.h"

#include "server/options/option_parts.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace partita::server {
namespace {

Command command_of(const CLI::App& app) {
  if (app.got_subcommand("serve")) return Command::kServe;
  if (app.got_subcommand("split")) return Command::kSplit;
  if (app.got_subcommand("merge")) return Command::kMerge;
  if (app.got_subcommand("migrate")) return Command::kMigrate;
  if (app.got_subcommand("top")) return Command::kTop;
  if (app.got_subcommand("explain")) return Command::kExplain;
  if (app.got_subcommand("simulate")) return Command::kSimulate;
  if (app.got_subcommand("bench")) return Command::kBench;
  if (app.got_subcommand("plan-split")) return Command::kPlanSplit;
  if (app.got_subcommand("advise")) return Command::kAdvise;
  if (app.got_subcommand("import")) return Command::kImport;
  if (app.got_subcommand("export")) return Command::kExport;
  if (app.got_subcommand("copy")) return Command::kCopy;
  if (app.got_subcommand("query")) return Command::kQuery;
  if (app.got_subcommand("shell")) return Command::kShell;
  return Command::kCheck;
}

// What is wrong with the command line; the library's own words are for programmers.
std::string describe(const CLI::App& app, const CLI::Error& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (app.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return fmt::format("{}; use {}",
                       unknown.empty() ? "no command was given" : fmt::format("unknown command '{}'", unknown.front()),
                       alternatives(names));
  }
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || unknown.empty()) return describe_mistake(error);
  const auto option = std::ranges::find_if(unknown, [](const std::string& text) { return text.starts_with("-"); });
  if (option == unknown.end()) return fmt::format("unexpected argument '{}'", unknown.front());
  return fmt::format("unknown option '{}'", *option);
}

std::string explain_mistake(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  return fmt::format("partita: {}\nRun 'partita {}--help' for more.\n", describe(*app, error),
                     chosen.empty() ? "" : chosen.front()->get_name() + " ");
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  CLI::App app("Partita: a partitioned document database that speaks Azure Cosmos DB's protocol.", "partita");
  app.set_version_flag("--version", fmt::format("partita {}", PARTITA_VERSION));
  app.require_subcommand(1);
  app.failure_message(explain_mistake);
  app.get_formatter()->column_width(34);
  std::string configuration;
  CLI::App& serve = add_serve_options(app, line.serve, configuration);
  add_tool_options(app, line);
  add_advise_options(app, line.advise);
  add_transfer_options(app, line);
  add_bench_options(app, line.bench);
  try {
    std::vector<std::string> arguments = named_first(argc, argv);
    std::ranges::reverse(arguments);  // The library takes them from the end.
    app.parse(std::move(arguments));
    read_configuration(serve, configuration);
    settle_places(app, line);
  } catch (const CLI::ParseError& error) {
    line.exit_code = app.exit(error) == 0 ? 0 : kUsageExitCode;
    return line;
  }
  line.command = command_of(app);
  return line;
}

bool is_loopback(std::string_view address) {
  if (address == "localhost") return true;
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
  in6_addr six{};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

Status check_options(const ServeOptions& options) {
  TRY(check_keys(options));
  if (options.certificate.empty() != options.certificate_key.empty())
    return fail(ErrorCode::kInvalidInput, "--cert and --cert-key must be given together");
  return {};
}

}  // namespace partita::server
