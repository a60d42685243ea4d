#include "partition/transfer.h"

#include "base/prefix_end.h"
#include "document/order.h"
#include "engine/attachments.h"
#include "engine/versions.h"
#include "partition/row_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace partita {
namespace {

// A writer waits for a whole batch when it comes right behind it.
constexpr size_t kBatchBytes = 64 << 10;
constexpr int64_t kRestMicrosecondsMax = 20'000;

}  // namespace

Transfer::Transfer(Store& destination, const Clock& clock, PartitionKeyDefinition key, std::vector<Target> targets, Lsns lsns,
                   Lsn first, const std::atomic<bool>& is_cancelled, Convert convert)
    : destination_(destination),
      clock_(clock),
      key_(std::move(key)),
      lsns_(lsns),
      convert_(std::move(convert)),
      is_cancelled_(is_cancelled),
      worked_since_us_(clock.steady_us()) {
  for (Target& target : targets) {
    const Slice slice(destination, target.id, target.index.id);
    receivers_.push_back({std::move(target), slice, PartitionCounters{.lsn = first, .newest = {}, .versions_after = {}}, {}, 0});
  }
}

Result<Transfer::Receiver*> Transfer::receiver_of(const Value& document) {
  const EffectivePartitionKey hash = effective_partition_key(PartitionKey::of(document, key_), key_);
  const auto receiver = std::ranges::find_if(receivers_, [&](const Receiver& each) { return each.target.range.contains(hash); });
  if (receiver == receivers_.end()) {
    return fail(ErrorCode::kCorruption,
                fmt::format("document '{}' lies outside its partition's range of hashes", document.find("id").string()));
  }
  return &*receiver;
}

std::string Transfer::key_in(const Receiver& receiver, const Item& item) const {
  const PartitionKey key = PartitionKey::of(item.document(), key_);
  return item_key(receiver.target.id, effective_partition_key(key, key_), key, item.id());
}

Result<Item> Transfer::converted(Item item) const {
  if (!convert_) return item;
  return convert_(std::move(item));
}

Result<std::optional<Item>> Transfer::load(const Slice& source, DocumentNumber number, const Snapshot& at) const {
  TRY_ASSIGN(std::optional<Item> item, source.load_stored(number, &at));
  if (!item || !convert_) return item;
  TRY_ASSIGN(Item other, convert_(*std::move(item)));
  return other;
}

Status Transfer::copy(const Slice& source, const IndexingPolicy& policy, const Snapshot& at) {
  const bool keeps_rows = lsns_ == Lsns::kKept && std::ranges::all_of(receivers_, [&](const Receiver& receiver) {
                            return receiver.target.index.policy->is_same(policy);
                          });
  return keeps_rows ? copy_rows(source, at) : copy_documents(source, at);
}

Status Transfer::copy_rows(const Slice& source, const Snapshot& at) {
  std::vector<RowCopy::Target> targets;
  for (const Receiver& receiver : receivers_) targets.push_back({receiver.slice, receiver.target.range, {}});
  RowCopy rows(source, at, key_, std::move(targets), [this] { return pace(destination_.applied(), 0); });
  TRY(rows.run());
  for (size_t i = 0; i < receivers_.size(); ++i) {
    const PartitionCounters& copied = rows.targets()[i].counters;
    PartitionCounters& counters = receivers_[i].counters;
    counters.documents += copied.documents;
    counters.record_bytes += copied.record_bytes;
    counters.version_bytes += copied.version_bytes;
    counters.newest = std::max(counters.newest, copied.newest);
    documents_ += copied.documents;
    bytes_ += copied.record_bytes;
  }
  versions_until_[source.partition()] = rows.versions_until();
  return {};
}

Status Transfer::copy_documents(const Slice& source, const Snapshot& at) {
  Cursor cursor = source.cursor(Family::kItems, &at);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
    TRY_ASSIGN(item, converted(std::move(item)));
    TRY(receive(std::move(item)));
  }
  TRY(cursor.status());
  TRY(bring_all_attachments(source, at));
  TRY(bring_versions(source, at));
  return flush();
}

