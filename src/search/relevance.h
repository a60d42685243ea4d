#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace partita {

// What all texts that are searched have together.
struct TextStatistics {
  double texts = 0;
  double words = 0;
  std::vector<double> hits;  // of each phrase: in how many texts it occurs
};

// BM25: how well a text of `words` words in which the phrases occur `counts` times answers a search for them.
// REQUIRES: counts and statistics.hits have the same size.
double relevance(std::span<const uint32_t> counts, double words, const TextStatistics& statistics);

// One of several scores that rank the same rows.
struct RankedScores {
  std::vector<double> scores;  // by row
  bool is_ascending = false;   // the least is the best
  double weight = 1;
};

// Reciprocal rank fusion: the sum over all rankings of weight / (60 + rank). The best rank is 1; rows with the same score share
// one. REQUIRES: the same number of scores in each ranking.
std::vector<double> fuse_ranks(std::span<const RankedScores> rankings);

}  // namespace partita
