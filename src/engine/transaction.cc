#include "engine/transaction.h"

#include "base/bytes.h"
#include "base/check.h"

#include <algorithm>

namespace partita {

Transaction::Transaction(const Slice& slice, const IndexingPolicy& policy)
    : slice_(slice), generation_{slice.index(), &policy}, batch_(slice.store()) {}

Result<const Item*> Transaction::find(const std::string& item_key) {
  auto known = entries_.find(item_key);
  if (known == entries_.end()) {
    TRY_ASSIGN(std::optional<Item> stored, slice_.find(item_key));
    known = entries_.emplace(item_key, Entry{stored, stored, false}).first;
  }
  return known->second.current ? &*known->second.current : nullptr;
}

void Transaction::put(const std::string& item_key, Item item) {
  const auto known = entries_.find(item_key);
  CHECK(known != entries_.end());
  Entry& entry = known->second;
  CHECK(!entry.current || entry.current->number == item.number);
  changes_ += entry.is_changed ? 0 : 1;
  entry.is_changed = true;
  entry.current = std::move(item);
}

void Transaction::erase(const std::string& item_key) {
  const auto known = entries_.find(item_key);
  CHECK(known != entries_.end() && known->second.current);
  Entry& entry = known->second;
  changes_ += entry.is_changed ? 0 : 1;
  entry.is_changed = true;
  entry.current.reset();
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

void Transaction::prepare() {
  // Removals first: a document that changes its id is removed under one key and put under another with the same number.
  for (const bool removes : {true, false}) {
    for (const auto& [key, entry] : entries_) {
      if (!entry.is_changed || entry.current.has_value() == removes) continue;
      index_terms_changed_ += write_index_difference(entry, generation_);
      if (growing_) write_index_difference(entry, *growing_);
    }
  }
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
    ++changed;
  };
  const auto add = [&](std::string_view term) {
    assign_index_key(key, generation.index, term, entry.current->number);
    batch_.put(Family::kIndex, key, {});
    ++changed;
  };
  size_t i = 0;
  size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const int order = i == before.size() ? 1 : j == after.size() ? -1 : before[i].compare(after[j]);
    if (order < 0) {
      remove(before[i++]);
    } else if (order > 0) {
      add(after[j++]);
    } else {
      if (!keeps_number) {
        remove(before[i]);
        add(after[j]);
      }
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
  return numbers;
}

void Transaction::seal(Lsn lsn, PartitionCounters& counters) {
  counters.lsn = lsn;
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
