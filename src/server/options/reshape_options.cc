#include "base/encodings.h"
#include "document/key/partition_key.h"
#include "server/options/option_parts.h"

#include <cstdlib>

namespace partita::server {
namespace {

// A directory, or a server that has it open.
CLI::Option* add_place(CLI::App& command, std::string& data, EndpointOptions& server) {
  CLI::Option* directory = command.add_option("--data", data, "The data directory of a stopped server (Env:PARTITA_DATA)");
  directory->capture_default_str();
  command.add_option("--key", server.key, "Account key of the server. Default: the emulator's well-known key")
      ->envname("PARTITA_KEY");
  add_insecure(command, server);
  return command
      .add_option("--endpoint", server.endpoint,
                  "Address of a running server, http:// or https://, instead of --data; its clients are not interrupted "
                  "(Env:PARTITA_ENDPOINT)")
      ->excludes(directory);
}

// A hash, as reports show it.
CLI::Validator hexadecimal() {
  const auto check = [](std::string& input) -> std::string {
    return from_hex(input) ? "" : use_instead(input, "a hash in hexadecimal");
  };
  return {check, "HEX"};
}

// name=SELECT VALUE ... FROM c
CLI::Validator computed_property() {
  const auto check = [](std::string& input) -> std::string {
    const size_t equals = input.find('=');
    const bool is_complete = equals != std::string::npos && equals > 0 && equals + 1 < input.size();
    return is_complete ? "" : use_instead(input, "NAME=QUERY");
  };
  return {check, "NAME=QUERY"};
}

// What splits, merges and migrations have in common.
CLI::App* add_reshape(CLI::App& app, const std::string& name, const std::string& description, ReshapeOptions& options) {
  CLI::App* command = app.add_subcommand(name, description);
  add_place(*command, options.data, options.server);
  command
      ->add_option(
          "--mode", options.mode,
          "What clients of the container can do meanwhile: everything (online), only read (readOnly) or nothing (offline)")
      ->check(one_of({"online", "readOnly", "offline"}))
      ->capture_default_str();
  command->add_flag("--json", options.is_json, "Print the report as JSON");
  add_container(*command, options.database, options.container);
  return command;
}

constexpr const char* kVerification =
    "A data directory is verified afterwards; a running server verifies the documents unless the mode is online.\n";

void add_migrate(CLI::App& app, ReshapeOptions& options) {
  CLI::App* migrate = add_reshape(app, "migrate", "Change the partition key of a container, or give it its first one", options);
  const auto take_paths = [&options](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (std::string& path : partition_key_paths("path", text)) options.paths.push_back(std::move(path));
    }
    if (options.paths.size() > kPartitionKeyPathsMax) {
      throw CLI::ValidationError("path", use_instead(texts.back(), fmt::format("at most {} paths", kPartitionKeyPathsMax)));
    }
    return true;
  };
  migrate
      ->add_option_function<std::vector<std::string>>(
          "path", [take_paths](const std::vector<std::string>& texts) { take_paths(texts); },
          "Path of the new key, such as /tenant; several, such as /tenant,/user, make a hierarchical key")
      ->required()
      ->expected(1, static_cast<int>(kPartitionKeyPathsMax));
  migrate
      ->add_option("--computed", options.computed,
                   "A property that the server computes and stores, which a path names: NAME=SELECT VALUE expression FROM c")
      ->check(computed_property())
      ->allow_extra_args(false)
      ->expected(1, static_cast<int>(kPartitionKeyPathsMax));
  migrate->add_flag("--yes", options.is_confirmed, "Do not ask; needed where there is no terminal to ask on");
  migrate->add_flag("--allow-missing", options.allows_missing, "Migrate although most documents have no value at the new paths");
  migrate->footer(
      std::string("Shows first what the new key would do, which reads every document, and asks. ") +
      "Nothing is changed if\nmost documents have no value at the new paths: all of them would become one key value.\n" +
      kVerification +
      "With --computed the documents get what is computed for them; see docs/synthetic-keys.md.\n"
      "Examples:\n"
      "  partita migrate --endpoint http://localhost:8081/ shop orders /customer\n"
      "  partita migrate fleet telemetry /key --computed \"key=SELECT VALUE CONCAT(c.day, c.vin) FROM c\"\n"
      "  partita migrate --data ./data shop orders /tenant,/user --yes");
}

}  // namespace

