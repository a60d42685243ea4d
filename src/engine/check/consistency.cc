#include "engine/check/consistency.h"

#include "base/encodings.h"
#include "engine/check/check_attachments.h"
#include "engine/index/index_terms.h"
#include "engine/versions.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

constexpr size_t kItemRowKeyBytes = sizeof(uint32_t) + sizeof(uint64_t);
constexpr std::string_view kItemZeros("\0\0\0", 3);  // behind the format

std::string describe(const Item& item) { return fmt::format("document '{}' (number {})", item.id(), item.number.value); }

class ConsistencyCheck {
 public:
  ConsistencyCheck(const Slice& slice, const PartitionKeyDefinition& partition_key, const EffectiveKeyRange& range,
                   const IndexingPolicy& policy, const UniqueKeys& unique_keys)
      : slice_(slice),
        partition_key_(partition_key),
        range_(range),
        policy_(policy),
        unique_keys_(unique_keys),
        at_(slice.store().snapshot()) {}

  Result<ConsistencyReport> run() {
    TRY_ASSIGN(counters_, slice_.counters(at_.get()));
    report_.counted.versions_after = counters_.versions_after;
    TRY(check_items());
    TRY(check_versions());
    TRY(check_attachments(slice_, *at_, report_));
    TRY_ASSIGN(report_.index_entries, count(Family::kIndex));
    TRY_ASSIGN(const uint64_t keys, count(Family::kKeys));
    TRY_ASSIGN(const uint64_t changes, count(Family::kChanges));
    compare("index entries", terms_, report_.index_entries);
    compare("primary keys", report_.counted.documents, keys);
    compare("change records", report_.counted.documents, changes);
    TRY_ASSIGN(const uint64_t unique_values, count(Family::kUnique));
    compare("unique values", unique_values_, unique_values);
    TRY_ASSIGN(const uint64_t expiries, count(Family::kExpiry));
    compare("expiries", expiries_, expiries);
    TRY(check_counters());
    return report_;
  }

 private:
  Status check_items() {
    Cursor cursor = slice_.cursor(Family::kItems, at_.get());
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      if (cursor.key().size() != kItemRowKeyBytes) {
        report_.add(fmt::format("an item row has a key of {} bytes", cursor.key().size()));
        continue;
      }
      TRY(check_item(trailing_number(cursor.key()), cursor.value()));
    }
    return cursor.status();
  }

  Status check_item(DocumentNumber number, std::string_view record) {
    report_.counted.documents += 1;
    report_.counted.record_bytes += record.size();
    report_.counted.newest = std::max(report_.counted.newest, number);
    Result<Item> item = item_from_record(number, std::string(record));
    const Status form = item ? validate_stored_form(item->document().bytes()) : Status();
    const bool has_name = item && form && (!item->view().has_system_properties() || item->document().find("id").is_string());
    if (!has_name || record.substr(1, kItemZeros.size()) != kItemZeros) {
      report_.add(fmt::format("document number {} does not decode", number.value));
      return {};
    }
    report_.counted.lsn = std::max(report_.counted.lsn, item->lsn());
    TRY(check_key(*item));
    TRY(check_expiry(*item));
    const std::string change = change_key(slice_.partition(), item->lsn(), number);
    TRY(expect_row(Family::kChanges, change, *item, "change record"));
    if (item->lsn() > counters_.versions_after) TRY(check_version(change, *item));
    return check_terms(*item);
  }

  // The newest version of a document is the document.
  Status check_version(const std::string& change, const Item& item) {
    std::string record;
    TRY_ASSIGN(const bool is_known, slice_.store().get(Family::kVersions, change, record, at_.get()));
    const Result<ItemVersion> version = version_from_row(change, record);
    if (!is_known) {
      report_.add(fmt::format("{} lacks the version {}", describe(item), hex_upper(change)));
    } else if (version && version->document().bytes() != item.document().bytes()) {
      report_.add(fmt::format("{} has another version {}", describe(item), hex_upper(change)));
    }
    return {};
  }

  Status check_versions() {
    Cursor cursor = slice_.cursor(Family::kVersions, at_.get());
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      report_.counted.version_bytes += cursor.value().size();
      const Result<ItemVersion> version = version_from_row(cursor.key(), cursor.value());
      if (!version || !validate_stored_form(version->document().bytes())) {
        report_.add(fmt::format("a version of document number {} does not decode", trailing_number(cursor.key()).value));
      } else if (version->lsn > counters_.lsn) {
        report_.add(fmt::format("a version of document number {} is ahead of the counters' LSN", version->number.value));
      }
    }
    return cursor.status();
  }

  Status check_key(const Item& item) {
    const PartitionKey key = PartitionKey::of(item.document(), partition_key_);
    const EffectivePartitionKey hash = effective_partition_key(key, partition_key_);
    if (!range_.contains(hash)) {
      report_.add(fmt::format("{} has hash {} outside its partition's range", describe(item), hex_upper(hash)));
    }
    std::string number;
    TRY_ASSIGN(const bool is_known,
               slice_.store().get(Family::kKeys, item_key(slice_.partition(), hash, key, item.id()), number, at_.get()));
    if (!is_known || number.size() != sizeof(uint64_t) || trailing_number(number) != item.number) {
      report_.add(fmt::format("{} is not found under its primary key", describe(item)));
    }
    return check_unique_values(item_key(slice_.partition(), hash, key, item.id()), item);
  }

  Status check_unique_values(const std::string& key, const Item& item) {
    if (unique_keys_.is_empty()) return {};
    for (const std::string& value : unique_keys_.values_of(item.document())) {
      ++unique_values_;
      std::string number;
      TRY_ASSIGN(const bool is_known, slice_.store().get(Family::kUnique, unique_key(key, item.id(), value), number, at_.get()));
      if (!is_known || number.size() != sizeof(uint64_t) || trailing_number(number) != item.number) {
        report_.add(fmt::format("{} does not hold its unique value {}", describe(item), hex_upper(value)));
      }
    }
    return {};
  }

  Status check_expiry(const Item& item) {
    const std::optional<int64_t> second = item.view().own_expiry();
    if (!second) return {};
    ++expiries_;
    return expect_row(Family::kExpiry, expiry_key(slice_.partition(), *second, item.number), item, "expiry");
  }

  Status check_terms(const Item& item) {
    collect_terms(item.document(), policy_, list_);
    terms_ += list_.size();
    std::string key;
    for (size_t i = 0; i < list_.size(); ++i) {
      assign_index_key(key, slice_.index(), list_[i], item.number);
      TRY(expect_row(Family::kIndex, key, item, "index entry", list_.payload(i)));
    }
    return {};
  }

  Status expect_row(Family family, const std::string& key, const Item& item, std::string_view what,
                    std::string_view content = {}) {
    std::string value;
    TRY_ASSIGN(const bool is_known, slice_.store().get(family, key, value, at_.get()));
    if (!is_known) {
      report_.add(fmt::format("{} lacks the {} {}", describe(item), what, hex_upper(key)));
    } else if (value != content) {
      report_.add(fmt::format("{} has another {} {}", describe(item), what, hex_upper(key)));
    }
    return {};
  }

  Result<uint64_t> count(Family family) {
    uint64_t rows = 0;
    Cursor cursor = slice_.cursor(family, at_.get());
    for (cursor.seek_first(); cursor.valid(); cursor.next()) ++rows;
    TRY(cursor.status());
    return rows;
  }

  Status check_counters() {
    const PartitionCounters& kept = counters_;
    compare("documents by the counters", report_.counted.documents, kept.documents);
    compare("bytes by the counters", report_.counted.record_bytes, kept.record_bytes);
    compare("bytes of versions by the counters", report_.counted.version_bytes, kept.version_bytes);
    if (kept.lsn < report_.counted.lsn) report_.add("the counters' LSN is behind a document's");
    if (kept.newest < report_.counted.newest) report_.add("the counters' newest document number is behind a document's");
    return {};
  }

  void compare(std::string_view what, uint64_t expected, uint64_t found) {
    if (expected != found) report_.add(fmt::format("{}: expected {}, found {}", what, expected, found));
  }

  Slice slice_;
  const PartitionKeyDefinition& partition_key_;
  const EffectiveKeyRange& range_;
  const IndexingPolicy& policy_;
  const UniqueKeys& unique_keys_;
  std::shared_ptr<const Snapshot> at_;
  PartitionCounters counters_;
  ConsistencyReport report_;
  TermList list_;
  uint64_t terms_ = 0;
  uint64_t unique_values_ = 0;
  uint64_t expiries_ = 0;
};

}  // namespace

