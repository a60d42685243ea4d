#include "tools/simulate/simulation.h"

#include "base/golden_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace partita::tools {
namespace {

SimulationOptions options(LoadKind load, size_t partitions) {
  SimulationOptions options;
  options.partitions = partitions;
  options.load = load;
  options.hours = 6;
  return options;
}

double throttled_share(const SimulationTotals& totals) { return 1 - totals.served_units / totals.demanded_units; }

}  // namespace

TEST(Simulation, IsTheSameForTheSameSeedWhateverTheThreads) {
  run_golden_file(TEST_DATA_DIR "/reports.txt", [](const std::vector<std::string>& input) {
    std::istringstream words(input.at(0));
    std::string load;
    size_t threads = 0;
    SimulationOptions chosen;
    words >> load >> chosen.seed >> threads;
    chosen.load = load == "zipf" ? LoadKind::kZipf : load == "even" ? LoadKind::kEven : LoadKind::kTimeSeries;
    chosen.partitions = 250;
    const SimulationTotals outcome = simulate(chosen, threads);
    return simulation_text({&outcome, 1});
  });
}

TEST(Simulation, MakesAsManyPartitionsAsAskedFor) {
  const SimulationTotals totals = simulate(options(LoadKind::kEven, 250), 2);
  EXPECT_EQ(totals.containers, 3u);
  EXPECT_EQ(totals.partitions_before, 250u);
  EXPECT_EQ(totals.load_ratios.size(), totals.partitions_after);
}

TEST(Simulation, AHotKeyValueIsThrottledAndAnEvenLoadHardly) {
  SimulationOptions even = options(LoadKind::kEven, 100);
  even.use = 0.3;
  even.key_values_per_partition = 200;
  EXPECT_LT(throttled_share(simulate(even, 1)), 0.01);
  SimulationOptions zipf = options(LoadKind::kZipf, 100);
  zipf.use = 0.3;
  EXPECT_GT(throttled_share(simulate(zipf, 1)), 0.1);
}

TEST(Simulation, FullPartitionsAreSplitAndKeepTheirBytes) {
  SimulationOptions small = options(LoadKind::kEven, 10);
  small.limits.partition_bytes_max = 1ULL << 30;
  const SimulationTotals totals = simulate(small, 1);
  EXPECT_GT(totals.splits_by_bytes, 10u);
  EXPECT_EQ(totals.partitions_after, totals.partitions_before + totals.splits_by_bytes);
  EXPECT_GT(totals.moved_bytes, 0);
  const double bytes = std::accumulate(totals.bytes_ratios.begin(), totals.bytes_ratios.end(), 0.0);
  EXPECT_NEAR(bytes, static_cast<double>(totals.partitions_after), 0.01 * static_cast<double>(totals.partitions_after));
}

TEST(Simulation, ATimeSeriesIsUnevenAtEveryMoment) {
  const SimulationTotals totals = simulate(options(LoadKind::kTimeSeries, 100), 1);
  EXPECT_GT(*std::ranges::max_element(totals.load_ratios), 5);
}

TEST(LoadModel, TakesADistributionOfTheUsersOwn) {
  const std::vector<double> weights = parse_shares("# two\n3\n\n1\r\n", "f").value();
  EXPECT_EQ(weights, (std::vector<double>{3, 1}));
  EXPECT_EQ(load_shares(weights, 4), (std::vector<double>{0.375, 0.125, 0.375, 0.125}));
  EXPECT_EQ(parse_shares("1\nx\n", "f").error().message, "f:2 is no number from 0 to 1e+15");
  for (const char* text : {"", "0\n0\n", "-1\n", "nan\n", "1e300\n"}) EXPECT_FALSE(parse_shares(text, "f")) << text;
  EXPECT_EQ(read_shares("/no/such/file").error().message, "cannot read /no/such/file");
  SimulationOptions hot = options(LoadKind::kEven, 10);
  hot.use = 0.3;
  hot.shares = {1000, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  hot.shares.resize(200, 1);
  EXPECT_GT(throttled_share(simulate(hot, 1)), 0.3);
}

TEST(Simulation, ComparesSideBySideAndSaysWhatToDo) {
  SimulationOptions even = options(LoadKind::kEven, 3);
  even.use = 0.1;
  even.key_values_per_partition = 1000;
  const std::vector<SimulationTotals> outcomes(7, simulate(even, 1));
  const std::string text = simulation_text(outcomes);
  EXPECT_TRUE(text.ends_with("Nothing to do: hardly anything is throttled.\n")) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(LoadModel, SharesAddUpToOne) {
  for (const LoadKind kind : {LoadKind::kEven, LoadKind::kZipf, LoadKind::kTimeSeries}) {
    for (const double time : {0.0, 0.3, 1.0}) {
      for (const size_t keys : {1u, 7u, 2000u}) {
        const std::vector<double> shares = load_shares(kind, keys, time);
        EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
      }
    }
  }
}

}  // namespace partita::tools
