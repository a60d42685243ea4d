#include "search/relevance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita {
namespace {

constexpr double kSaturation = 1.2;
constexpr double kLengthWeight = 0.75;
constexpr double kFusionConstant = 60;

}  // namespace

double relevance(std::span<const uint32_t> counts, double words, const TextStatistics& statistics) {
  const double average = statistics.texts > 0 && statistics.words > 0 ? statistics.words / statistics.texts : 1;
  const double length_penalty = kSaturation * (1 - kLengthWeight + kLengthWeight * words / average);
  double score = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double hits = std::min(statistics.hits[i], statistics.texts);
    const double rarity = std::log((statistics.texts - hits + 0.5) / (hits + 0.5) + 1);
    score += rarity * counts[i] * (kSaturation + 1) / (counts[i] + length_penalty);
  }
  return score;
}

std::vector<double> fuse_ranks(std::span<const RankedScores> rankings) {
  std::vector<double> fused(rankings.empty() ? 0 : rankings[0].scores.size());
  std::vector<size_t> rows(fused.size());
  for (const RankedScores& ranking : rankings) {
    std::iota(rows.begin(), rows.end(), 0);
    const auto is_better = [&](size_t left, size_t right) {
      return ranking.is_ascending ? ranking.scores[left] < ranking.scores[right] : ranking.scores[left] > ranking.scores[right];
    };
    std::ranges::sort(rows, is_better);
    double rank = 1;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && ranking.scores[rows[i]] != ranking.scores[rows[i - 1]]) ++rank;
      fused[rows[i]] += ranking.weight / (kFusionConstant + rank);
    }
  }
  return fused;
}

}  // namespace partita
