#pragma once

#include "cluster/resources.h"
#include "gateway/feeds/document_reader.h"

#include <optional>
#include <span>

// Pages that have documents of one physical partition only: they end where it ends, also when they are not full, or empty. That
// is how whoever asks one partition per request sees a container. The next page begins with the next partition.
namespace partita {

// The hashes within `range` that a page from there on is about; null: from the beginning. All of them have been read before when
// the position lies behind them.
EffectiveKeyRange page_range(const Container& container, const EffectiveKeyRange& range, const FeedPosition* from);

// Where to go on once all of `page` has been read; nothing: that was all. Partitions without any of the hashes in `keys`, if
// there are some, are passed over.
std::optional<EffectiveKeyRange> range_behind(const Container& container, const EffectiveKeyRange& range,
                                              const EffectiveKeyRange& page, std::span<const EffectiveKeyRange> keys = {});

}  // namespace partita
