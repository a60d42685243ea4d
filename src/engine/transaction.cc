#include "engine/transaction.h"

#include "base/bytes.h"
#include "base/check.h"
#include "engine/versions.h"

#include <algorithm>

namespace partita {

Transaction::Transaction(const Slice& slice, const IndexingPolicy& policy, const UniqueKeys& unique_keys)
    : slice_(slice), generation_{slice.index(), &policy}, unique_keys_(unique_keys), attachments_(slice), batch_(slice.store()) {}

Result<const Item*> Transaction::find(const std::string& item_key) {
  auto found = entries_.find(item_key);
  if (found == entries_.end()) {
    TRY_ASSIGN(std::optional<Item> stored, slice_.find_stored(item_key));
    Entry entry{.stored = std::move(stored), .current = std::nullopt, .is_changed = false};
    if (entry.stored && slice_.is_visible(entry.stored->document())) entry.current = entry.stored;
    held_bytes_ += entry.bytes();
    read_bytes_ += entry.bytes();
    found = entries_.emplace(item_key, std::move(entry)).first;
  }
  return found->second.current ? &*found->second.current : nullptr;
}

Transaction::Entry& Transaction::known(const std::string& item_key) {
  const auto entry = entries_.find(item_key);
  CHECK(entry != entries_.end());
  return entry->second;
}

void Transaction::change(Entry& entry, std::optional<Item> next) {
  const Item* written = next ? &*next : entry.holder();
  ++work_.writes;
  work_.write_bytes += written == nullptr ? 0 : written->record.size();
  if (!next && entry.current) left_.push_back(entry.current->number);
  changes_ += entry.is_changed ? 0 : 1;
  if (!entry.is_changed) read_bytes_ -= entry.bytes();
  entry.is_changed = true;
  held_bytes_ -= entry.bytes();
  entry.current = std::move(next);
  held_bytes_ += entry.bytes();
}

Status Transaction::check_room() const {
  if (held_bytes() <= kTransactionBytesMax && work_.writes <= kTransactionWritesMax) return {};
  return fail(ErrorCode::kTooLarge,
              "The transaction is too large: the documents that it reads and writes have more bytes, or are more, than one "
              "transaction may keep. Do the work in several parts.");
}

void Transaction::forget_unchanged() {
  std::erase_if(entries_, [this](const auto& known) {
    if (known.second.is_changed) return false;
    held_bytes_ -= known.second.bytes();
    return true;
  });
  read_bytes_ = 0;
}

Status Transaction::put(const std::string& item_key, Item item) {
  Entry& entry = known(item_key);
  CHECK(!entry.current || entry.current->number == item.number);
  TRY(claim_unique_values(item_key, entry, item));
  change(entry, std::move(item));
  return {};
}

void Transaction::erase(const std::string& item_key) {
  Entry& entry = known(item_key);
  CHECK(entry.current);
  release_unique_values(item_key, entry);
  change(entry, std::nullopt);
}

Status Transaction::erase_expired(const std::string& item_key) {
  TRY(find(item_key));
  Entry& entry = known(item_key);
  const bool has_expired = entry.stored && !entry.current && !entry.is_changed;
  if (!has_expired) return {};
  release_unique_values(item_key, entry);
  change(entry, std::nullopt);
  return {};
}

std::vector<std::string> Transaction::unique_rows(const std::string& item_key, const Item* item) const {
  if (item == nullptr || unique_keys_.is_empty()) return {};
  std::vector<std::string> rows = unique_keys_.values_of(item->document());
  for (std::string& row : rows) row = unique_key(item_key, item->id(), row);
  return rows;
}

Result<std::optional<DocumentNumber>> Transaction::holder_of(const std::string& unique_row) const {
  if (const auto changed = unique_changes_.find(unique_row); changed != unique_changes_.end()) return changed->second;
  std::string number;
  TRY_ASSIGN(const bool is_taken, slice_.store().get(Family::kUnique, unique_row, number, slice_.snapshot()));
  if (!is_taken) return std::nullopt;
  if (number.size() != sizeof(uint64_t)) return fail(ErrorCode::kCorruption, "a unique value's row has no document number");
  return trailing_number(number);
}

// Checks all values before it takes any of them.
Status Transaction::claim_unique_values(const std::string& item_key, const Entry& entry, const Item& item) {
  const std::vector<std::string> rows = unique_rows(item_key, &item);
  const Item* before = entry.holder();
  for (const std::string& row : rows) {
    if (keeps_lsns_) break;
    TRY_ASSIGN(const std::optional<DocumentNumber> holder, holder_of(row));
    if (!holder || *holder == item.number || (before != nullptr && *holder == before->number)) continue;
    TRY(make_way(item_key, item.id(), *holder));
  }
  release_unique_values(item_key, entry);
  for (const std::string& row : rows) unique_changes_[row] = item.number;
  return {};
}

// A unique value may be held by a document that has expired and is only not removed yet: then it is removed now.
Status Transaction::make_way(const std::string& item_key, std::string_view id, DocumentNumber holder) {
  TRY_ASSIGN(const std::optional<Item> other, slice_.load_stored(holder));
  if (other && !slice_.is_visible(other->document())) {
    const std::string other_key = item_key.substr(0, item_key.size() - id.size()) + std::string(other->id());
    TRY(erase_expired(other_key));
    return {};
  }
  return fail(ErrorCode::kAlreadyExists, "Another document has the same values at the paths of a unique key.",
              ErrorDetail::kUniqueValues);
}

// In a copy another document may have taken a value already that this one gives up: then it stays taken.
void Transaction::release_unique_values(const std::string& item_key, const Entry& entry) {
  const Item* before = entry.holder();
  for (const std::string& row : unique_rows(item_key, before)) {
    const Result<std::optional<DocumentNumber>> holder = holder_of(row);
    if (holder && *holder && **holder != before->number) continue;
    unique_changes_[row] = std::nullopt;
  }
}

void Transaction::write_unique_rows() {
  for (const auto& [row, holder] : unique_changes_) {
    if (!holder) {
      batch_.erase(Family::kUnique, row);
      continue;
    }
    std::string number;
    append_big_endian(number, holder->value);
    batch_.put(Family::kUnique, row, number);
  }
}

void Transaction::write_expiry(const Entry& entry) {
  const PartitionId partition = slice_.partition();
  const auto row_of = [&](const std::optional<Item>& item) -> std::string {
    const std::optional<int64_t> second = item ? item->view().own_expiry() : std::nullopt;
    return second ? expiry_key(partition, *second, item->number) : std::string();
  };
  const std::string before = row_of(entry.stored);
  const std::string after = row_of(entry.current);
  if (before == after) return;
  if (!before.empty()) batch_.erase(Family::kExpiry, before);
  if (!after.empty()) batch_.put(Family::kExpiry, after, {});
}

// A document is known by its number: one that changed its id is erased under one key and put under another, which is a
// replacement.
void Transaction::collect_versions() {
  std::map<DocumentNumber, const Item*> before;
  for (const auto& [key, entry] : entries_) {
    if (entry.is_changed && entry.stored) before[entry.stored->number] = &*entry.stored;
  }
  for (const auto& [key, entry] : entries_) {
    if (!entry.is_changed || !entry.current) continue;
    const auto replaced = before.find(entry.current->number);
    VersionOrigin origin{.kind = VersionKind::kCreated, .has_expired = false, .previous = {}, .seconds = *versions_at_};
    if (replaced != before.end()) {
      origin.kind = VersionKind::kReplaced;
      origin.previous = replaced->second->lsn();
      before.erase(replaced);
    }
    versions_.emplace_back(entry.current->number, version_record(origin, *entry.current));
  }
  for (const auto& [number, item] : before) {
    const VersionOrigin origin{.kind = VersionKind::kErased,
                               .has_expired = !slice_.is_visible(item->document()),
                               .previous = item->lsn(),
                               .seconds = *versions_at_};
    versions_.emplace_back(number, version_record(origin, *item));
  }
}

void Transaction::visit_changes(const std::function<void(DocumentNumber, const Item*)>& visit) const {
  for (const auto& [item_key, entry] : entries_) {
    if (!entry.is_changed) continue;
    if (entry.current) {
      visit(entry.current->number, &*entry.current);
    } else if (entry.stored) {
      visit(entry.stored->number, nullptr);
    }
  }
}

// Those of documents that are gone are dropped: stored ones, and such as were created here and erased again.
Status Transaction::write_attachments() {
  std::set<DocumentNumber> gone(left_.begin(), left_.end());
  for (const auto& [key, entry] : entries_) {
    const bool is_kept = entry.stored && entry.current && entry.current->number == entry.stored->number;
    if (entry.is_changed && entry.stored && !is_kept) gone.insert(entry.stored->number);
  }
  if (!gone.empty()) {
    for (const auto& [key, entry] : entries_) {
      if (entry.current) gone.erase(entry.current->number);
    }
  }
  for (DocumentNumber document : gone) TRY(attachments_.drop(document, batch_));
  attachments_.write(batch_);
  return {};
}

Status Transaction::prepare() {
  TRY(write_attachments());
  write_unique_rows();
  if (versions_at_) collect_versions();
  // Removals first: a document that changes its id is removed under one key and put under another with the same number.
  for (const bool removes : {true, false}) {
    for (const auto& [key, entry] : entries_) {
      if (!entry.is_changed || entry.current.has_value() == removes) continue;
      work_.index_entries_written += write_index_difference(entry, generation_);
      if (growing_) write_index_difference(entry, *growing_);
      write_expiry(entry);
    }
  }
  return {};
}

size_t Transaction::write_index_difference(const Entry& entry, const Generation& generation) {
  static thread_local TermList before;
  static thread_local TermList after;
  before.clear();
  after.clear();
  if (entry.stored) collect_terms(entry.stored->document(), *generation.policy, before);
  if (entry.current) collect_terms(entry.current->document(), *generation.policy, after);
  const bool keeps_number = entry.stored && entry.current && entry.stored->number == entry.current->number;

  std::string key;
  size_t changed = 0;
  const auto remove = [&](std::string_view term) {
    assign_index_key(key, generation.index, term, entry.stored->number);
    batch_.erase(Family::kIndex, key);
    changed += is_shape(term) ? 0 : 1;
  };
  const auto add = [&](size_t index) {
    assign_index_key(key, generation.index, after[index], entry.current->number);
    batch_.put(Family::kIndex, key, after.payload(index));
    changed += is_shape(after[index]) ? 0 : 1;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const int order = i == before.size() ? 1 : j == after.size() ? -1 : before[i].compare(after[j]);
    if (order < 0) {
      remove(before[i++]);
    } else if (order > 0) {
      add(j++);
    } else {
      if (!keeps_number) remove(before[i]);
      if (!keeps_number || before.payload(i) != after.payload(j)) add(j);
      ++i;
      ++j;
    }
  }
  return changed;
}

std::vector<DocumentNumber> Transaction::changed_numbers() const {
  std::vector<DocumentNumber> numbers;
  for (const auto& [key, entry] : entries_) {
    if (!entry.is_changed) continue;
    if (entry.stored) numbers.push_back(entry.stored->number);
    if (entry.current && (!entry.stored || entry.stored->number != entry.current->number)) {
      numbers.push_back(entry.current->number);
    }
  }
  numbers.insert(numbers.end(), attachments_.changed().begin(), attachments_.changed().end());
  return numbers;
}

void Transaction::seal(Lsn lsn, PartitionCounters& counters) {
  counters.lsn = lsn;
  counters.record_bytes += static_cast<uint64_t>(attachments_.grown());
  if (!versions_at_) counters.versions_after = lsn;
  for (const auto& [number, record] : versions_) {
    batch_.put(Family::kVersions, change_key(slice_.partition(), lsn, number), record);
    counters.version_bytes += record.size();
  }
  for (const bool removes : {true, false}) {
    for (auto& [key, entry] : entries_) {
      if (entry.is_changed && entry.current.has_value() != removes) write_rows(key, entry, lsn, counters);
    }
  }
  batch_.put(Family::kCatalog, counters_key(slice_.partition()), encode_counters(counters));
}

void Transaction::write_rows(const std::string& item_key, Entry& entry, Lsn lsn, PartitionCounters& counters) {
  const PartitionId partition = slice_.partition();
  if (entry.stored) {
    batch_.erase(Family::kChanges, change_key(partition, entry.stored->lsn(), entry.stored->number));
    counters.documents -= 1;
    counters.record_bytes -= entry.stored->record.size();
  }
  if (entry.stored && (!entry.current || entry.current->number != entry.stored->number)) {
    batch_.erase(Family::kItems, item_row_key(partition, entry.stored->number));
  }
  if (!entry.current) {
    if (entry.stored) batch_.erase(Family::kKeys, item_key);
    return;
  }
  Item& item = *entry.current;
  if (keeps_lsns_) lsn = item.lsn();
  set_lsn(item.record, lsn);
  batch_.put(Family::kItems, item_row_key(partition, item.number), item.record);
  if (!entry.stored || entry.stored->number != item.number) {
    std::string number;
    append_big_endian(number, item.number.value);
    batch_.put(Family::kKeys, item_key, number);
  }
  batch_.put(Family::kChanges, change_key(partition, lsn, item.number), {});
  counters.documents += 1;
  counters.record_bytes += item.record.size();
  counters.newest = std::max(counters.newest, item.number);
}

}  // namespace partita
