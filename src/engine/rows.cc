#include "engine/rows.h"

#include "base/bytes.h"
#include "base/check.h"
#include "engine/item/document_form.h"
#include "engine/time_to_live.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

constexpr uint8_t kCountersFormat = 1;
constexpr size_t kCountersBytes = 1 + 6 * sizeof(uint64_t);
constexpr size_t kLsnOffset = 4;

}  // namespace

std::string partition_prefix(PartitionId partition) {
  std::string key;
  append_big_endian(key, partition.value);
  return key;
}

std::string item_key(PartitionId partition, std::string_view effective_key, const PartitionKey& key, std::string_view id) {
  std::string bytes;
  bytes.reserve(4 + effective_key.size() + 32 + id.size());
  append_big_endian(bytes, partition.value);
  bytes += effective_key;
  key.append_key_form(bytes);
  bytes += id;
  return bytes;
}

std::string item_row_key(PartitionId partition, DocumentNumber number) {
  std::string key;
  append_big_endian(key, partition.value);
  append_big_endian(key, number.value);
  return key;
}

std::string change_key(PartitionId partition, Lsn lsn, DocumentNumber number) {
  std::string key;
  append_big_endian(key, partition.value);
  append_big_endian(key, lsn.value);
  append_big_endian(key, number.value);
  return key;
}

std::string unique_key(std::string_view item_key, std::string_view id, std::string_view value) {
  CHECK(item_key.ends_with(id));
  std::string key(item_key.substr(0, item_key.size() - id.size()));
  key += value;
  return key;
}

std::string expiry_key(PartitionId partition, int64_t second, DocumentNumber number) {
  std::string key;
  append_big_endian(key, partition.value);
  append_big_endian(key, static_cast<uint64_t>(std::max<int64_t>(second, 0)));
  append_big_endian(key, number.value);
  return key;
}

std::string index_prefix(IndexId index) {
  std::string key;
  append_big_endian(key, index.value);
  return key;
}

void assign_index_key(std::string& out, IndexId index, std::string_view term, DocumentNumber number) {
  out.clear();
  append_big_endian(out, index.value);
  out += term;
  append_big_endian(out, number.value);
}

std::string index_progress_key(IndexId index) {
  std::string key = "g";
  append_big_endian(key, index.value);
  return key;
}

std::string counters_key(PartitionId partition) {
  std::string key = "p";
  append_big_endian(key, partition.value);
  return key;
}

std::string heat_key(PartitionId partition) {
  std::string key = "h";
  append_big_endian(key, partition.value);
  return key;
}

// Rows that are too short for what they should name, which only a damaged store has, name nothing: no document and no write has
// the number 0.
DocumentNumber trailing_number(std::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) return {};
  return {load_big_endian<uint64_t>(bytes.data() + bytes.size() - sizeof(uint64_t))};
}

Lsn lsn_of_change_key(std::string_view key) {
  if (key.size() != 4 + 2 * sizeof(uint64_t)) return {};
  return {load_big_endian<uint64_t>(key.data() + 4)};
}

std::string item_record(std::string_view stored_document) {
  std::string record(kItemHeaderBytes, '\0');
  record[0] = static_cast<char>(kItemRecordFormat);
  record += stored_document;
  return record;
}

std::string record_with_members(std::string_view record, const std::function<void(StoredWriter&)>& write_members) {
  const Value document = RecordView(record).document();
  StoredWriter out;
  out.begin_object();
  bool is_written = false;
  for (size_t i = 0; i < document.size(); ++i) {
    const auto [name, value] = document.member(i);
    if (!is_written && DocumentForm().is_system_property(name)) {
      write_members(out);
      is_written = true;
    }
    out.key(name);
    out.value(value);
  }
  if (!is_written) write_members(out);
  out.end_object();
  return std::string(record.substr(0, kItemHeaderBytes)) + std::string(out.bytes());
}

std::string plain_item_record(std::string_view name, int64_t unix_seconds, std::string_view stored_value) {
  std::string record;
  record.reserve(kPlainHeaderBytes + name.size() + stored_value.size());
  record.resize(kItemHeaderBytes);
  record[0] = static_cast<char>(kPlainRecordFormat);
  append_little_endian(record, static_cast<uint64_t>(unix_seconds));
  append_little_endian(record, static_cast<uint32_t>(name.size()));
  record += name;
  record += stored_value;
  return record;
}

std::string_view RecordView::id() const {
  if (has_system_properties()) return document().find("id").string();
  return record_.substr(kPlainHeaderBytes, document_offset(record_) - kPlainHeaderBytes);
}

int64_t RecordView::written_seconds() const {
  if (!has_system_properties()) return static_cast<int64_t>(load_little_endian<uint64_t>(record_.data() + kItemHeaderBytes));
  const Value written = document().find(system_property::kWrittenSeconds);
  return written.is_number() ? written.integer().value_or(0) : 0;
}

std::optional<int64_t> RecordView::own_expiry() const {
  return has_system_properties() ? own_expiry_of(document()) : std::nullopt;
}

void set_lsn(std::string& record, Lsn lsn) { store_little_endian(record.data() + kLsnOffset, lsn.value); }

Lsn lsn_of_record(std::string_view record) { return {load_little_endian<uint64_t>(record.data() + kLsnOffset)}; }

Result<Value> document_of_record(DocumentNumber number, std::string_view record) {
  const bool is_service = record.size() > kItemHeaderBytes && static_cast<uint8_t>(record[0]) == kItemRecordFormat;
  if (is_service) [[likely]]
    return Value::view(record.substr(kItemHeaderBytes));
  const bool is_plain = record.size() > kPlainHeaderBytes && static_cast<uint8_t>(record[0]) == kPlainRecordFormat &&
                        document_offset(record) < record.size();
  if (is_plain) return Value::view(record.substr(document_offset(record)));
  return fail(ErrorCode::kCorruption, fmt::format("the record of document number {} has no header of format {} or {}",
                                                  number.value, kItemRecordFormat, kPlainRecordFormat));
}

Result<Item> item_from_record(DocumentNumber number, std::string record) {
  TRY(document_of_record(number, record));
  return Item{number, std::move(record)};
}

std::string encode_counters(const PartitionCounters& counters) {
  std::string bytes;
  bytes += static_cast<char>(kCountersFormat);
  append_little_endian(bytes, counters.documents);
  append_little_endian(bytes, counters.record_bytes);
  append_little_endian(bytes, counters.lsn.value);
  append_little_endian(bytes, counters.newest.value);
  append_little_endian(bytes, counters.versions_after.value);
  append_little_endian(bytes, counters.version_bytes);
  return bytes;
}

Result<PartitionCounters> decode_counters(std::string_view bytes) {
  if (bytes.size() != kCountersBytes || static_cast<uint8_t>(bytes[0]) != kCountersFormat) {
    return fail(ErrorCode::kCorruption, "a partition's counters cannot be decoded");
  }
  const auto field = [&](size_t index) { return load_little_endian<uint64_t>(bytes.data() + 1 + index * sizeof(uint64_t)); };
  return PartitionCounters{field(0), field(1), Lsn{field(2)}, DocumentNumber{field(3)}, Lsn{field(4)}, field(5)};
}

}  // namespace partita
