#include "partition/heat/hot_keys.h"

#include <algorithm>

namespace partita {

bool HotKeys::Entry::is_heavier(const Entry& left, const Entry& right) {
  return left.weight != right.weight ? left.weight > right.weight : left.key < right.key;
}

void HotKeys::add(std::string_view key, uint64_t weight) {
  total_ += weight;
  const auto known = std::ranges::find(entries_, key, &Entry::key);
  if (known != entries_.end()) {
    known->weight += weight;
  } else if (entries_.size() < capacity_) {
    entries_.push_back({std::string(key), weight, 0});
  } else {
    // It may have been here before and been displaced, with at most what the lightest has now.
    Entry& lightest = *std::ranges::min_element(entries_, {}, &Entry::weight);
    lightest.key.assign(key);
    lightest.excess = lightest.weight;
    lightest.weight += weight;
  }
}

void HotKeys::fade() {
  total_ /= 2;
  for (Entry& entry : entries_) {
    entry.weight /= 2;
    entry.excess /= 2;
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.weight == 0; });
}

std::vector<HotKeys::Entry> HotKeys::heaviest() const {
  std::vector<Entry> sorted = entries_;
  std::ranges::sort(sorted, Entry::is_heavier);
  return sorted;
}

void HotKeys::restore(std::vector<Entry> heaviest_first, uint64_t total) {
  entries_ = std::move(heaviest_first);
  if (entries_.size() > capacity_) entries_.resize(capacity_);
  total_ = total;
}

}  // namespace partita
