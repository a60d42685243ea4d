#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "document/key/partition_key.h"
#include "document/stored/stored_writer.h"
#include "document/system_properties.h"
#include "document/value.h"
#include "engine/item/identity.h"
#include "storage/keyspace.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

// The rows that one partition keeps in a store. ON DISK: docs/formats/keyspace.md and docs/formats/item-record.md.
namespace partita {

// The families whose keys begin with the partition.
inline constexpr std::array<Family, 7> kPartitionFamilies = {
    Family::kItems, Family::kKeys, Family::kChanges, Family::kUnique, Family::kExpiry, Family::kVersions, Family::kAttachments};
std::string partition_prefix(PartitionId partition);

// keys: partition, effective key, partition key, id.
std::string item_key(PartitionId partition, std::string_view effective_key, const PartitionKey& key, std::string_view id);
// items: partition, document number.
std::string item_row_key(PartitionId partition, DocumentNumber number);
// changes and versions: partition, LSN, document number.
std::string change_key(PartitionId partition, Lsn lsn, DocumentNumber number);
// unique: what precedes the id in the document's key in `keys`, then one of its UniqueKeys::values_of().
std::string unique_key(std::string_view item_key, std::string_view id, std::string_view value);
// expiry: partition, the first second without the document, document number.
std::string expiry_key(PartitionId partition, int64_t second, DocumentNumber number);
// index: generation, then the term as collect_terms wrote it, then the document number.
std::string index_prefix(IndexId index);
void assign_index_key(std::string& out, IndexId index, std::string_view term, DocumentNumber number);
// catalog: up to which document a generation of an index that is being built has its entries (8 bytes, big-endian).
std::string index_progress_key(IndexId index);
// catalog: the row of a partition's counters.
std::string counters_key(PartitionId partition);
// catalog: how the partition was used in the past.
std::string heat_key(PartitionId partition);

// The document number at the end of an item row, change or index key, or in the value of a keys row.
DocumentNumber trailing_number(std::string_view bytes);
Lsn lsn_of_change_key(std::string_view key);

// Item record:
//
//   byte 0      format, 1
//   bytes 1-3   zero
//   bytes 4-11  LSN of the last write, little-endian
//   bytes 12-   the document in stored form, system properties included
//
// Of a document without system properties, which has nothing in it but what was stored:
//
//   byte 0        format, 2
//   bytes 1-11    as above
//   bytes 12-19   when it was last written, Unix seconds, little-endian
//   bytes 20-23   length of its name, little-endian
//   bytes 24-     its name: that with which its primary key ends
//   then          the value in stored form
inline constexpr uint8_t kItemRecordFormat = 1;
inline constexpr uint8_t kPlainRecordFormat = 2;
inline constexpr size_t kItemHeaderBytes = 12;
inline constexpr size_t kPlainHeaderBytes = 24;  // without the name

std::string item_record(std::string_view stored_document);
std::string plain_item_record(std::string_view name, int64_t unix_seconds, std::string_view stored_value);
// The record with more members in its document, before those that the server makes. REQUIRES: it has system properties.
std::string record_with_members(std::string_view record, const std::function<void(StoredWriter&)>& write_members);
// Where the document begins. REQUIRES: document_of_record() accepts the record.
inline size_t document_offset(std::string_view record) {
  if (static_cast<uint8_t>(record.front()) == kItemRecordFormat) [[likely]]
    return kItemHeaderBytes;
  return kPlainHeaderBytes + load_little_endian<uint32_t>(record.data() + kPlainHeaderBytes - sizeof(uint32_t));
}
void set_lsn(std::string& record, Lsn lsn);
// REQUIRES: it has a header.
Lsn lsn_of_record(std::string_view record);

// RecordView: what an item record says. Valid while the record lives. REQUIRES: document_of_record() accepts the record.
class RecordView {
 public:
  explicit RecordView(std::string_view record) : record_(record) {}

  Lsn lsn() const { return lsn_of_record(record_); }
  Value document() const { return Value::view(record_.substr(document_offset(record_))); }
  bool has_system_properties() const { return static_cast<uint8_t>(record_.front()) == kItemRecordFormat; }
  // With its quotes, as clients send it back. Empty where the LSN is the version.
  std::string_view etag() const {
    return has_system_properties() ? document().find(system_property::kVersion).string() : std::string_view();
  }
  // What it is called in its logical partition.
  std::string_view id() const;
  // When it was last written.
  int64_t written_seconds() const;
  // The first second without a document that gives itself a number of seconds; nothing for all others.
  std::optional<int64_t> own_expiry() const;

 private:
  std::string_view record_;
};

// Item: one document as stored, with where it is.
struct Item {
  DocumentNumber number;
  std::string record;

  RecordView view() const { return RecordView(record); }
  Lsn lsn() const { return lsn_of_record(record); }
  Value document() const { return view().document(); }
  std::string_view etag() const { return view().etag(); }
  std::string_view id() const { return view().id(); }
};

// Both check the header; the document itself is validated only by the consistency check.
Result<Value> document_of_record(DocumentNumber number, std::string_view record);
Result<Item> item_from_record(DocumentNumber number, std::string record);

// What a partition knows about itself without reading its rows; kept up to date by every write.
struct PartitionCounters {
  uint64_t documents = 0;
  uint64_t record_bytes = 0;  // of the documents, and of their attachments
  Lsn lsn;
  DocumentNumber newest;  // no document number above it was ever stored here
  Lsn versions_after;     // versions of all writes behind it are kept
  uint64_t version_bytes = 0;

  uint64_t stored_bytes() const { return record_bytes + version_bytes; }

  bool operator==(const PartitionCounters&) const = default;
};
std::string encode_counters(const PartitionCounters& counters);
Result<PartitionCounters> decode_counters(std::string_view bytes);

}  // namespace partita
