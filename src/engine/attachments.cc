#include "engine/attachments.h"

#include "base/bytes.h"
#include "base/prefix_end.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

constexpr size_t kPrefixBytes = sizeof(uint32_t) + sizeof(uint64_t);
constexpr size_t kHeadBytes = 2 * sizeof(uint32_t) + sizeof(uint64_t);

std::string key_of(PartitionId partition, DocumentNumber document, AttachmentRowKind kind) {
  std::string key = attachments_prefix(partition, document);
  key += static_cast<char>(kind);
  return key;
}

std::string numbered_key(PartitionId partition, DocumentNumber document, AttachmentRowKind kind, AttachmentNumber number) {
  std::string key = key_of(partition, document, kind);
  append_big_endian(key, number.value);
  return key;
}

}  // namespace

Status check_media_size(size_t bytes) {
  if (bytes <= kMediaBytesMax) return {};
  return fail(ErrorCode::kTooLarge,
              fmt::format("The request is too large: media has {} bytes, the limit is {}.", bytes, kMediaBytesMax),
              ErrorDetail::kRequestTooLarge);
}

std::string attachments_prefix(PartitionId partition, DocumentNumber document) { return item_row_key(partition, document); }

std::string attachment_key(PartitionId partition, DocumentNumber document, AttachmentNumber number) {
  return numbered_key(partition, document, AttachmentRowKind::kAttachment, number);
}

std::string attachment_id_key(PartitionId partition, DocumentNumber document, std::string_view id) {
  return key_of(partition, document, AttachmentRowKind::kId).append(id);
}

std::string media_key(PartitionId partition, DocumentNumber document, AttachmentNumber number) {
  return numbered_key(partition, document, AttachmentRowKind::kMedia, number);
}

std::string attachment_number_bytes(AttachmentNumber number) {
  std::string bytes;
  append_big_endian(bytes, number.value);
  return bytes;
}

Result<AttachmentRow> AttachmentRow::parse(std::string_view key) {
  const auto broken = [] { return fail(ErrorCode::kCorruption, "a row of attachments has an invalid key"); };
  if (key.size() < kPrefixBytes) return broken();
  AttachmentRow row{.document = trailing_number(key.substr(0, kPrefixBytes)), .kind = {}, .number = {}, .id = {}};
  std::string_view rest = key.substr(kPrefixBytes);
  if (rest.empty()) return row;
  row.kind = static_cast<AttachmentRowKind>(rest.front());
  rest.remove_prefix(1);
  if (row.kind == AttachmentRowKind::kId) {
    row.id = rest;
    return row;
  }
  if (!row.has_content() || rest.size() != sizeof(uint32_t)) return broken();
  row.number = AttachmentNumber{load_big_endian<uint32_t>(rest.data())};
  return row;
}

std::string encode_attachment_head(const AttachmentHead& head) {
  std::string bytes;
  append_little_endian(bytes, head.newest.value);
  append_little_endian(bytes, head.attachments);
  append_little_endian(bytes, head.bytes);
  return bytes;
}

Result<AttachmentHead> decode_attachment_head(std::string_view bytes) {
  if (bytes.size() != kHeadBytes) return fail(ErrorCode::kCorruption, "the head of a document's attachments cannot be decoded");
  return AttachmentHead{AttachmentNumber{load_little_endian<uint32_t>(bytes.data())},
                        load_little_endian<uint32_t>(bytes.data() + 4), load_little_endian<uint64_t>(bytes.data() + 8)};
}

Result<AttachmentHead> attachment_head(const Slice& slice, DocumentNumber document, const Snapshot* at) {
  std::string bytes;
  TRY_ASSIGN(const bool is_known,
             slice.store().get(Family::kAttachments, attachments_prefix(slice.partition(), document), bytes, at));
  if (!is_known) return AttachmentHead{};
  return decode_attachment_head(bytes);
}

Result<std::optional<std::string>> AttachmentChanges::row(const std::string& key) const {
  if (const auto changed = rows_.find(key); changed != rows_.end()) return changed->second;
  std::string value;
  TRY_ASSIGN(const bool is_known, slice_.store().get(Family::kAttachments, key, value, slice_.snapshot()));
  if (!is_known) return std::nullopt;
  return value;
}

Result<AttachmentHead> AttachmentChanges::head(DocumentNumber document) const {
  TRY_ASSIGN(const std::optional<std::string> bytes, row(attachments_prefix(slice_.partition(), document)));
  if (!bytes) return AttachmentHead{};
  return decode_attachment_head(*bytes);
}

Result<std::optional<Attachment>> AttachmentChanges::find(DocumentNumber document, std::string_view id) const {
  TRY_ASSIGN(const std::optional<std::string> number, row(attachment_id_key(slice_.partition(), document, id)));
  if (!number) return std::nullopt;
  if (number->size() != sizeof(uint32_t)) return fail(ErrorCode::kCorruption, "the row of an attachment's id has no number");
  return find(document, AttachmentNumber{load_big_endian<uint32_t>(number->data())});
}

Result<std::optional<Attachment>> AttachmentChanges::find(DocumentNumber document, AttachmentNumber number) const {
  TRY_ASSIGN(std::optional<std::string> stored, row(attachment_key(slice_.partition(), document, number)));
  if (!stored) return std::nullopt;
  return Attachment{number, *std::move(stored)};
}

