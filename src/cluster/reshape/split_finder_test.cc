#include "cluster/reshape/split_finder.h"

#include "base/encodings.h"
#include "base/golden_file.h"
#include "engine/test_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace partita {
namespace {

std::string bytes_of(const std::string& hex) { return from_hex(hex).value(); }

std::string find(const std::vector<std::string>& lines) {
  PartitionKeyDefinition definition = key_definition({"/pk"});
  EffectiveKeyRange range;
  SplitAim aim = SplitAim::kHalveBytes;
  std::vector<HashWeight> weights;
  std::vector<EffectivePartitionKey> known_cuts;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "version") {
      words >> definition.version;
    } else if (what == "bytes" || what == "load" || what == "add") {
      aim = what == "bytes" ? SplitAim::kHalveBytes : what == "load" ? SplitAim::kHalveLoad : SplitAim::kAddPartition;
      const size_t space = line.find(' ', what.size() + 1);  // the least hash is an empty text
      range = {bytes_of(line.substr(what.size() + 1, space - what.size() - 1)), bytes_of(line.substr(space + 1))};
    } else if (what == "known") {
      while (words >> what) known_cuts.push_back(bytes_of(what));
    } else {
      HashWeight& entry = weights.emplace_back(bytes_of(what));
      words >> entry.documents >> entry.bytes >> entry.units_per_second;
    }
  }
  const Result<SplitPoint> found = find_split(range, definition, weights, aim, known_cuts);
  if (!found) return found.error().message;
  EXPECT_TRUE(range.contains(found->hash));
  return fmt::format("{}: {:.0f} % left of it", hex_upper(found->hash), 100 * found->left_share);
}

std::string hash(uint32_t n) { return fmt::format("{:08}", n); }

TEST(SplitFinder, FindsWhatTheTextFileSays) { run_golden_file(TEST_DATA_DIR "/split_finder.txt", find); }

TEST(WeightSummary, CountsAllDocumentsOfAHashAsOneEntry) {
  WeightSummary summary;
  summary.add("a", 10);
  summary.add("a", 5);
  summary.add("b", 1);
  ASSERT_EQ(summary.weights().size(), 2);
  EXPECT_EQ(summary.weights()[0].documents, 2);
  EXPECT_EQ(summary.weights()[0].bytes, 15);
}

TEST(WeightSummary, HalvesManyHashesFromAFewThousandEntries) {
  constexpr uint32_t kHashes = 100'000;
  WeightSummary summary;
  for (uint32_t n = 0; n < kHashes; ++n) summary.add(hash(n), 1);
  EXPECT_LE(summary.weights().size(), WeightSummary::kEntriesMax);
  uint64_t documents = 0;
  for (const HashWeight& entry : summary.weights()) documents += entry.documents;
  EXPECT_EQ(documents, kHashes);
  const Result<SplitPoint> found = find_split({}, key_definition({"/pk"}), summary.weights(), SplitAim::kHalveBytes);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->left_share, 0.5, 0.001);
  EXPECT_GT(found->hash, hash(kHashes / 2 - kHashes / 1000));
  EXPECT_LT(found->hash, hash(kHashes / 2 + kHashes / 1000));
}

}  // namespace
}  // namespace partita
