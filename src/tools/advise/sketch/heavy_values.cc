#include "tools/advise/sketch/heavy_values.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace partita::tools::advise {

HeavyValues::HeavyValues(size_t capacity) : capacity_(capacity), slots_(std::bit_ceil(4 * capacity + 4)) {}

void HeavyValues::prune() {
  std::vector<double> weights;
  weights.reserve(counts_.size());
  for (const Count& count : counts_) weights.push_back(count.weight);
  const auto middle = weights.begin() + static_cast<ptrdiff_t>(capacity_);
  std::ranges::nth_element(weights, middle, std::greater());
  const double given_up = *middle;
  error_ += given_up;
  heaviest_single_ -= given_up;
  texts_.resize(counts_.size());
  std::ranges::fill(slots_, 0);
  size_t kept = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    Count count = counts_[i];
    if (count.weight <= given_up) continue;
    count.items *= 1 - given_up / count.weight;
    count.weight -= given_up;
    counts_[kept] = count;
    if (kept != i) std::swap(texts_[kept], texts_[i]);
    ++kept;
  }
  counts_.resize(kept);
  texts_.resize(kept);
  for (size_t i = 0; i < kept; ++i) slots_[find(counts_[i].hash)] = static_cast<uint32_t>(i + 1);
}

std::vector<HeavyValues::Entry> HeavyValues::heaviest(size_t count) const {
  std::vector<Entry> sorted;
  sorted.reserve(counts_.size());
  for (size_t i = 0; i < counts_.size(); ++i) {
    sorted.push_back({i < texts_.size() ? texts_[i] : std::string(), counts_[i].weight, counts_[i].items});
  }
  std::ranges::sort(sorted, [](const Entry& left, const Entry& right) {
    if (left.weight != right.weight) return left.weight > right.weight;
    return left.text.empty() != right.text.empty() ? right.text.empty() : left.text < right.text;
  });
  if (sorted.size() > count) sorted.resize(count);
  return sorted;
}

}  // namespace partita::tools::advise
