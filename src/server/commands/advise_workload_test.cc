#include "server/commands/advise_workload.h"

#include <gtest/gtest.h>

namespace partita::server {

TEST(AdviseWorkload, GivesDocumentsTheirRequestsAndWhenTheyCame) {
  const WorkloadRecord record = parse_workload_record(R"({"isRecorded":true,"requests":[
      {"kind":"read","unixSeconds":120,"requestUnits":8,"rids":["a"]},
      {"kind":"write","unixSeconds":180,"requestUnits":40,"rids":["a","b"]},
      {"kind":"write","requestUnits":2,"rids":["c"]},{"kind":"write"},7],
      "queries":[{"query":"SELECT * FROM c WHERE c.d = \"?\"","pages":3},{"query":"SELECT FROM","pages":3},{"pages":1}]})")
                                    .value();
  ASSERT_EQ(record.uses.size(), 3u);
  const tools::advise::DocumentUse& first = record.uses.at("a");
  EXPECT_EQ(first.units, 8 + 20);
  EXPECT_EQ(first.transactions, std::vector<uint32_t>{1});
  ASSERT_EQ(first.times.size(), 2u);
  EXPECT_EQ(first.times[0].seconds, 120);
  EXPECT_EQ(first.times[1].units, 40);
  EXPECT_TRUE(record.uses.at("b").times.empty()) << "it came in the same transaction as the one before";
  EXPECT_TRUE(record.uses.at("c").times.empty()) << "an older server says no time";
  ASSERT_EQ(record.queries.size(), 1u);
  EXPECT_EQ(record.queries[0].weight, 3);
}

TEST(AdviseWorkload, TakesNothingFromOtherAnswers) {
  EXPECT_TRUE(parse_workload_record("[1]")->uses.empty());
  EXPECT_TRUE(parse_workload_record(R"({"requests":3,"queries":"x"})")->queries.empty());
  EXPECT_FALSE(parse_workload_record("no JSON").has_value());
}

}  // namespace partita::server
