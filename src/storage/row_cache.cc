#include "storage/row_cache.h"

#include <algorithm>
#include <functional>

namespace partita {

RowCache::RowHash RowCache::hash_of(Family family, std::string_view key) {
  constexpr RowHash kSpread = 0x9E3779B97F4A7C15;  // the golden ratio: other families, other shards
  return std::hash<std::string_view>()(key) + static_cast<RowHash>(family) * kSpread;
}

bool RowCache::find(RowHash row, std::string_view key, std::string& value) {
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  Row& found = shard.places[shard.find(row)];
  if (found.bytes == nullptr || found.key() != key) return false;
  found.was_read = true;
  value = found.value();
  return true;
}

RowCache::Version RowCache::version(RowHash row) {
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  return shard.version;
}

void RowCache::insert(RowHash row, std::string_view key, std::string_view value, Version version) {
  constexpr size_t kLargeShare = 8;  // a row that would drive out too many others stays out
  if (kPlaceBytes + key.size() + value.size() > shard_bytes_max_ / kLargeShare) return;
  Row inserted{.hash = row,
               .bytes = std::make_unique_for_overwrite<char[]>(key.size() + value.size()),
               .key_size = static_cast<uint32_t>(key.size()),
               .value_size = static_cast<uint32_t>(value.size())};
  std::ranges::copy(value, std::ranges::copy(key, inserted.bytes.get()).out);
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  if (shard.is_written || shard.version != version) return;
  shard.forget(row);
  shard.make_room(shard_bytes_max_ - inserted.size());
  shard.insert(std::move(inserted));
}

size_t RowCache::Shard::find(RowHash row) const {
  size_t place = wished_place(row);
  while (places[place].bytes != nullptr && places[place].hash != row) place = next(place);
  return place;
}

void RowCache::Shard::insert(Row row) {
  if (count + 1 > places.size() / 4 * 3) grow();
  bytes += row.size();
  ++count;
  const size_t place = find(row.hash);
  places[place] = std::move(row);
}

void RowCache::Shard::grow() {
  std::vector<Row> rows(2 * places.size());
  std::swap(rows, places);
  hand = 0;
  for (Row& row : rows) {
    if (row.bytes != nullptr) places[find(row.hash)] = std::move(row);
  }
}

void RowCache::Shard::erase(size_t place) {
  bytes -= places[place].size();
  --count;
  places[place].bytes.reset();
  // Rows that stand further from their wish because this one stood in their way move up.
  for (size_t later = next(place); places[later].bytes != nullptr; later = next(later)) {
    const size_t from_wish = (later - wished_place(places[later].hash)) & (places.size() - 1);
    const size_t from_gap = (later - place) & (places.size() - 1);
    if (from_wish < from_gap) continue;
    places[place] = std::move(places[later]);
    place = later;
  }
}

void RowCache::Shard::forget(RowHash row) {
  const size_t place = find(row);
  if (places[place].bytes != nullptr) erase(place);
}

void RowCache::Shard::forget_all() {
  places = std::vector<Row>(kPlacesMin);
  count = 0;
  bytes = 0;
  hand = 0;
}

void RowCache::Shard::make_room(size_t bytes_max) {
  while (bytes > bytes_max) {
    Row& asked = places[hand];
    if (asked.bytes != nullptr && !asked.was_read) {
      erase(hand);  // another row may have moved here
      continue;
    }
    asked.was_read = false;
    hand = next(hand);
  }
}

template <typename Change>
void RowCache::change(std::span<const RowHash> rows, bool is_everything, Change change) {
  if (is_everything) {
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      shard.forget_all();
      change(shard);
    }
    return;
  }
  for (RowHash row : rows) {
    Shard& shard = shard_of(row);
    std::lock_guard lock(shard.mutex);
    shard.forget(row);
    change(shard);
  }
}

void RowCache::begin_write(std::span<const RowHash> rows, bool is_everything) {
  change(rows, is_everything, [](Shard& shard) { shard.is_written = true; });
}

void RowCache::end_write(std::span<const RowHash> rows, bool is_everything) {
  change(rows, is_everything, [](Shard& shard) {
    shard.is_written = false;
    ++shard.version;
  });
}

}  // namespace partita