Status Transfer::bring_all_attachments(const Slice& source, const Snapshot& at) {
  Cursor cursor = source.cursor(Family::kAttachments, &at);
  cursor.seek_first();
  while (cursor.valid()) {
    TRY_ASSIGN(const AttachmentRow row, AttachmentRow::parse(cursor.key()));
    TRY_ASSIGN(const std::optional<Item> item, load(source, row.document, at));
    if (!item) return fail(ErrorCode::kCorruption, "there are attachments of a document that is not there");
    TRY(bring_attachments(source, *item, at));
    cursor.seek(prefix_end(attachments_prefix(source.partition(), row.document)));
  }
  return cursor.status();
}

Status Transfer::bring_attachments(const Slice& source, const Item& item, const Snapshot& at) {
  TRY_ASSIGN(Receiver* const receiver, receiver_of(item.document()));
  TRY_ASSIGN(const AttachmentHead before, attachment_head(receiver->slice, item.number));
  TRY_ASSIGN(const AttachmentHead after, attachment_head(source, item.number, &at));
  if (before == after && after == AttachmentHead{}) return {};
  const std::string from = attachments_prefix(source.partition(), item.number);
  const std::string to = attachments_prefix(receiver->target.id, item.number);
  WriteBatch batch(destination_);
  if (before != AttachmentHead{}) batch.erase_range(Family::kAttachments, to, prefix_end(to));
  Cursor cursor = source.store().cursor(Family::kAttachments, from, prefix_end(from), &at);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    batch.put(Family::kAttachments, to + std::string(cursor.key().substr(from.size())), cursor.value());
  }
  TRY(cursor.status());
  receiver->counters.record_bytes += after.bytes - before.bytes;
  TRY_ASSIGN(const CommitTicket ticket, destination_.apply(batch));
  return pace(ticket, 1);
}

// They are never changed, so what is missing lies behind what was brought.
Status Transfer::bring_versions(const Slice& source, const Snapshot& at) {
  if (lsns_ == Lsns::kGiven) return {};
  Lsn& until = versions_until_[source.partition()];
  Cursor cursor = source.cursor(Family::kVersions, &at);
  WriteBatch batch(destination_);
  for (cursor.seek(change_key(source.partition(), Lsn{until.value + 1}, DocumentNumber{0})); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(const ItemVersion version, version_from_row(cursor.key(), cursor.value()));
    TRY_ASSIGN(Receiver* const receiver, receiver_of(version.document()));
    receiver->counters.version_bytes += cursor.value().size();
    batch.put(Family::kVersions, change_key(receiver->target.id, version.lsn, version.number), cursor.value());
    until = version.lsn;
    if (batch.bytes() < kBatchBytes) continue;
    TRY_ASSIGN(const CommitTicket ticket, destination_.apply(batch));
    TRY(pace(ticket, 1));
    batch = WriteBatch(destination_);
  }
  TRY(cursor.status());
  TRY(destination_.apply(batch));
  return {};
}

// First everything that is gone or has another key now, of all sources, then what there is: keys that were exchanged between
// documents are free when they are needed.
Status Transfer::update(const std::vector<Changes>& changes) {
  for (const Changes& each : changes) TRY(erase_changed(each));
  for (const Changes& each : changes) {
    for (DocumentNumber number : each.numbers) {
      TRY_ASSIGN(std::optional<Item> item, load(each.source, number, *each.at));
      if (!item) continue;
      TRY(bring_attachments(each.source, *item, *each.at));
      TRY(receive(*std::move(item)));
    }
    TRY(bring_versions(each.source, *each.at));
  }
  return flush();
}

