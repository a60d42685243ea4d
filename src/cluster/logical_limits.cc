#include "cluster/logical_limits.h"

#include "engine/attachments.h"

#include <utility>

namespace partita {

Status LogicalLimits::run_round(const std::stop_token& stop) {
  std::map<PartitionId, uint64_t> before = std::exchange(grown_when_weighed_, {});
  Status outcome;
  for (const std::shared_ptr<const Container>& container : catalog_.containers()) {
    for (const PartitionPlace& place : container->places) {
      Partition& partition = place.partition->local();
      if (partition.counters().record_bytes < bytes_max_ / 2) continue;
      const uint64_t grown = partition.bytes_grown();
      const auto weighed = before.find(partition.id());
      const bool is_due = weighed == before.end() || grown >= weighed->second + bytes_max_ / 4;
      if (is_due) {
        const Status done = catalog_.failures()->attempt(background::kWeigh, place.name_in(*container),
                                                         [&] { return weigh(*container, partition, stop); });
        if (!done && outcome) outcome = done;
        if (!done) continue;
      }
      grown_when_weighed_[partition.id()] = is_due ? grown : weighed->second;
    }
  }
  return outcome;
}

Status LogicalLimits::weigh(const Container& container, Partition& partition, const std::stop_token& stop) const {
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  const Slice slice = partition.slice();
  const std::shared_ptr<const Snapshot> at = slice.store().snapshot();
  Partition::Allowances allowances;
  EffectivePartitionKey key;
  uint64_t bytes = 0;
  const auto end_key = [&] {
    if (bytes >= bytes_max_ / 2) allowances[key] = static_cast<int64_t>(bytes_max_) - static_cast<int64_t>(bytes);
    bytes = 0;
  };
  Cursor attached = slice.cursor(Family::kAttachments, at.get());
  attached.seek_first();
  const bool has_attachments = attached.valid();
  Cursor cursor = slice.cursor(Family::kKeys, at.get());  // in the order of hashes
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    if (stop.stop_requested()) return {};
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.value()), at.get()));
    if (!item) return fail(ErrorCode::kCorruption, "a primary key row points to a document that is not there");
    EffectivePartitionKey own = effective_partition_key(PartitionKey::of(item->document(), definition), definition);
    if (own != key) {
      end_key();
      key = std::move(own);
    }
    bytes += item->record.size();
    if (!has_attachments) continue;
    TRY_ASSIGN(const AttachmentHead attachments, attachment_head(slice, item->number, at.get()));
    bytes += attachments.bytes;
  }
  TRY(cursor.status());
  end_key();
  partition.set_allowances(std::move(allowances));
  return {};
}

}  // namespace partita