void add_reshape_options(CLI::App& app, ReshapeOptions& options) {
  CLI::App* split = add_reshape(app, "split", "Split a physical partition", options);
  split->add_option("range", options.range, "Id of the partition key range")->required();
  split->add_option("--at", options.at, "Hash at which to cut, in hexadecimal. Default: where both halves have the same size")
      ->check(hexadecimal());
  split->footer(std::string(kVerification) +
                "Example:\n"
                "  partita split --endpoint http://localhost:8081/ shop orders 0");
  CLI::App* merge = add_reshape(app, "merge", "Merge a physical partition with its right neighbour", options);
  merge->add_option("range", options.range, "Id of the left partition key range")->required();
  merge->footer(std::string(kVerification) +
                "Example:\n"
                "  partita merge --endpoint http://localhost:8081/ shop orders 3 --mode readOnly");
  add_migrate(app, options);
}

void add_plan_options(CLI::App& app, PlanSplitOptions& options) {
  constexpr int64_t kBytesMax = 1LL << 50;
  CLI::App* plan = app.add_subcommand("plan-split", "Show the effect of another throughput, size limit or partition key");
  add_place(*plan, options.data, options.server);
  plan->add_option("--throughput", options.plan.throughput, "Throughput in RU/s. Default: the present one")
      ->check(between(kThroughputMin, kThroughputMax));
  plan->add_option("--partition-bytes", options.plan.limits.partition_bytes_max,
                   "Split partitions larger than this, such as 50GB or 64MiB")
      ->transform(byte_count())
      ->check(between(1, kBytesMax))
      ->default_str("50GB");
  plan->add_option_function<std::vector<std::string>>(
          "--partition-key",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              options.plan.candidates.push_back(partition_key_paths("--partition-key", text));
            }
          },
          "Another partition key: up to three paths, separated by commas; can be repeated")
      ->allow_extra_args(false)
      ->expected(1, static_cast<int>(tools::kCandidatesMax));
  plan->add_flag("--merge", options.plan.limits.merges, "Merge small neighbouring partitions");
  plan->add_flag("--json", options.is_json, "Print the plan as JSON");
  add_container(*plan, options.plan.database, options.plan.container);
  plan->footer(
      "Reads every document and changes nothing. The server's own code decides where partitions are cut.\n"
      "  from      first hash of the partition\n"
      "  share     share of all bytes\n"
      "  largest   share of the partition's bytes that its largest key value has\n"
      "  RU/s      load in the partition's busiest minute of the last hour, as far as it is known for each key value\n"
      "  used      share of the budget, which is the throughput divided by the number of partitions\n"
      "Several keys are compared side by side at the end.\n"
      "Examples:\n"
      "  partita plan-split --endpoint http://localhost:8081/ shop orders --throughput 25000\n"
      "  partita plan-split --data ./data shop orders --partition-key /city --partition-key /tenant,/user");
}

void settle_places(const CLI::App& app, CommandLine& line) {
  const auto settle = [](const CLI::App& command, std::string& data, EndpointOptions& server) {
    const char* endpoint = std::getenv("PARTITA_ENDPOINT");
    const char* directory = std::getenv("PARTITA_DATA");
    if (command["--endpoint"]->count() > 0 || command["--data"]->count() > 0) return;
    if (endpoint != nullptr && *endpoint != '\0') {
      server.endpoint = endpoint;
    } else if (directory != nullptr && *directory != '\0') {
      data = directory;
    }
  };
  if (app.got_subcommand("plan-split")) settle(*app.get_subcommand("plan-split"), line.plan_split.data, line.plan_split.server);
  for (const char* name : {"split", "merge", "migrate"}) {
    if (!app.got_subcommand(name)) continue;
    const CLI::App& command = *app.get_subcommand(name);
    settle(command, line.reshape.data, line.reshape.server);
    if (command["--mode"]->count() > 0 && line.reshape.server.endpoint.empty()) {
      throw CLI::RequiresError("--mode", "--endpoint");
    }
  }
}

}  // namespace partita::server
