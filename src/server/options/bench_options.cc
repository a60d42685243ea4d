#include "server/options/option_parts.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace partita::server {
namespace {

using tools::bench::Arrivals;
using tools::bench::KeyOrder;

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = problem == std::errc() && stop == text.data() + text.size() && std::isfinite(number);
  return is_whole ? std::optional(number) : std::nullopt;
}

CLI::Validator number_between(double least, double most, const std::string& example) {
  const auto check = [=](std::string& input) -> std::string {
    const std::optional<double> number = number_in(input);
    if (number && *number >= least && *number <= most) return {};
    return use_instead(input, fmt::format("a number from {:g} to {:g}, such as {}", least, most, example));
  };
  return {check, "NUMBER"};
}

// Seconds, or with a unit: 90, 30s, 5m, 2h.
CLI::Validator duration(double least) {
  const auto replace_by_seconds = [=](std::string& input) -> std::string {
    const std::string given = input;
    double unit = 1;
    std::string_view digits = given;
    if (!digits.empty() && std::string_view("smh").contains(digits.back())) {
      unit = digits.back() == 's' ? 1 : digits.back() == 'm' ? 60 : 3600;
      digits.remove_suffix(1);
    }
    const std::optional<double> number = number_in(digits);
    if (!number || *number * unit < least || *number * unit > tools::bench::kSecondsMax) {
      return use_instead(given, "a time such as 30s, 5m or 2h, a week at most");
    }
    input = fmt::format("{}", *number * unit);
    return {};
  };
  return {replace_by_seconds, "TIME"};
}

