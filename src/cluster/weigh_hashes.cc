#include "cluster/reshaper.h"

namespace partita {
namespace {

constexpr uint64_t kSampledDocuments = 20'000;

// The hash in a primary key row; nothing when it has no fixed length.
std::optional<std::string_view> hash_in(std::string_view key, const PartitionKeyDefinition& definition) {
  constexpr size_t kHashBytes = 16;
  constexpr size_t kPrefixBytes = sizeof(uint32_t);
  const bool is_fixed = definition.version == 2;
  const size_t bytes = kHashBytes * (definition.kind == PartitionKeyDefinition::Kind::kMultiHash ? definition.paths.size() : 1);
  if (!is_fixed || key.size() < kPrefixBytes + bytes) return std::nullopt;
  return key.substr(kPrefixBytes, bytes);
}

}  // namespace

Result<std::vector<HashWeight>> weigh_hashes(const Slice& slice, const PartitionKeyDefinition& key) {
  const std::shared_ptr<const Snapshot> at = slice.store().snapshot();
  TRY_ASSIGN(const PartitionCounters counters, slice.counters(at.get()));
  const uint64_t step = counters.documents / kSampledDocuments + 1;
  const uint64_t mean_bytes = counters.documents == 0 ? 0 : counters.record_bytes / counters.documents;
  WeightSummary summary;
  uint64_t row = 0;
  Cursor cursor = slice.cursor(Family::kKeys, at.get());
  for (cursor.seek_first(); cursor.valid(); cursor.next(), ++row) {
    const std::optional<std::string_view> hash = hash_in(cursor.key(), key);
    if (hash && row % step != 0) {
      summary.add(*hash, mean_bytes);
      continue;
    }
    TRY_ASSIGN(const std::optional<Item> item, slice.load(trailing_number(cursor.value()), at.get()));
    if (!item) return fail(ErrorCode::kCorruption, "a primary key row points to a document that is not there");
    const size_t bytes = item->record.size();
    if (hash) {
      summary.add(*hash, bytes);
    } else {
      summary.add(effective_partition_key(PartitionKey::of(item->document(), key), key), bytes);
    }
  }
  TRY(cursor.status());
  return summary.weights();
}

}  // namespace partita
