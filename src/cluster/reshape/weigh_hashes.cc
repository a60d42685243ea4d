#include "cluster/reshape/reshaper.h"

#include <algorithm>

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
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.value()), at.get()));
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

void spread_load(std::vector<HashWeight>& weights, const Heat::Report& heat) {
  uint64_t documents = 0;
  for (const HashWeight& entry : weights) documents += entry.documents;
  double rest = static_cast<double>(heat.hot_keys_total);
  for (const HotKeys::Entry& hot : heat.hot_keys) {
    // Each entry reaches up to the next one's hash.
    const auto behind = std::ranges::upper_bound(weights, hot.key, {}, &HashWeight::hash);
    if (behind == weights.begin()) continue;
    const double own = static_cast<double>(hot.weight - hot.excess);
    std::prev(behind)->units_per_second += own;
    rest -= own;
  }
  if (documents == 0) return;
  const double per_document = std::max(rest, 0.0) / static_cast<double>(documents);
  for (HashWeight& entry : weights) entry.units_per_second += per_document * static_cast<double>(entry.documents);
}

}  // namespace partita
