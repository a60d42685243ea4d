#include "storage/row_cache.h"

#include <functional>

namespace partita {

RowCache::RowHash RowCache::hash_of(Family family, std::string_view key) {
  constexpr RowHash kSpread = 0x9E3779B97F4A7C15;  // the golden ratio: other families, other shards
  return std::hash<std::string_view>()(key) + static_cast<RowHash>(family) * kSpread;
}

bool RowCache::find(RowHash row, std::string_view key, std::string& value) {
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  const auto place = shard.places.find(row);
  if (place == shard.places.end() || place->second->key != key) return false;
  place->second->was_read = true;
  value = place->second->value;
  return true;
}

RowCache::Version RowCache::version(RowHash row) {
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  return shard.version;
}

void RowCache::insert(RowHash row, std::string_view key, std::string_view value, Version version) {
  Row inserted{.hash = row, .key = std::string(key), .value = std::string(value)};
  constexpr size_t kLargeShare = 8;  // a row that would drive out too many others stays out
  if (inserted.bytes() > shard_bytes_max_ / kLargeShare) return;
  Shard& shard = shard_of(row);
  std::lock_guard lock(shard.mutex);
  if (shard.is_written || shard.version != version) return;
  shard.forget(row);
  shard.bytes += inserted.bytes();
  shard.make_room(shard_bytes_max_);
  shard.rows.push_back(std::move(inserted));
  shard.places[row] = std::prev(shard.rows.end());
}

void RowCache::Shard::forget(RowHash row) {
  const auto place = places.find(row);
  if (place == places.end()) return;
  bytes -= place->second->bytes();
  rows.erase(place->second);
  places.erase(place);
}

void RowCache::Shard::forget_all() {
  rows.clear();
  places.clear();
  bytes = 0;
}

void RowCache::Shard::make_room(size_t bytes_max) {
  while (bytes > bytes_max && !rows.empty()) {
    Row& next = rows.front();
    if (next.was_read) {
      next.was_read = false;
      rows.splice(rows.end(), rows, rows.begin());
    } else {
      forget(next.hash);
    }
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
