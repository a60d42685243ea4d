#include "search/relevance.h"
#include "search/vectors.h"

#include <gtest/gtest.h>

namespace partita {

TEST(Relevance, GrowsWithCountsAndRarityAndFallsWithLength) {
  const TextStatistics statistics{.texts = 100, .words = 1000, .hits = {1, 50}};
  const auto score = [&](uint32_t rare, uint32_t common, double words) {
    return relevance(std::vector<uint32_t>{rare, common}, words, statistics);
  };
  EXPECT_EQ(score(0, 0, 10), 0);
  EXPECT_GT(score(1, 0, 10), score(0, 1, 10));
  EXPECT_GT(score(2, 0, 10), score(1, 0, 10));
  EXPECT_LT(score(2, 0, 10), 2 * score(1, 0, 10));
  EXPECT_GT(score(1, 0, 5), score(1, 0, 20));
  // One text of average length with one hit: ln((100 - 1 + 0.5) / (1 + 0.5) + 1).
  EXPECT_NEAR(score(1, 0, 10), 4.2096, 0.0001);
}

TEST(FuseRanks, AddsReciprocalRanks) {
  const std::vector<RankedScores> rankings = {{.scores = {0.9, 0.5, 0.5, 0.1}},
                                              {.scores = {3, 1, 2, 4}, .is_ascending = true, .weight = 2}};
  const std::vector<double> fused = fuse_ranks(rankings);
  ASSERT_EQ(fused.size(), 4U);
  EXPECT_DOUBLE_EQ(fused[0], 1.0 / 61 + 2.0 / 63);
  EXPECT_DOUBLE_EQ(fused[1], 1.0 / 62 + 2.0 / 61);
  EXPECT_DOUBLE_EQ(fused[2], 1.0 / 62 + 2.0 / 62);
  EXPECT_DOUBLE_EQ(fused[3], 1.0 / 63 + 2.0 / 64);
  EXPECT_TRUE(fuse_ranks({}).empty());
}

// Sizes around the number of lanes.
TEST(VectorDistance, AgreesWithPlainSums) {
  for (const size_t size : {1UZ, 2UZ, 15UZ, 16UZ, 17UZ, 31UZ, 100UZ, 1536UZ}) {
    std::vector<float> left;
    std::vector<float> right;
    double dot = 0;
    double squares = 0;
    for (size_t i = 0; i < size; ++i) {
      left.push_back(static_cast<float>(i % 7) - 3);
      right.push_back(static_cast<float>(i % 5) / 2);
      dot += static_cast<double>(left[i] * right[i]);
      squares += static_cast<double>((left[i] - right[i]) * (left[i] - right[i]));
    }
    EXPECT_DOUBLE_EQ(vector_distance(left, right, VectorMetric::kDotProduct), dot) << size;
    EXPECT_DOUBLE_EQ(vector_distance(left, right, VectorMetric::kEuclidean), std::sqrt(squares)) << size;
    EXPECT_NEAR(vector_distance(left, left, VectorMetric::kCosine), 1, 1e-12) << size;
  }
}

}  // namespace partita
