#include "partition/partition_client.h"

#include "base/prefix_end.h"

namespace partita {

std::unexpected<Error> PartitionClient::gone() {
  return fail(ErrorCode::kPartitionGone, "the partition is not there any more; its documents are in others now");
}

void PartitionClient::transact(std::string_view logical_partition, Partition::Body body, Partition::CommitCallback callback,
                               Priority priority, Partition::Length length) const {
  if (!is_current()) return callback(gone());
  partition_->transact(logical_partition, std::move(body), std::move(callback), priority, length);
}

void PartitionClient::hold(std::string_view logical_partition, Partition::Granted granted) const {
  if (!is_current()) return granted(gone());
  partition_->hold(logical_partition, std::move(granted));
}

Result<size_t> PartitionClient::drop_versions(int64_t before) const {
  TRY(check_current());
  return partition_->drop_versions(before);
}

Result<std::optional<Item>> PartitionClient::load(DocumentNumber number) const {
  Result<std::optional<Item>> item = partition_->slice().load(number);
  if (!is_current()) return gone();
  return item;
}

Result<std::vector<std::string>> PartitionClient::item_keys(std::string_view prefix, const std::string& after,
                                                            size_t keys_max) const {
  const std::string from = after.empty() ? std::string(prefix) : after + '\0';
  Cursor cursor = partition_->slice().store().cursor(Family::kKeys, from, prefix_end(prefix));
  std::vector<std::string> keys;
  for (cursor.seek_first(); cursor.valid() && keys.size() < keys_max; cursor.next()) keys.emplace_back(cursor.key());
  TRY(cursor.status());
  TRY(check_current());
  return keys;
}

bool PartitionClient::is_durably_missing(std::string_view item_key) const {
  const Slice slice = partition_->slice();
  const std::shared_ptr<const Snapshot> at = slice.store().durable_snapshot();
  if (!at) return false;
  const Result<std::optional<Item>> item = slice.find(item_key, at.get());
  return item && !*item;
}

}  // namespace partita
