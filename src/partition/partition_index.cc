#include "partition/partition_index.h"

#include "base/bytes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace partita {

PartitionIndex::State PartitionIndex::state() const {
  std::lock_guard lock(mutex_);
  return {index_, growth_ ? std::optional(growth_->index) : std::nullopt, rules_, changes_};
}

PartitionIndex::Reading PartitionIndex::reading() const {
  std::lock_guard lock(mutex_);
  return {index_.id, rules_->time_to_live};
}

PartitionIndex::Index PartitionIndex::index() const {
  std::lock_guard lock(mutex_);
  return index_;
}

std::optional<PartitionIndex::Index> PartitionIndex::durable_index() const {
  std::lock_guard lock(mutex_);
  if (!store_.is_durable(index_since_)) return std::nullopt;
  return index_;
}

std::optional<PartitionIndex::Growth> PartitionIndex::growth() const {
  std::lock_guard lock(mutex_);
  return growth_;
}

uint64_t PartitionIndex::changes() const {
  std::lock_guard lock(mutex_);
  return changes_;
}

double PartitionIndex::progress() const {
  constexpr double kAlmost = 0.99;
  std::lock_guard lock(mutex_);
  if (!growth_) return 1;
  if (growth_->until.value == 0) return kAlmost;
  return std::min(kAlmost, static_cast<double>(growth_->filled_to.value) / static_cast<double>(growth_->until.value));
}

void PartitionIndex::set_rules(Rules rules) {
  std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
}

void PartitionIndex::set(Index index, std::optional<Growth> growth) {
  std::lock_guard lock(mutex_);
  if (index_.id != index.id) index_since_ = store_.applied();
  index_ = std::move(index);
  growth_ = std::move(growth);
  ++changes_;
}

// Documents cannot change while their entries are written, so these are never older than what a writer left.
Result<bool> PartitionIndex::fill(IndexId growing, const Slice& slice, Sequencer& sequencer) {
  constexpr size_t kBatchBytes = 1 << 20;
  constexpr size_t kDocumentsPerPause = 256;
  const std::optional<Growth> before = growth();
  if (!before || before->index.id != growing) return true;
  DocumentNumber filled_to = before->filled_to;
  Cursor cursor = slice.items_after(filled_to);
  WriteBatch batch(store_);
  TermList terms;
  std::string key;
  size_t documents = 0;
  for (cursor.seek_first(); cursor.valid() && documents < kDocumentsPerPause && batch.bytes() < kBatchBytes; cursor.next()) {
    TRY_ASSIGN(const Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
    if (item.number > before->until) break;
    collect_terms(item.document(), *before->index.policy, terms);
    for (size_t i = 0; i < terms.size(); ++i) {
      assign_index_key(key, growing, terms[i], item.number);
      batch.put(Family::kIndex, key, terms.payload(i));
    }
    filled_to = item.number;
    ++documents;
  }
  TRY(cursor.status());
  std::string filled_to_bytes;
  append_big_endian(filled_to_bytes, filled_to.value);
  batch.put(Family::kCatalog, index_progress_key(growing), filled_to_bytes);
  TRY_ASSIGN(const bool is_applied, sequencer.apply_rows(batch));
  if (!is_applied) return true;
  std::lock_guard lock(mutex_);
  growth_->filled_to = filled_to;
  return !cursor.valid() || trailing_number(cursor.key()) > before->until;
}

}  // namespace partita