void add_place(CLI::App& bench, BenchOptions& options) {
  tools::bench::BenchOptions& run = options.run;
  const auto add_name = [&](const std::string& name, std::string& value, const std::string& what) {
    bench.add_option(name, value, what)->capture_default_str()->group("Where");
  };
  add_endpoint(bench, options.server);
  add_name("--database", run.database, "Id of the database; made if it is missing");
  add_name("--container", run.container, "Id of the container; made for the run");
  add_name("--partition-key", run.partition_key, "Path of the container's partition key");
  bench.add_option("--throughput", run.throughput, "RU/s of the container when it is made")
      ->check(between(100, 1'000'000'000))
      ->capture_default_str()
      ->group("Where");
  bench.add_flag("--reuse", run.is_reusing, "Use the container even if it exists; documents 0 to N-1 are replaced")
      ->group("Where");
  bench.add_flag("--cleanup", run.cleans_up, "Delete what the run made at the end")->group("Where");
}

void add_work(CLI::App& bench, tools::bench::BenchOptions& run) {
  bench.add_option("--workload", run.workload, "What to do; a to f are those of YCSB")
      ->check(one_of(tools::bench::Workload::names()))
      ->capture_default_str()
      ->group("What");
  bench.add_option("--mix", run.mix, "Shares of operations of your own: read=95,insert=5")
      ->type_name("OPERATION=SHARE,...")
      ->group("What");
  const std::map<std::string, KeyOrder> orders = {{"uniform", KeyOrder::kUniform},
                                                  {"zipfian", KeyOrder::kZipfian},
                                                  {"latest", KeyOrder::kLatest},
                                                  {"sequential", KeyOrder::kSequential}};
  bench.add_option("--distribution", run.keys, "Which documents are asked for. Default: the workload's")
      ->transform(choice(orders))
      ->option_text("uniform|zipfian|latest|sequential")
      ->group("What");
  bench.add_option("--zipf-exponent", run.exponent, "How uneven zipfian and latest are")
      ->check(number_between(0, tools::bench::kZipfExponentMax, "0.99"))
      ->capture_default_str()
      ->group("What");
  bench.add_option("--documents", run.documents, "Number of documents loaded first")
      ->check(between(0, static_cast<int64_t>(tools::bench::kDocumentsMax)))
      ->capture_default_str()
      ->group("What");
  bench.add_option("--documents-per-key", run.documents_per_key, "Documents with one {{key}}. Default: 1, with scans 100")
      ->check(between(1, static_cast<int64_t>(tools::bench::kDocumentsMax)))
      ->group("What");
  bench.add_option("--document-bytes", run.document_bytes, "Size that {{padding}} fills documents up to")
      ->transform(byte_count())
      ->check(between(0, int64_t{2} << 20))
      ->default_str("1kb")
      ->type_name("BYTES")
      ->group("What");
  bench.add_option("--template", run.template_file, "JSON file with the shape of documents (docs/bench.md)")
      ->type_name("FILE")
      ->group("What");
  bench.add_option("--query", run.query, "Text of the workload query, with placeholders")->capture_default_str()->group("What");
  bench.add_flag("--across-partitions", run.is_across_partitions, "Ask queries and scans of all partitions, not of one key")
      ->group("What");
}

void add_load(CLI::App& bench, tools::bench::BenchOptions& run) {
  bench.add_option("--connections", run.connections, "Connections, each with one operation at a time")
      ->check(between(1, static_cast<int64_t>(tools::bench::kConnectionsMax)))
      ->capture_default_str()
      ->group("How");
  bench.add_option("--threads", run.threads, "Threads of the client")
      ->check(between(1, 256))
      ->capture_default_str()
      ->group("How");
  bench
      .add_option("--rate", run.rate,
                  "Operations to begin per second, whether or not earlier ones have ended. Default: as many as possible")
      ->check(number_between(0.001, tools::bench::kRateMax, "5000"))
      ->group("How");
  const std::map<std::string, Arrivals::Spacing> spacings = {{"poisson", Arrivals::Spacing::kPoisson},
                                                             {"fixed", Arrivals::Spacing::kFixed}};
  bench.add_option("--arrivals", run.spacing, "Spacing of operations with --rate: poisson (default) or fixed")
      ->transform(choice(spacings))
      ->option_text("poisson|fixed")
      ->group("How");
  CLI::Option* duration_option = bench.add_option("--duration", run.seconds, "How long to measure")
                                     ->transform(duration(0.1))
                                     ->default_str("10s")
                                     ->type_name("TIME")
                                     ->group("How");
  bench.add_option("--count", run.count, "Measure this many operations instead of a time")
      ->check(between(1, 1'000'000'000'000))
      ->excludes(duration_option)
      ->group("How");
  bench.add_option("--warm-up", run.warm_up_seconds, "How long to run before measuring")
      ->transform(duration(0))
      ->default_str("2s")
      ->type_name("TIME")
      ->group("How");
  bench.add_flag("!--no-retry", run.retries_throttled, "Count 429 as an error instead of retrying")->group("How");
  bench.add_option("--seed", run.seed, "Seed of the random numbers")->capture_default_str()->group("How");
}

void add_reports(CLI::App& bench, tools::bench::BenchOptions& run) {
  bench.add_flag("--json", run.is_json, "Print the report as JSON")->group("Reports");
  bench.add_option("--save", run.json_file, "Write the report as JSON to this file, for compare")
      ->type_name("FILE")
      ->group("Reports");
  bench.add_option("--html", run.html_file, "Write the report as a page with charts to this file")
      ->type_name("FILE")
      ->group("Reports");
}

void add_compare(CLI::App& bench, BenchOptions& options) {
  CLI::App* compare = bench.add_subcommand("compare", "Show two reports side by side, and which differences are more than noise");
  compare->add_option("first", options.first_report, "Report of the first run (--save)")->required()->type_name("A.json");
  compare->add_option("second", options.second_report, "Report of the second run")->required()->type_name("B.json");
  compare->add_flag("--json", options.run.is_json, "Print the comparison as JSON");
  compare->callback([&options] { options.is_comparison = true; });
}

}  // namespace

void add_bench_options(CLI::App& app, BenchOptions& options) {
  CLI::App* bench = app.add_subcommand("bench", "Measure a server under a load of your own or of YCSB");
  add_place(*bench, options);
  add_work(*bench, options.run);
  add_load(*bench, options.run);
  add_reports(*bench, options.run);
  add_compare(*bench, options);
  bench->footer(
      "Makes the container, loads the documents, warms up, measures. Ctrl-C ends it early, with a report. Workloads:\n"
      "  insert read update query scan   one kind of operation, documents chosen uniformly\n"
      "  a  50 % read, 50 % update, zipfian         d  95 % read, 5 % insert, latest\n"
      "  b  95 % read, 5 % update, zipfian          e  95 % scan of up to 100, 5 % insert, zipfian\n"
      "  c  read, zipfian                           f  50 % read, 50 % read-modify-write, zipfian\n"
      "The exit code is 1 when an operation failed.\n"
      "Examples:\n"
      "  partita bench --workload a --connections 64 --duration 1m --html report.html --cleanup\n"
      "  partita bench --workload read --rate 2000 --save before.json --reuse\n"
      "  partita bench --mix read=80,query=20 --template order.json --partition-key /customer \\\n"
      "    --query 'SELECT * FROM c WHERE c.total > {{integer 1 100}}'\n"
      "  partita bench compare before.json after.json");
}

}  // namespace partita::server
