#include "partition/row_copy.h"

#include "base/check.h"
#include "engine/attachments.h"
#include "engine/rows.h"
#include "engine/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace partita {
namespace {

constexpr size_t kPrefixBytes = sizeof(uint32_t);
constexpr size_t kBytesPerPace = 64 << 10;

bool has_number_in_value(Family family) { return family == Family::kKeys || family == Family::kUnique; }

}  // namespace

RowCopy::RowCopy(const Slice& source, const Snapshot& at, const PartitionKeyDefinition& key, std::vector<Target> targets,
                 Pace pace)
    : source_(source), at_(at), key_(key), targets_(std::move(targets)), pace_(std::move(pace)) {
  CHECK(!targets_.empty() && targets_.size() <= kTargetsMax);
}

Status RowCopy::run() {
  TRY(copy_items());
  for (Family family : kPartitionFamilies) {
    if (family != Family::kItems) TRY(copy_family(family));
  }
  TRY(copy_family(Family::kIndex));
  return targets_.front().slice.store().ingest(std::move(finished_));
}

Status RowCopy::copy_items() {
  std::vector<SortedRows> rows = begin(Family::kItems);
  Cursor cursor = source_.cursor(Family::kItems, &at_);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    const DocumentNumber number = trailing_number(cursor.key());
    TRY_ASSIGN(const Value document, document_of_record(number, cursor.value()));
    TRY_ASSIGN(const size_t target, target_of(document));
    assign(number, target);
    PartitionCounters& counters = targets_[target].counters;
    counters.documents += 1;
    counters.record_bytes += cursor.value().size();
    counters.newest = number;
    TRY(add(rows, Family::kItems, target, cursor));
  }
  TRY(cursor.status());
  std::ranges::move(rows, std::back_inserter(finished_));
  return {};
}

Status RowCopy::copy_family(Family family) {
  std::vector<SortedRows> rows = begin(family);
  Cursor cursor = source_.cursor(family, &at_);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(const size_t target, target_for(family, cursor.key(), cursor.value()));
    TRY(add(rows, family, target, cursor));
  }
  TRY(cursor.status());
  std::ranges::move(rows, std::back_inserter(finished_));
  return {};
}

// Versions may be of documents that are gone.
Result<size_t> RowCopy::target_for(Family family, std::string_view key, std::string_view value) {
  if (family == Family::kAttachments) return target_of_attachment(key, value);
  if (family != Family::kVersions) return assigned(trailing_number(has_number_in_value(family) ? value : key));
  TRY_ASSIGN(const ItemVersion version, version_from_row(key, value));
  versions_until_ = version.lsn;
  TRY_ASSIGN(const size_t target, target_of(version.document()));
  targets_[target].counters.version_bytes += value.size();
  return target;
}

Result<size_t> RowCopy::target_of_attachment(std::string_view key, std::string_view value) {
  TRY_ASSIGN(const AttachmentRow row, AttachmentRow::parse(key));
  TRY_ASSIGN(const size_t target, assigned(row.document));
  if (row.has_content()) targets_[target].counters.record_bytes += value.size();
  return target;
}

Result<size_t> RowCopy::target_of(const Value& document) const {
  if (targets_.size() == 1) return 0;
  const EffectivePartitionKey hash = effective_partition_key(PartitionKey::of(document, key_), key_);
  const auto target = std::ranges::find_if(targets_, [&](const Target& each) { return each.range.contains(hash); });
  if (target != targets_.end()) return static_cast<size_t>(target - targets_.begin());
  return fail(ErrorCode::kCorruption,
              fmt::format("document '{}' lies outside its partition's range of hashes", document.find("id").string()));
}

void RowCopy::assign(DocumentNumber number, size_t target) {
  if (targets_.size() == 1) return;
  Chunk& chunk = chunks_[number.value / kChunk];
  chunk.is_known.set(number.value % kChunk);
  chunk.is_second.set(number.value % kChunk, target == 1);
}

Result<size_t> RowCopy::assigned(DocumentNumber number) const {
  if (targets_.size() == 1) return 0;
  const auto chunk = chunks_.find(number.value / kChunk);
  if (chunk == chunks_.end() || !chunk->second.is_known.test(number.value % kChunk)) {
    return fail(ErrorCode::kCorruption, fmt::format("a row points to document {}, which is not there", number.value));
  }
  return chunk->second.is_second.test(number.value % kChunk) ? 1 : 0;
}

std::vector<SortedRows> RowCopy::begin(Family family) const {
  std::vector<SortedRows> rows;
  for (size_t i = 0; i < targets_.size(); ++i) rows.push_back(targets_[i].slice.store().sorted_rows(family));
  return rows;
}

Status RowCopy::add(std::vector<SortedRows>& rows, Family family, size_t target, const Cursor& cursor) {
  const Slice& slice = targets_[target].slice;
  new_key_ = family == Family::kIndex ? index_prefix(slice.index()) : partition_prefix(slice.partition());
  new_key_ += cursor.key().substr(kPrefixBytes);
  TRY(rows[target].add(new_key_, cursor.value()));
  bytes_since_pace_ += new_key_.size() + cursor.value().size();
  if (bytes_since_pace_ < kBytesPerPace) return {};
  bytes_since_pace_ = 0;
  return pace_();
}

}  // namespace partita
