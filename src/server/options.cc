#include "server/options.h"

#include "document/partition_key.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace partita::server {
namespace {

// Gives a URL of scheme and host its trailing slash, as clients expect it. Returns what is wrong with it.
std::string check_endpoint(std::string& url) {
  const size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const size_t host_end = std::min(url.find('/', scheme), url.size());
  if (scheme == 0 || host_end == scheme || url.size() > host_end + 1 || url.find_first_of("?#@ ") != std::string::npos) {
    return fmt::format("'{}' is not a scheme and a host, such as https://db.example.org/", url);
  }
  url.resize(host_end);
  url += '/';
  return {};
}

CLI::App& add_serve(CLI::App& app, ServeOptions& options, std::string& configuration) {
  CLI::App* serve = app.add_subcommand("serve", "Run the server");
  serve->fallthrough();
  serve->add_option("--config", configuration, "A file with `name = value` lines, one per option below (without the dashes)")
      ->envname("PARTITA_CONFIG");
  serve->add_option("--data", options.data, "Directory that holds everything; made if missing")
      ->envname("PARTITA_DATA")
      ->capture_default_str();
  serve->add_option("--port", options.port, "Port for both http and https; 0 takes a free one")
      ->envname("PARTITA_PORT")
      ->capture_default_str();
  serve->add_option("--bind", options.bind, "Address to listen on; 0.0.0.0 for all")
      ->envname("PARTITA_BIND")
      ->capture_default_str();
  serve->add_option("--key", options.key, "Account key (base64). Default: the SDKs' well-known emulator key, on loopback only")
      ->envname("PARTITA_KEY");
  serve->add_option("--secondary-key", options.secondary_key, "Second account key, for changing keys without a pause")
      ->envname("PARTITA_SECONDARY_KEY");
  serve->add_option("--read-only-key", options.read_only_key, "Key that can read only")->envname("PARTITA_READ_ONLY_KEY");
  serve->add_option("--secondary-read-only-key", options.secondary_read_only_key, "Second key that can read only")
      ->envname("PARTITA_SECONDARY_READ_ONLY_KEY");
  serve->add_option("--cert", options.certificate, "Certificate (PEM) to use instead of the self-signed one")
      ->envname("PARTITA_CERT");
  serve->add_option("--cert-key", options.certificate_key, "Private key (PEM) of --cert")->envname("PARTITA_CERT_KEY");
  serve->add_option("--san", options.names, "Further host names or addresses for the self-signed certificate")
      ->envname("PARTITA_SAN")
      ->delimiter(',');
  serve
      ->add_option("--public-endpoint", options.public_endpoint,
                   "Where clients are told to go on, such as https://db.example.org/ behind a proxy that ends TLS. Default: the "
                   "scheme and host that each came with")
      ->envname("PARTITA_PUBLIC_ENDPOINT")
      ->transform(CLI::Validator(check_endpoint, "URL"));
  const std::map<std::string, Durability> durabilities = {{"synced", Durability::kSynced}, {"relaxed", Durability::kRelaxed}};
  serve
      ->add_option("--durability", options.durability,
                   "synced: acknowledged means on disk. relaxed: a crash may lose the last moment; for throw-away runs")
      ->envname("PARTITA_DURABILITY")
      ->transform(CLI::CheckedTransformer(durabilities, CLI::ignore_case))
      ->default_str("synced");
  serve->add_option("--log", options.log, "What to log to standard error: trace, debug (every request), info, warn, error, off")
      ->envname("PARTITA_LOG")
      ->capture_default_str();
  serve->add_option("--threads", options.threads, "Threads that serve connections; 0: one per core that the process may use")
      ->envname("PARTITA_THREADS")
      ->capture_default_str();
  serve
      ->add_option("--cache-mb", options.cache_megabytes,
                   "Memory for cached data, in megabytes; 0: an eighth of what there is, 64 to 4096")
      ->envname("PARTITA_CACHE_MB")
      ->capture_default_str();
  serve
      ->add_option("--partition-bytes-max", options.reshape.partition_bytes_max,
                   "A physical partition with more bytes of documents is split; such as 50GB or 64kb")
      ->envname("PARTITA_PARTITION_BYTES_MAX")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("50GB");
  serve
      ->add_option("--logical-partition-bytes-max", options.logical_partition_bytes_max,
                   "Documents of one partition key value may have this many bytes together; such as 20GB or 64kb")
      ->envname("PARTITA_LOGICAL_PARTITION_BYTES_MAX")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("20GB");
  serve
      ->add_option("--new-partition-throughput", options.new_partition_throughput,
                   "A new container gets a physical partition for each so many RU/s of manual throughput; Azure's has 6000")
      ->envname("PARTITA_NEW_PARTITION_THROUGHPUT")
      ->check(CLI::Range(kThroughputStep, kThroughputPerPartition))
      ->capture_default_str();
  serve
      ->add_flag("--split-by-load", options.reshape.splits_by_load,
                 "Split a physical partition that is throttled while others are not")
      ->envname("PARTITA_SPLIT_BY_LOAD");
  serve
      ->add_flag("--merge-small-partitions", options.reshape.merges,
                 "Merge neighbours that have become small, down to what the throughput needs")
      ->envname("PARTITA_MERGE_SMALL_PARTITIONS");
  std::map<std::string, cosmos::ConsistencyLevel> levels;
  for (int level = 0; level <= static_cast<int>(cosmos::ConsistencyLevel::kEventual); ++level) {
    levels.emplace(name_of(static_cast<cosmos::ConsistencyLevel>(level)), static_cast<cosmos::ConsistencyLevel>(level));
  }
  serve
      ->add_option("--consistency", options.consistency,
                   "The account's level, which requests can only weaken. Strong and BoundedStaleness double the charge of reads")
      ->envname("PARTITA_CONSISTENCY")
      ->transform(CLI::CheckedTransformer(levels, CLI::ignore_case))
      ->default_str("Session");
  serve
      ->add_flag("--no-rate-limit", options.has_no_rate_limit,
                 "Serve whatever is asked for: throughput decides the number of partitions, but nothing is refused with 429")
      ->envname("PARTITA_NO_RATE_LIMIT");
  serve
      ->add_flag("--burst-capacity", options.has_burst_capacity,
                 "Let a partition save up to five idle minutes of its throughput and spend it at up to 3,000 RU/s")
      ->envname("PARTITA_BURST_CAPACITY");
  serve->footer(
      "Examples:\n"
      "  partita serve                                   http(s)://localhost:8081 with data in ./data\n"
      "  partita serve --data /tmp/t --port 0 --durability relaxed   for a test run\n"
      "  partita serve --bind 0.0.0.0 --key \"$(openssl rand -base64 64 | tr -d '\\n')\" --san db.example.org\n"
      "Every option can also be set by an environment variable (PARTITA_DATA, PARTITA_PORT, ...) or in the --config file.\n"
      "SIGTERM and Ctrl-C stop the server cleanly.");
  return *serve;
}

void add_endpoint(CLI::App& command, EndpointOptions& options) {
  command.add_option("--endpoint", options.endpoint, "The server, over plain http")
      ->envname("PARTITA_ENDPOINT")
      ->capture_default_str();
  command.add_option("--key", options.key, "Its account key; a read-only one can look. Default: the well-known one")
      ->envname("PARTITA_KEY");
}

void add_top(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Show what the partitions of a running server hold and are asked for");
  add_endpoint(*top, options.server);
  top->add_flag("--once", options.is_once, "Print it once instead of anew every second");
  top->add_option("--lines", options.lines_max, "Partitions to show, the busiest first")->capture_default_str();
  const std::map<std::string, tools::TopSpan> spans = {
      {"seconds", tools::TopSpan::kSeconds}, {"minutes", tools::TopSpan::kMinutes}, {"hours", tools::TopSpan::kHours}};
  top->add_option("--over", options.span, "What the graphs show: the last twenty seconds, minutes (default) or hours")
      ->transform(CLI::CheckedTransformer(spans))
      ->option_text("seconds|minutes|hours");
  top->footer(
      "RU/s and 429/s are means over the last ten seconds, `used` is the share of the partition's budget; in a graph,\n"
      "the latest at the right, a full block is that budget.\n"
      "Under a partition stand the key values that take a tenth or more of its load.\n"
      "Red partitions are throttled, yellow ones nearly. q ends it; where there is no terminal, it is printed once.");
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain = app.add_subcommand("explain", "Show how a running server executes a query, and what it costs");
  add_endpoint(*explain, options.server);
  explain
      ->add_option("-p,--parameter", options.parameters, "A parameter's value in JSON, such as '@city=\"Oslo\"'; once for each")
      ->allow_extra_args(false)
      ->type_name("@NAME=JSON");
  explain->add_option("--partition-key", options.partition_key,
                      "Ask only the documents of this key, in JSON: '\"ada\"', or '[\"a\",1]' for a hierarchical one");
  explain->add_flag("--json", options.is_json, "Print what the server answers, for programs");
  explain->add_option("database", options.database, "The database's id")->required();
  explain->add_option("container", options.container, "The container's id")->required();
  explain->add_option("query", options.query, "The query's text")->required();
  explain->footer(
      "Runs the first page of the query, which is charged like any other, and prints instead of its rows:\n"
      "  Plan                      its steps, the first at the top; $0 is a document\n"
      "  Documents come from       \"scan\": all of them; else the values that were looked up in the index\n"
      "  Read, Gave, Took, Cost    what was done for the page, and the request units by what they are for\n"
      "  Indexes used              by the filter\n"
      "  Indexes that would help   the indexing policy lacks them; what to add to it\n"
      "Examples:\n"
      "  partita explain shop orders 'SELECT * FROM c WHERE c.total > 100 ORDER BY c.placed'\n"
      "  partita explain shop orders 'SELECT VALUE COUNT(1) FROM c WHERE c.city = @city' -p '@city=\"Oslo\"'\n"
      "  partita explain --partition-key '\"ada\"' shop orders 'SELECT TOP 10 * FROM c ORDER BY c.placed DESC, c.total'");
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate what very many partitions would do under a load");
  tools::SimulationOptions& simulation = options.simulation;
  simulate->add_option("--partitions", options.partitions, "How many, for one simulation each")
      ->delimiter(',')
      ->capture_default_str();
  const std::map<std::string, tools::LoadKind> loads = {
      {"even", tools::LoadKind::kEven}, {"zipf", tools::LoadKind::kZipf}, {"time-series", tools::LoadKind::kTimeSeries}};
  simulate->add_option("--load", simulation.load, "even; zipf: a few key values get most; time-series: the newest gets most")
      ->transform(CLI::CheckedTransformer(loads, CLI::ignore_case))
      ->default_str("zipf");
  simulate->add_option("--use", simulation.use, "What is asked for, as a share of the throughput")->capture_default_str();
  simulate->add_option("--hours", simulation.hours, "How long, in virtual time")->capture_default_str();
  simulate->add_option("--key-values", simulation.key_values_per_partition, "Key values per partition")->capture_default_str();
  simulate->add_option("--partition-bytes", simulation.limits.partition_bytes_max, "A fuller partition is split")
      ->capture_default_str();
  simulate->add_flag("--split-by-load", simulation.limits.splits_by_load,
                     "Split partitions that are throttled while others are not");
  simulate->add_flag("--merge", simulation.limits.merges, "Merge neighbours that are small");
  simulate->add_option("--seed", simulation.seed, "The same seed gives the same report")->capture_default_str();
  simulate->add_option("--threads", options.threads, "0: one per core")->capture_default_str();
  simulate->footer(
      "Containers of up to 100 partitions with 10,000 RU/s each; half of the units write. Hashes, budgets and the decisions to "
      "split or merge\n"
      "are those of the server. by size, by RU/s, by load: splits; no cut: splits that could not have helped; moved: bytes "
      "copied by splits and\n"
      "merges; throttled: share of what was asked for; load, bytes: the busiest and the fullest partition relative to its "
      "container's mean.");
}

// A directory, or a server that has it open.
CLI::Option* add_place(CLI::App& command, std::string& data, EndpointOptions& server) {
  command.add_option("--data", data, "The data directory of a stopped server")->envname("PARTITA_DATA")->capture_default_str();
  command.add_option("--key", server.key, "Its account key. Default: the well-known one")->envname("PARTITA_KEY");
  return command.add_option("--endpoint", server.endpoint, "A running server instead, over plain http; clients go on");
}

void add_plan_split(CLI::App& app, PlanSplitOptions& options) {
  CLI::App* plan = app.add_subcommand("plan-split", "Show what a throughput, a limit or another partition key would do");
  add_place(*plan, options.data, options.server);
  plan->add_option("--throughput", options.plan.throughput, "RU/s; default: the present ones");
  plan->add_option("--partition-bytes", options.plan.limits.partition_bytes_max, "A fuller partition is split")
      ->capture_default_str();
  plan->add_option("--partition-key", options.plan.partition_key, "Another partition key: up to three paths, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  plan->add_flag("--merge", options.plan.limits.merges, "Merge neighbours that are small");
  plan->add_option("database", options.plan.database, "The database's id")->required();
  plan->add_option("container", options.plan.container, "The container's id")->required();
  plan->footer(
      "Reads every document, changes nothing. Where partitions are cut is decided by the same code as in the server.\n"
      "  hashes from   where the partition begins; share: of all bytes; largest key: its share of the partition's bytes\n"
      "  RU/s          what was used in the partition's busiest minute of the last hour, as far as known of each key value;\n"
      "                under another partition key, documents take it along\n"
      "  used          of the budget, which is the throughput divided by the number of partitions\n"
      "Examples:\n"
      "  partita plan-split --endpoint http://localhost:8081/ shop orders --throughput 25000\n"
      "  partita plan-split --data ./data shop orders --partition-key /tenant,/user");
}

// What splits, merges and migrations have in common.
CLI::App* add_reshape(CLI::App& app, const std::string& name, const std::string& description, ReshapeOptions& options) {
  CLI::App* command = app.add_subcommand(name, description);
  CLI::Option* endpoint = add_place(*command, options.data, options.server);
  command->add_option("--mode", options.mode, "What clients of the container can do meanwhile: online, readOnly, offline")
      ->check(CLI::IsMember({"online", "readOnly", "offline"}))
      ->capture_default_str()
      ->needs(endpoint);
  command->add_option("database", options.database, "The database's id")->required();
  command->add_option("container", options.container, "The container's id")->required();
  return command;
}

void add_reshapes(CLI::App& app, ReshapeOptions& options) {
  constexpr const char* kFooter =
      "In a directory, everything is verified afterwards; a running server verifies unless the mode is online.";
  CLI::App* split = add_reshape(app, "split", "Split a physical partition", options);
  split->add_option("range", options.range, "The partition key range's id")->required();
  split->add_option("--at", options.at, "Where to cut, a hash in hexadecimal. Default: where both halves have as many bytes");
  split->footer(kFooter);
  CLI::App* merge = add_reshape(app, "merge", "Merge a physical partition with its right neighbour", options);
  merge->add_option("range", options.range, "The left partition key range's id")->required();
  merge->footer(kFooter);
  CLI::App* migrate = add_reshape(app, "migrate", "Give a container another partition key, or a first one", options);
  migrate->add_option("path", options.paths, "The new key's path such as /tenant; several for a hierarchical key")
      ->required()
      ->expected(1, static_cast<int>(kPartitionKeyPathsMax));
  migrate->footer(kFooter);
}

Command command_of(const CLI::App& app) {
  if (app.got_subcommand("serve")) return Command::kServe;
  if (app.got_subcommand("split")) return Command::kSplit;
  if (app.got_subcommand("merge")) return Command::kMerge;
  if (app.got_subcommand("migrate")) return Command::kMigrate;
  if (app.got_subcommand("top")) return Command::kTop;
  if (app.got_subcommand("explain")) return Command::kExplain;
  if (app.got_subcommand("simulate")) return Command::kSimulate;
  if (app.got_subcommand("plan-split")) return Command::kPlanSplit;
  return Command::kCheck;
}

// After command line and environment: the file counts only where they say nothing.
void read_configuration(CLI::App& serve, const std::string& path) {
  if (path.empty()) return;
  for (const CLI::ConfigItem& item : serve.get_config_formatter()->from_file(path)) {
    CLI::Option* option = serve.get_option_no_throw("--" + item.fullname());
    if (option == nullptr) throw CLI::ConfigError::Extras(item.fullname());
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  CLI::App app("Partita: a partitioned document database that speaks Azure Cosmos DB's protocol.", "partita");
  app.set_version_flag("--version", fmt::format("partita {}", PARTITA_VERSION));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  std::string configuration;
  CLI::App& serve = add_serve(app, line.serve, configuration);
  CLI::App* check = app.add_subcommand("check", "Verify that everything in a data directory is consistent (server stopped)");
  check->add_option("--data", line.check.data, "The data directory")->envname("PARTITA_DATA")->capture_default_str();
  check->footer(
      "Compares documents, primary keys, index entries, change records and counters, and verifies checksums.\nExit code 0: "
      "nothing is wrong.");
  add_reshapes(app, line.reshape);
  add_top(app, line.top);
  add_explain(app, line.explain);
  add_simulate(app, line.simulate);
  add_plan_split(app, line.plan_split);
  try {
    app.parse(argc, argv);
    read_configuration(serve, configuration);
  } catch (const CLI::ParseError& error) {
    line.exit_code = app.exit(error);
    return line;
  }
  line.command = command_of(app);
  return line;
}

bool is_loopback(std::string_view address) { return address == "localhost" || address == "::1" || address.starts_with("127."); }

Status check_options(const ServeOptions& options) {
  if (options.key == kWellKnownKey && !is_loopback(options.bind)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("everybody knows the default key, so it is not accepted beyond loopback (--bind {}). "
                            "Give a key of your own, for example: --key \"$(openssl rand -base64 64 | tr -d '\\n')\"",
                            options.bind));
  }
  if (options.certificate.empty() != options.certificate_key.empty())
    return fail(ErrorCode::kInvalidInput, "--cert and --cert-key belong together; one is missing");
  return {};
}

}  // namespace partita::server
