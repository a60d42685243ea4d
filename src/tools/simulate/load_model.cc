#include "tools/simulate/load_model.h"

#include <algorithm>

namespace partita::tools {
namespace {

// Of a time series' load, this share goes to the newest stretch, the rest to the last tenth of all before it.
constexpr double kNewestShare = 0.8;
constexpr double kNewestPart = 0.01;
constexpr double kRecentPart = 0.1;

void spread(std::vector<double>& shares, size_t first, size_t last, double share) {
  for (size_t i = first; i < last; ++i) shares[i] += share / static_cast<double>(last - first);
}

}  // namespace

std::vector<double> load_shares(LoadKind kind, size_t key_values, double time) {
  std::vector<double> shares(key_values, 0);
  if (kind == LoadKind::kEven) {
    spread(shares, 0, key_values, 1);
  } else if (kind == LoadKind::kZipf) {
    double sum = 0;
    for (size_t i = 0; i < key_values; ++i) sum += shares[i] = 1 / static_cast<double>(i + 1);
    for (double& share : shares) share /= sum;
  } else {
    const auto count = static_cast<double>(key_values);
    const auto newest_count = std::max<size_t>(1, static_cast<size_t>(kNewestPart * count));
    const auto end = std::clamp<size_t>(static_cast<size_t>(time * count), newest_count, key_values);
    const size_t recent = end - std::min(end, std::max<size_t>(1, static_cast<size_t>(kRecentPart * count)));
    spread(shares, end - newest_count, end, kNewestShare);
    spread(shares, recent, end, 1 - kNewestShare);
  }
  return shares;
}

}  // namespace partita::tools
