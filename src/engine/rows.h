#pragma once

#include "base/result.h"
#include "document/partition_key.h"
#include "document/value.h"
#include "engine/identity.h"
#include "storage/keyspace.h"

#include <array>
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
inline constexpr uint8_t kItemRecordFormat = 1;
inline constexpr size_t kItemHeaderBytes = 12;

std::string item_record(std::string_view stored_document);
void set_lsn(std::string& record, Lsn lsn);
// REQUIRES: it has a header.
Lsn lsn_of_record(std::string_view record);

// Item: one document as stored, with where it is.
struct Item {
  DocumentNumber number;
  std::string record;

  Lsn lsn() const { return lsn_of_record(record); }
  Value document() const { return Value::view(std::string_view(record).substr(kItemHeaderBytes)); }
  // With its quotes, as clients send it back.
  std::string_view etag() const { return document().find("_etag").string(); }
  std::string_view id() const { return document().find("id").string(); }
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
