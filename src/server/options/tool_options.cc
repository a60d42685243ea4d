#include "server/options/option_parts.h"

namespace partita::server {
namespace {

constexpr int64_t kTopLinesMax = 10'000;
constexpr const char* kJsonHelp = "Print the result as JSON";

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Verify the data directory of a stopped server");
  check->add_option("--data", options.data, "The data directory")->envname("PARTITA_DATA")->capture_default_str();
  check->add_flag("--repair", options.repairs,
                  "First drop what the logs have lost, so that the server can start again. Work on a copy");
  check->add_flag("--json", options.is_json, kJsonHelp);
  check->footer(
      "Checks that the logs contain every acknowledged write, verifies checksums, and compares documents, primary keys,\n"
      "index entries, change records and counters. Nothing is changed without --repair; the disk may be read-only or full.\n"
      "The exit code is 0 if nothing is wrong.\n"
      "Example:\n"
      "  partita check --data ./data");
}

void add_top(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Show the size and load of each partition of a running server");
  add_endpoint(*top, options.server);
  top->add_flag("--once", options.is_once, "Print once instead of every second");
  top->add_flag("--json", options.is_json, "Print the server's statistics once, as JSON");
  top->add_option("--lines", options.lines_max, "Number of partitions to show, the busiest first")
      ->capture_default_str()
      ->check(between(1, kTopLinesMax));
  const std::map<std::string, tools::TopSpan> spans = {
      {"seconds", tools::TopSpan::kSeconds}, {"minutes", tools::TopSpan::kMinutes}, {"hours", tools::TopSpan::kHours}};
  top->add_option("--over", options.span, "Period of the graphs: the last twenty seconds, minutes (default) or hours")
      ->transform(choice(spans))
      ->option_text("seconds|minutes|hours");
  top->footer(
      "RU/s and 429/s are means over the last ten seconds; `used` is the share of the partition's budget. In a graph the\n"
      "latest value is on the right, and a full block is the whole budget.\n"
      "Key values that take a tenth or more of a partition's load are listed below it.\n"
      "Red partitions are throttled, yellow ones nearly. Press q to quit. Without a terminal it prints once.\n"
      "Examples:\n"
      "  partita top --over hours\n"
      "  partita top --once --endpoint http://db.example.org:8081/ --key \"$KEY\"");
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain = app.add_subcommand("explain", "Show how a running server executes a query, and what it costs");
  add_endpoint(*explain, options.server);
  explain
      ->add_option("-p,--parameter", options.parameters,
                   "Value of a parameter in JSON, such as '@city=\"Oslo\"'; can be repeated")
      ->allow_extra_args(false)
      ->check(query_parameter());
  explain
      ->add_option("--partition-key", options.partition_key,
                   "Query only this partition key, in JSON: '\"ada\"', or '[\"a\",1]' for a hierarchical key")
      ->check(json_text());
  explain->add_flag("--json", options.is_json, "Print the server's answer as JSON");
  add_container(*explain, options.database, options.container);
  explain->add_option("query", options.query, "Text of the query")->required();
  explain->footer(
      "Runs the first page of the query, which is charged as usual, and prints, instead of the rows:\n"
      "  Clients are refused ...   only of a query that is answered 400 otherwise: why\n"
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

}  // namespace

void add_tool_options(CLI::App& app, CommandLine& line) {
  add_check(app, line.check);
  add_reshape_options(app, line.reshape);
  add_top(app, line.top);
  add_explain(app, line.explain);
  add_shell_options(app, line.shell);
  add_simulate_options(app, line.simulate);
  add_plan_options(app, line.plan_split);
}

}  // namespace partita::server