Status Transfer::erase_changed(const Changes& changes) {
  for (Receiver& receiver : receivers_) {
    std::unique_ptr<Transaction> transaction = begin(receiver);
    size_t bytes = 0;
    for (DocumentNumber number : changes.numbers) {
      TRY_ASSIGN(const std::optional<Item> stored, receiver.slice.load(number));
      if (!stored) continue;
      const std::string key = key_in(receiver, *stored);
      TRY_ASSIGN(const std::optional<Item> item, load(changes.source, number, *changes.at));
      if (item && key_in(receiver, *item) == key) continue;
      TRY(transaction->find(key));
      transaction->erase(key);
      bytes += stored->record.size();
      if (bytes < kBatchBytes) continue;
      TRY(apply(receiver, *transaction));
      transaction = begin(receiver);
      bytes = 0;
    }
    TRY(apply(receiver, *transaction));
  }
  return {};
}

Status Transfer::receive(Item item) {
  TRY_ASSIGN(Receiver* const found, receiver_of(item.document()));
  Receiver& receiver = *found;
  documents_ += 1;
  bytes_ += item.record.size();
  receiver.item_bytes += item.record.size();
  std::string key = key_in(receiver, item);
  const auto [other, is_new] = receiver.items.emplace(std::move(key), std::move(item));
  if (!is_new) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("Two documents with the id '{}' would be in one logical partition.", other->second.id()));
  }
  if (receiver.item_bytes < kBatchBytes) return {};
  return write(receiver);
}

Status Transfer::flush() {
  for (Receiver& receiver : receivers_) TRY(write(receiver));
  return {};
}

Status Transfer::write(Receiver& receiver) {
  const std::unique_ptr<Transaction> transaction = begin(receiver);
  for (auto& [key, item] : receiver.items) {
    TRY_ASSIGN(const Item* stored, transaction->find(key));
    if (stored != nullptr && stored->number != item.number) {
      return fail(ErrorCode::kAlreadyExists,
                  fmt::format("Two documents with the id '{}' would be in one logical partition.", item.id()));
    }
    TRY(transaction->put(key, std::move(item)));
  }
  receiver.items.clear();
  receiver.item_bytes = 0;
  return apply(receiver, *transaction);
}

std::unique_ptr<Transaction> Transfer::begin(const Receiver& receiver) const {
  const Target& target = receiver.target;
  auto transaction = std::make_unique<Transaction>(receiver.slice, *target.index.policy, target.rules->unique_keys);
  if (lsns_ == Lsns::kKept) transaction->keep_lsns();
  return transaction;
}

Status Transfer::apply(Receiver& receiver, Transaction& transaction) {
  if (transaction.is_empty()) return {};
  Lsn lsn = receiver.counters.lsn;
  if (lsns_ == Lsns::kGiven) lsn.value += 1;
  TRY(transaction.prepare());
  transaction.seal(lsn, receiver.counters);
  TRY_ASSIGN(const CommitTicket ticket, destination_.apply(transaction.batch()));
  return pace(ticket, 1);
}

// Rests as long as the work since the last rest has taken, making the batch included.
Status Transfer::pace(CommitTicket newest, uint64_t own_batches) {
  if (is_cancelled_) return fail(ErrorCode::kUnavailable, "The server is stopping.");
  const bool is_alone = newest == last_ticket_ + own_batches;
  const int64_t worked_us = clock_.steady_us() - worked_since_us_;
  if (rests_ && !is_alone) std::this_thread::sleep_for(std::chrono::microseconds(std::min(worked_us, kRestMicrosecondsMax)));
  worked_since_us_ = clock_.steady_us();
  last_ticket_ = newest;
  return {};
}

Result<CommitTicket> Transfer::finish(const PartitionCounters& sources) {
  WriteBatch batch(destination_);
  for (Receiver& receiver : receivers_) {
    receiver.counters.lsn = std::max(receiver.counters.lsn, sources.lsn);
    receiver.counters.newest = std::max(receiver.counters.newest, sources.newest);
    receiver.counters.versions_after = std::max(receiver.counters.versions_after, sources.versions_after);
    batch.put(Family::kCatalog, counters_key(receiver.target.id), encode_counters(receiver.counters));
  }
  return destination_.apply(batch);
}

}  // namespace partita