void ConsistencyReport::add(std::string message) {
  ++faults;
  if (messages.size() < kFaultMessagesMax) messages.push_back(std::move(message));
}

Result<ConsistencyReport> check_consistency(const Slice& slice, const PartitionKeyDefinition& partition_key,
                                            const EffectiveKeyRange& range, const IndexingPolicy& policy,
                                            const UniqueKeys& unique_keys) {
  return ConsistencyCheck(slice, partition_key, range, policy, unique_keys).run();
}

Result<ConsistencyReport> check_growing_index(const Slice& slice, IndexId growing, const IndexingPolicy& policy,
                                              DocumentNumber filled_to) {
  ConsistencyReport report;
  const std::shared_ptr<const Snapshot> at = slice.store().snapshot();
  uint64_t found = 0;
  TermList terms;
  std::string key;
  std::string value;
  Cursor items = slice.cursor(Family::kItems, at.get());
  for (items.seek_first(); items.valid(); items.next()) {
    TRY_ASSIGN(const Item item, item_from_record(trailing_number(items.key()), std::string(items.value())));
    collect_terms(item.document(), policy, terms);
    for (size_t i = 0; i < terms.size(); ++i) {
      assign_index_key(key, growing, terms[i], item.number);
      TRY_ASSIGN(const bool is_known, slice.store().get(Family::kIndex, key, value, at.get()));
      found += is_known ? 1 : 0;
      const bool is_right = is_known ? value == terms.payload(i) : item.number > filled_to;
      if (!is_right) report.add(fmt::format("{} lacks the new index entry {}", describe(item), hex_upper(key)));
    }
  }
  TRY(items.status());
  Cursor entries = Slice(slice.store(), slice.partition(), growing).cursor(Family::kIndex, at.get());
  for (entries.seek_first(); entries.valid(); entries.next()) ++report.index_entries;
  TRY(entries.status());
  if (found != report.index_entries) {
    report.add(fmt::format("new index entries: {} belong to documents, found {}", found, report.index_entries));
  }
  return report;
}

}  // namespace partita
