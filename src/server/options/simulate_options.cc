#include "server/options/option_parts.h"

namespace partita::server {

void add_simulate_options(CLI::App& app, SimulateOptions& options) {
  constexpr int64_t kPartitionsMax = 1'000'000;
  constexpr int64_t kHoursMax = 24 * 366;
  constexpr int64_t kKeyValuesMax = 100'000;
  constexpr int64_t kThreadsMax = 1024;
  constexpr double kUseMax = 100;
  constexpr int64_t kBytesMax = 1LL << 50;
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate how many partitions behave under a load");
  tools::SimulationOptions& simulation = options.simulation;
  simulate->add_option("--partitions", options.partitions, "Number of partitions; several numbers run one simulation each")
      ->delimiter(',')
      ->check(between(1, kPartitionsMax))
      ->capture_default_str();
  const std::map<std::string, tools::LoadKind> loads = {
      {"even", tools::LoadKind::kEven}, {"zipf", tools::LoadKind::kZipf}, {"time-series", tools::LoadKind::kTimeSeries}};
  simulate
      ->add_option("--load", simulation.load,
                   "even; zipf (few key values get most of the load); or time-series (the newest gets most)")
      ->transform(choice(loads))
      ->default_str("zipf");
  simulate
      ->add_option("--shares", options.shares_path,
                   "File with a distribution of your own instead of --load: a number per line, the load of one key value")
      ->type_name("FILE");
  simulate->add_option("--use", simulation.use, "Load, as a share of the throughput")
      ->check(share_between(0, kUseMax))
      ->capture_default_str();
  simulate->add_option("--hours", simulation.hours, "Simulated hours")->check(between(1, kHoursMax))->capture_default_str();
  simulate->add_option("--key-values", simulation.key_values_per_partition, "Number of key values per partition")
      ->check(between(1, kKeyValuesMax))
      ->capture_default_str();
  simulate
      ->add_option("--partition-bytes", simulation.limits.partition_bytes_max, "Split partitions larger than this, such as 50GB")
      ->transform(byte_count())
      ->check(between(1, kBytesMax))
      ->default_str("50GB");
  simulate->add_flag("--split-by-load", simulation.limits.splits_by_load,
                     "Split partitions that are throttled while others are not");
  simulate->add_flag("--merge", simulation.limits.merges, "Merge small neighbouring partitions");
  simulate->add_option("--seed", simulation.seed, "Seed of the random numbers; the same seed gives the same report")
      ->capture_default_str();
  simulate->add_option("--threads", options.threads, "Number of threads; 0 means one per core")
      ->check(between(0, kThreadsMax))
      ->capture_default_str();
  simulate->add_flag("--json", options.is_json, "Print the result as JSON");
  simulate->footer(
      "Simulates containers of up to 100 partitions with 10,000 RU/s each; half of the request units are writes. Hashes,\n"
      "budgets and the decisions to split or merge are the server's own. There is a column for each --partitions.\n"
      "  splits         by their reason; `no cut`: not made because they could not have helped\n"
      "  moved          bytes copied by splits and merges\n"
      "  throttled      share of the load that was refused\n"
      "  load, bytes    the busiest and the largest partition, relative to the mean of its container\n"
      "  keys > 20GB    key values that hold more than a logical partition may\n"
      "Key values take the lines of --shares in turns, so that a short file also describes many of them.\n"
      "Examples:\n"
      "  partita simulate --partitions 10,100 --load time-series\n"
      "  partita simulate --partitions 3 --shares shares.txt --use 0.5 --split-by-load");
}

}  // namespace partita::server
