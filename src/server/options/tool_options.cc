#include "document/key/partition_key.h"
#include "server/options/option_parts.h"

namespace partita::server {
namespace {

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Verify the data directory of a stopped server");
  check->add_option("--data", options.data, "The data directory")->envname("PARTITA_DATA")->capture_default_str();
  check->add_flag("--repair", options.repairs,
                  "First drop what the logs have lost, so that the server can start again. Work on a copy");
  check->footer(
      "Checks that the logs contain every acknowledged write, verifies checksums, and compares documents, primary keys,\n"
      "index entries, change records and counters. Nothing is changed without --repair; the disk may be read-only or full.\n"
      "The exit code is 0 if nothing is wrong.");
}

void add_endpoint(CLI::App& command, EndpointOptions& options) {
  command.add_option("--endpoint", options.endpoint, "Address of the server, over plain http")
      ->envname("PARTITA_ENDPOINT")
      ->capture_default_str();
  command
      .add_option("--key", options.key, "Account key; a read-only key is enough to read. Default: the emulator's well-known key")
      ->envname("PARTITA_KEY");
}

void add_top(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Show the size and load of each partition of a running server");
  add_endpoint(*top, options.server);
  top->add_flag("--once", options.is_once, "Print once instead of every second");
  top->add_option("--lines", options.lines_max, "Number of partitions to show, the busiest first")->capture_default_str();
  const std::map<std::string, tools::TopSpan> spans = {
      {"seconds", tools::TopSpan::kSeconds}, {"minutes", tools::TopSpan::kMinutes}, {"hours", tools::TopSpan::kHours}};
  top->add_option("--over", options.span, "Period of the graphs: the last twenty seconds, minutes (default) or hours")
      ->transform(choice(spans))
      ->option_text("seconds|minutes|hours");
  top->footer(
      "RU/s and 429/s are means over the last ten seconds; `used` is the share of the partition's budget. In a graph the\n"
      "latest value is on the right, and a full block is the whole budget.\n"
      "Key values that take a tenth or more of a partition's load are listed below it.\n"
      "Red partitions are throttled, yellow ones nearly. Press q to quit. Without a terminal it prints once.");
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain = app.add_subcommand("explain", "Show how a running server executes a query, and what it costs");
  add_endpoint(*explain, options.server);
  explain
      ->add_option("-p,--parameter", options.parameters,
                   "Value of a parameter in JSON, such as '@city=\"Oslo\"'; can be repeated")
      ->allow_extra_args(false)
      ->type_name("@NAME=JSON");
  explain->add_option("--partition-key", options.partition_key,
                      "Query only this partition key, in JSON: '\"ada\"', or '[\"a\",1]' for a hierarchical key");
  explain->add_flag("--json", options.is_json, "Print the server's answer as JSON");
  explain->add_option("database", options.database, "Id of the database")->required();
  explain->add_option("container", options.container, "Id of the container")->required();
  explain->add_option("query", options.query, "Text of the query")->required();
  explain->footer(
      "Runs the first page of the query, which is charged as usual, and prints, instead of the rows:\n"
      "  Plan                      the steps, the first at the top; $0 is a document\n"
      "  Documents come from       the values looked up in the index, or \"scan\" if all documents were read\n"
      "  Read, Gave, Took, Cost    the work done for the page, and its request units by kind of work\n"
      "  Indexes used              indexes that the filter used\n"
      "  Indexes that would help   what to add to the indexing policy\n"
      "Examples:\n"
      "  partita explain shop orders 'SELECT * FROM c WHERE c.total > 100 ORDER BY c.placed'\n"
      "  partita explain shop orders 'SELECT VALUE COUNT(1) FROM c WHERE c.city = @city' -p '@city=\"Oslo\"'\n"
      "  partita explain --partition-key '\"ada\"' shop orders 'SELECT TOP 10 * FROM c ORDER BY c.placed DESC, c.total'");
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate how many partitions behave under a load");
  tools::SimulationOptions& simulation = options.simulation;
  simulate->add_option("--partitions", options.partitions, "Number of partitions; several numbers run one simulation each")
      ->delimiter(',')
      ->capture_default_str();
  const std::map<std::string, tools::LoadKind> loads = {
      {"even", tools::LoadKind::kEven}, {"zipf", tools::LoadKind::kZipf}, {"time-series", tools::LoadKind::kTimeSeries}};
  simulate
      ->add_option("--load", simulation.load,
                   "even; zipf (few key values get most of the load); or time-series (the newest gets most)")
      ->transform(choice(loads))
      ->default_str("zipf");
  simulate->add_option("--use", simulation.use, "Load, as a share of the throughput")->capture_default_str();
  simulate->add_option("--hours", simulation.hours, "Simulated hours")->capture_default_str();
  simulate->add_option("--key-values", simulation.key_values_per_partition, "Number of key values per partition")
      ->capture_default_str();
  simulate->add_option("--partition-bytes", simulation.limits.partition_bytes_max, "Split partitions larger than this")
      ->capture_default_str();
  simulate->add_flag("--split-by-load", simulation.limits.splits_by_load,
                     "Split partitions that are throttled while others are not");
  simulate->add_flag("--merge", simulation.limits.merges, "Merge small neighbouring partitions");
  simulate->add_option("--seed", simulation.seed, "Seed of the random numbers; the same seed gives the same report")
      ->capture_default_str();
  simulate->add_option("--threads", options.threads, "Number of threads; 0 means one per core")->capture_default_str();
  simulate->footer(
      "Simulates containers of up to 100 partitions with 10,000 RU/s each; half of the request units are writes. Hashes,\n"
      "budgets and the decisions to split or merge are the server's own.\n"
      "  by size, by RU/s, by load   splits, by their reason\n"
      "  no cut                      splits that were not made because they could not have helped\n"
      "  moved                       bytes copied by splits and merges\n"
      "  throttled                   share of the load that was refused\n"
      "  load, bytes                 the busiest and the largest partition, relative to the mean of its container");
}

// A directory, or a server that has it open.
CLI::Option* add_place(CLI::App& command, std::string& data, EndpointOptions& server) {
  command.add_option("--data", data, "The data directory of a stopped server")->envname("PARTITA_DATA")->capture_default_str();
  command.add_option("--key", server.key, "Account key of the server. Default: the emulator's well-known key")
      ->envname("PARTITA_KEY");
  return command.add_option("--endpoint", server.endpoint,
                            "Address of a running server, over plain http, instead of --data; its clients are not interrupted");
}

void add_plan_split(CLI::App& app, PlanSplitOptions& options) {
  CLI::App* plan = app.add_subcommand("plan-split", "Show the effect of another throughput, size limit or partition key");
  add_place(*plan, options.data, options.server);
  plan->add_option("--throughput", options.plan.throughput, "Throughput in RU/s. Default: the present one");
  plan->add_option("--partition-bytes", options.plan.limits.partition_bytes_max, "Split partitions larger than this")
      ->capture_default_str();
  plan->add_option("--partition-key", options.plan.partition_key, "Another partition key: up to three paths, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  plan->add_flag("--merge", options.plan.limits.merges, "Merge small neighbouring partitions");
  plan->add_option("database", options.plan.database, "Id of the database")->required();
  plan->add_option("container", options.plan.container, "Id of the container")->required();
  plan->footer(
      "Reads every document and changes nothing. The server's own code decides where partitions are cut.\n"
      "  hashes from   first hash of the partition\n"
      "  share         share of all bytes\n"
      "  largest key   share of the partition's bytes that its largest key value has\n"
      "  RU/s          load in the partition's busiest minute of the last hour, as far as it is known for each key value\n"
      "  used          share of the budget, which is the throughput divided by the number of partitions\n"
      "Examples:\n"
      "  partita plan-split --endpoint http://localhost:8081/ shop orders --throughput 25000\n"
      "  partita plan-split --data ./data shop orders --partition-key /tenant,/user");
}

// What splits, merges and migrations have in common.
CLI::App* add_reshape(CLI::App& app, const std::string& name, const std::string& description, ReshapeOptions& options) {
  CLI::App* command = app.add_subcommand(name, description);
  CLI::Option* endpoint = add_place(*command, options.data, options.server);
  command
      ->add_option(
          "--mode", options.mode,
          "What clients of the container can do meanwhile: everything (online), only read (readOnly) or nothing (offline)")
      ->check(one_of({"online", "readOnly", "offline"}))
      ->capture_default_str()
      ->needs(endpoint);
  command->add_option("database", options.database, "Id of the database")->required();
  command->add_option("container", options.container, "Id of the container")->required();
  return command;
}

void add_reshapes(CLI::App& app, ReshapeOptions& options) {
  constexpr const char* kFooter =
      "A data directory is verified afterwards; a running server verifies the documents unless the mode is online.";
  CLI::App* split = add_reshape(app, "split", "Split a physical partition", options);
  split->add_option("range", options.range, "Id of the partition key range")->required();
  split->add_option("--at", options.at, "Hash at which to cut, in hexadecimal. Default: where both halves have the same size");
  split->footer(kFooter);
  CLI::App* merge = add_reshape(app, "merge", "Merge a physical partition with its right neighbour", options);
  merge->add_option("range", options.range, "Id of the left partition key range")->required();
  merge->footer(kFooter);
  CLI::App* migrate = add_reshape(app, "migrate", "Change the partition key of a container, or give it its first one", options);
  migrate->add_option("path", options.paths, "Path of the new key, such as /tenant; several paths make a hierarchical key")
      ->required()
      ->expected(1, static_cast<int>(kPartitionKeyPathsMax));
  migrate->footer(kFooter);
}

}  // namespace

void add_tool_options(CLI::App& app, CommandLine& line) {
  add_check(app, line.check);
  add_reshapes(app, line.reshape);
  add_top(app, line.top);
  add_explain(app, line.explain);
  add_simulate(app, line.simulate);
  add_plan_split(app, line.plan_split);
}

}  // namespace partita::server
