#include "gateway/feeds/partition_page.h"

#include <algorithm>

namespace partita {

EffectiveKeyRange page_range(const Container& container, const EffectiveKeyRange& range, const FeedPosition* from) {
  EffectiveKeyRange page = range;
  if (from != nullptr) page.min = std::max(page.min, from->range.min);
  if (page.min >= page.max) return {page.min, page.min};
  // What was begun is read to its end, of however many partitions it is by now.
  const bool is_begun = from != nullptr && from->after.value > 0;
  const EffectivePartitionKey& end = is_begun ? from->range.max : container.place_of(page.min).range().max;
  page.max = std::clamp(end, page.min, page.max);
  return page;
}

std::optional<EffectiveKeyRange> range_behind(const Container& container, const EffectiveKeyRange& range,
                                              const EffectiveKeyRange& page, std::span<const EffectiveKeyRange> keys) {
  EffectiveKeyRange next{page.max, range.max};
  if (!keys.empty()) {
    next.min = next.max;
    for (const EffectiveKeyRange& key : keys) {
      if (key.max > page.max) next.min = std::min(next.min, std::max(key.min, page.max));
    }
  }
  if (next.min >= next.max) return std::nullopt;
  next.max = std::min(next.max, container.place_of(next.min).range().max);
  return next;
}

}  // namespace partita
