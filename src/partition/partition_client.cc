#include "partition/partition_client.h"

#include "base/prefix_end.h"

namespace partita {
namespace {

// Of one value of the partition key: the others are taken to be as large as these on average.
constexpr uint64_t kDocumentsWeighed = 20;

}  // namespace

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

Result<std::vector<Item>> PartitionClient::items_after(DocumentNumber after, size_t bytes_about) const {
  Cursor cursor = partition_->slice().items_after(after);
  std::vector<Item> items;
  size_t bytes = 0;
  for (cursor.seek_first(); cursor.valid() && bytes < bytes_about; cursor.next()) {
    TRY_ASSIGN(Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
    bytes += item.record.size();
    items.push_back(std::move(item));
  }
  TRY(cursor.status());
  TRY(check_current());
  return items;
}

PartitionClient::KeyValueSample PartitionClient::sample_of(std::string_view effective_key, uint64_t documents_max) const {
  const Slice slice = partition_->slice();
  const std::string first = partition_prefix(id()) + std::string(effective_key);
  KeyValueSample sample;
  uint64_t weighed = 0;
  Cursor cursor = slice.store().cursor(Family::kKeys, first, prefix_end(first));
  for (cursor.seek_first(); cursor.valid() && sample.documents < documents_max; cursor.next()) {
    ++sample.documents;
    if (weighed == kDocumentsWeighed) continue;
    Result<std::optional<Item>> item = slice.load(trailing_number(cursor.value()));
    if (!item || !*item) continue;
    sample.bytes += (*item)->record.size();
    ++weighed;
    if (!sample.item) sample.item = **std::move(item);
  }
  if (weighed > 0) sample.bytes = sample.bytes * sample.documents / weighed;
  return sample;
}

bool PartitionClient::is_durably_missing(std::string_view item_key) const {
  const Slice slice = partition_->slice();
  const std::shared_ptr<const Snapshot> at = slice.store().durable_snapshot();
  if (!at) return false;
  const Result<std::optional<Item>> item = slice.find(item_key, at.get());
  return item && !*item;
}

}  // namespace partita
