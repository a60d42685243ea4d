#include "engine/slice.h"

#include "base/prefix_end.h"

#include <fmt/format.h>

namespace partita {

Result<std::optional<Item>> Slice::find(std::string_view item_key, const Snapshot* at) const {
  TRY_ASSIGN(std::optional<Item> item, find_stored(item_key, at));
  if (item && !is_visible(item->document())) item.reset();
  return item;
}

Result<std::optional<Item>> Slice::load(DocumentNumber number, const Snapshot* at) const {
  TRY_ASSIGN(std::optional<Item> item, load_stored(number, at));
  if (item && !is_visible(item->document())) item.reset();
  return item;
}

Result<std::optional<Item>> Slice::find_stored(std::string_view item_key, const Snapshot* at) const {
  // Without a snapshot the document may be deleted and created anew between the two reads; then its number has changed.
  constexpr int kAttempts = 3;
  if (at == nullptr) at = snapshot_;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string number_bytes;
    TRY_ASSIGN(const bool is_known, store_->get(Family::kKeys, item_key, number_bytes, at));
    if (!is_known) return std::nullopt;
    if (number_bytes.size() != sizeof(uint64_t)) return fail(ErrorCode::kCorruption, "a primary key row has no document number");
    TRY_ASSIGN(std::optional<Item> item, load_stored(trailing_number(number_bytes), at));
    if (item) return item;
    if (at != nullptr) return fail(ErrorCode::kCorruption, "a primary key row points to a document that is not there");
  }
  return std::nullopt;
}

Result<std::optional<Item>> Slice::load_stored(DocumentNumber number, const Snapshot* at) const {
  std::string record;
  TRY_ASSIGN(const bool is_known, load_record(number, record, at));
  if (!is_known) return std::nullopt;
  TRY_ASSIGN(Item item, item_from_record(number, std::move(record)));
  return item;
}

Result<bool> Slice::load_record(DocumentNumber number, std::string& record, const Snapshot* at) const {
  return store_->get(Family::kItems, item_row_key(partition_, number), record, at == nullptr ? snapshot_ : at);
}

Result<bool> Slice::load_record(DocumentNumber number, std::string& record, const Snapshot& at, Lsn shown) const {
  TRY_ASSIGN(const bool is_known, load_record(number, record));
  const bool is_whole = is_known && record.size() > kItemHeaderBytes;
  if (is_whole && lsn_of_record(record) <= shown) return true;
  return load_record(number, record, &at);
}

Result<PartitionCounters> Slice::counters(const Snapshot* at) const {
  std::string bytes;
  TRY_ASSIGN(const bool is_known, store_->get(Family::kCatalog, counters_key(partition_), bytes, at == nullptr ? snapshot_ : at));
  if (!is_known)
    return PartitionCounters{.documents = 0, .record_bytes = 0, .lsn = kFirstLsn, .newest = {}, .versions_after = {}};
  return decode_counters(bytes);
}

Cursor Slice::cursor(Family family, const Snapshot* at) const {
  const std::string prefix = family == Family::kIndex ? index_prefix(index_) : partition_prefix(partition_);
  return store_->cursor(family, prefix, prefix_end(prefix), at == nullptr ? snapshot_ : at);
}

Cursor Slice::items_after(DocumentNumber after, const Snapshot* at) const {
  return store_->cursor(Family::kItems, item_row_key(partition_, DocumentNumber{after.value + 1}),
                        prefix_end(partition_prefix(partition_)), at == nullptr ? snapshot_ : at);
}

void Slice::erase_all(WriteBatch& batch) const {
  const std::string prefix = partition_prefix(partition_);
  const std::string end = prefix_end(prefix);
  for (Family family : kPartitionFamilies) batch.erase_range(family, prefix, end);
  erase_index(batch, index_);
  batch.erase(Family::kCatalog, counters_key(partition_));
  batch.erase(Family::kCatalog, heat_key(partition_));
}

void Slice::erase_index(WriteBatch& batch, IndexId index) {
  const std::string prefix = index_prefix(index);
  batch.erase_range(Family::kIndex, prefix, prefix_end(prefix));
  batch.erase(Family::kCatalog, index_progress_key(index));
}

}  // namespace partita