Result<std::vector<Attachment>> AttachmentChanges::list(DocumentNumber document) const {
  const std::string prefix = key_of(slice_.partition(), document, AttachmentRowKind::kAttachment);
  std::map<std::string, std::string> rows;
  Cursor cursor = slice_.store().cursor(Family::kAttachments, prefix, prefix_end(prefix), slice_.snapshot());
  for (cursor.seek_first(); cursor.valid(); cursor.next()) rows[std::string(cursor.key())] = cursor.value();
  TRY(cursor.status());
  for (auto changed = rows_.lower_bound(prefix); changed != rows_.end() && changed->first.starts_with(prefix); ++changed) {
    if (changed->second) {
      rows[changed->first] = *changed->second;
    } else {
      rows.erase(changed->first);
    }
  }
  std::vector<Attachment> all;
  for (auto& [key, stored] : rows) {
    TRY_ASSIGN(const AttachmentRow row, AttachmentRow::parse(key));
    all.push_back({row.number, std::move(stored)});
  }
  return all;
}

Result<AttachmentNumber> AttachmentChanges::next_number(DocumentNumber document) const {
  TRY_ASSIGN(const AttachmentHead now, head(document));
  if (now.attachments >= kAttachmentsPerDocumentMax) {
    return fail(ErrorCode::kTooLarge, fmt::format("A document has at most {} attachments.", kAttachmentsPerDocumentMax));
  }
  return AttachmentNumber{now.newest.value + 1};
}

Status AttachmentChanges::set_content(DocumentNumber document, const std::string& key, std::optional<std::string> content) {
  TRY_ASSIGN(const AttachmentRow what, AttachmentRow::parse(key));
  TRY_ASSIGN(const std::optional<std::string> before, row(key));
  TRY_ASSIGN(AttachmentHead now, head(document));
  now.newest = std::max(now.newest, what.number);
  if (what.kind == AttachmentRowKind::kAttachment) now.attachments += (content ? 1U : 0U) - (before ? 1U : 0U);
  const int64_t grown = static_cast<int64_t>(content ? content->size() : 0) - static_cast<int64_t>(before ? before->size() : 0);
  now.bytes += static_cast<uint64_t>(grown);
  grown_ += grown;
  held_bytes_ += key.size() + (content ? content->size() : 0);
  rows_[key] = std::move(content);
  rows_[attachments_prefix(slice_.partition(), document)] = encode_attachment_head(now);
  changed_.insert(document);
  return {};
}

Status AttachmentChanges::put(DocumentNumber document, const Attachment& attachment) {
  TRY_ASSIGN(const std::optional<Attachment> namesake, find(document, attachment.id()));
  if (namesake && namesake->number != attachment.number) {
    return fail(ErrorCode::kAlreadyExists, "The document has an attachment with this id already.", ErrorDetail::kItemExists);
  }
  TRY_ASSIGN(const std::optional<Attachment> before, find(document, attachment.number));
  const PartitionId partition = slice_.partition();
  TRY(set_content(document, attachment_key(partition, document, attachment.number), attachment.stored));
  if (before && before->id() != attachment.id()) rows_[attachment_id_key(partition, document, before->id())] = std::nullopt;
  rows_[attachment_id_key(partition, document, attachment.id())] = attachment_number_bytes(attachment.number);
  return {};
}

Status AttachmentChanges::erase(DocumentNumber document, const Attachment& attachment) {
  const PartitionId partition = slice_.partition();
  TRY(set_content(document, media_key(partition, document, attachment.number), std::nullopt));
  TRY(set_content(document, attachment_key(partition, document, attachment.number), std::nullopt));
  rows_[attachment_id_key(partition, document, attachment.id())] = std::nullopt;
  return {};
}

Result<std::optional<std::string>> AttachmentChanges::media(DocumentNumber document, AttachmentNumber number) const {
  return row(media_key(slice_.partition(), document, number));
}

Status AttachmentChanges::put_media(DocumentNumber document, AttachmentNumber number, std::string bytes) {
  TRY(check_media_size(bytes.size()));
  return set_content(document, media_key(slice_.partition(), document, number), std::move(bytes));
}

Status AttachmentChanges::drop(DocumentNumber document, WriteBatch& batch) {
  const std::string prefix = attachments_prefix(slice_.partition(), document);
  TRY_ASSIGN(const AttachmentHead now, head(document));
  auto changed = rows_.lower_bound(prefix);
  while (changed != rows_.end() && changed->first.starts_with(prefix)) changed = rows_.erase(changed);
  if (now == AttachmentHead{}) return {};
  grown_ -= static_cast<int64_t>(now.bytes);
  changed_.insert(document);
  batch.erase_range(Family::kAttachments, prefix, prefix_end(prefix));
  return {};
}

void AttachmentChanges::write(WriteBatch& batch) const {
  for (const auto& [key, value] : rows_) {
    if (value) {
      batch.put(Family::kAttachments, key, *value);
    } else {
      batch.erase(Family::kAttachments, key);
    }
  }
}

}  // namespace partita
