#include "tools/advise/sketch/heavy_values.h"

#include <algorithm>

namespace partita::tools::advise {

void HeavyValues::prune() {
  std::vector<double> weights;
  weights.reserve(entries_.size());
  for (const auto& [hash, entry] : entries_) weights.push_back(entry.weight);
  const auto middle = weights.begin() + static_cast<ptrdiff_t>(capacity_);
  std::ranges::nth_element(weights, middle, std::greater());
  const double given_up = *middle;
  error_ += given_up;
  for (auto& [hash, entry] : entries_) {
    entry.items *= 1 - std::min(1.0, given_up / entry.weight);
    entry.weight -= given_up;
  }
  std::erase_if(entries_, [](const auto& entry) { return entry.second.weight <= 0; });
}

std::vector<HeavyValues::Entry> HeavyValues::heaviest(size_t count) const {
  std::vector<Entry> sorted;
  sorted.reserve(entries_.size());
  for (const auto& [hash, entry] : entries_) sorted.push_back(entry);
  std::ranges::sort(sorted, [](const Entry& left, const Entry& right) {
    return left.weight != right.weight ? left.weight > right.weight : left.text < right.text;
  });
  if (sorted.size() > count) sorted.resize(count);
  return sorted;
}

}  // namespace partita::tools::advise
