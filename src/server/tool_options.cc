#include "document/partition_key.h"
#include "server/option_parts.h"

namespace partita::server {
namespace {

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Verify that everything in a data directory is consistent (server stopped)");
  check->add_option("--data", options.data, "The data directory")->envname("PARTITA_DATA")->capture_default_str();
  check->add_flag("--repair", options.repairs,
                  "First give up what the logs have lost, so that the server starts again: work on a copy");
  check->footer(
      "Looks whether the logs contain what was acknowledged, compares documents, primary keys, index entries, change "
      "records\nand "
      "counters, and verifies checksums. Without --repair nothing is changed; the disk may be read-only or full.\nExit code 0: "
      "nothing is wrong.");
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
      ->transform(choice(spans))
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
      ->transform(choice(loads))
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
