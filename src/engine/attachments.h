#pragma once

#include "base/result.h"
#include "document/value.h"
#include "engine/item/identity.h"
#include "engine/slice.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Attachments: resources of a document, with an id, properties, and perhaps bytes ("media"). They are kept under the document's
// number and go where it goes. ON DISK: docs/formats/keyspace.md.
namespace partita {

inline constexpr size_t kAttachmentsPerDocumentMax = 1'000;
inline constexpr size_t kMediaBytesMax = 4 * 1024 * 1024;

// kTooLarge above the limit.
Status check_media_size(size_t bytes);

enum class AttachmentRowKind : char {
  kHead = 0,          // has no letter in its key
  kAttachment = 'a',  // attachment number
  kId = 'i',          // id
  kMedia = 'm',       // attachment number
};

// All rows of one document's attachments begin with this; it is the key of their head.
std::string attachments_prefix(PartitionId partition, DocumentNumber document);
std::string attachment_key(PartitionId partition, DocumentNumber document, AttachmentNumber number);
std::string attachment_id_key(PartitionId partition, DocumentNumber document, std::string_view id);
std::string media_key(PartitionId partition, DocumentNumber document, AttachmentNumber number);

// The value of the row of an id.
std::string attachment_number_bytes(AttachmentNumber number);

// What a key of the family says.
struct AttachmentRow {
  DocumentNumber document;
  AttachmentRowKind kind = AttachmentRowKind::kHead;
  AttachmentNumber number = {};  // of kAttachment and kMedia
  std::string_view id;           // of kId

  // Whether its bytes are counted.
  bool has_content() const { return kind == AttachmentRowKind::kAttachment || kind == AttachmentRowKind::kMedia; }
  // kCorruption when the key is none.
  static Result<AttachmentRow> parse(std::string_view key);
};

// Head: 16 bytes, little-endian. A document that never had an attachment has none.
struct AttachmentHead {
  AttachmentNumber newest = {};  // no number above it was ever given
  uint32_t attachments = 0;
  uint64_t bytes = 0;  // of the attachments and their media

  bool operator==(const AttachmentHead&) const = default;
};
std::string encode_attachment_head(const AttachmentHead& head);
Result<AttachmentHead> decode_attachment_head(std::string_view bytes);
// Of a document without any: an empty one.
Result<AttachmentHead> attachment_head(const Slice& slice, DocumentNumber document, const Snapshot* at = nullptr);

struct Attachment {
  AttachmentNumber number;
  std::string stored;  // in stored form, system properties included

  Value document() const { return Value::view(stored); }
  std::string_view id() const { return document().find("id").string(); }
  std::string_view etag() const { return document().find(system_property::kVersion).string(); }
};

// AttachmentChanges: the attachments of a partition's documents as a transaction sees and changes them. Not thread-safe.
// Whoever uses it knows that the document is there.
class AttachmentChanges {
 public:
  explicit AttachmentChanges(const Slice& slice) : slice_(slice) {}

  Result<std::optional<Attachment>> find(DocumentNumber document, std::string_view id) const;
  Result<std::optional<Attachment>> find(DocumentNumber document, AttachmentNumber number) const;
  // In the order of their numbers.
  Result<std::vector<Attachment>> list(DocumentNumber document) const;
  // For a new attachment: no other of the document has had it. kTooLarge when the document has as many as it may have.
  Result<AttachmentNumber> next_number(DocumentNumber document) const;
  // Inserts it, or replaces the one with its number. kAlreadyExists when another has its id; then nothing has changed.
  Status put(DocumentNumber document, const Attachment& attachment);
  // With its media. REQUIRES: it is there.
  Status erase(DocumentNumber document, const Attachment& attachment);

  Result<std::optional<std::string>> media(DocumentNumber document, AttachmentNumber number) const;
  // REQUIRES: the attachment is there.
  Status put_media(DocumentNumber document, AttachmentNumber number, std::string bytes);

  bool is_empty() const { return rows_.empty(); }
  // Bytes that were written, also of rows that were replaced since: an upper bound of what is kept in memory.
  size_t held_bytes() const { return held_bytes_; }
  const std::set<DocumentNumber>& changed() const { return changed_; }

  // For the end of the transaction. The document is gone: its attachments go with it.
  Status drop(DocumentNumber document, WriteBatch& batch);
  // Behind all drops.
  void write(WriteBatch& batch) const;
  // By how many bytes the attachments of the partition have grown.
  int64_t grown() const { return grown_; }

 private:
  // A row as this sees it.
  Result<std::optional<std::string>> row(const std::string& key) const;
  Result<AttachmentHead> head(DocumentNumber document) const;
  // Writes a row with content, or (without) removes it, and keeps the head right.
  Status set_content(DocumentNumber document, const std::string& key, std::optional<std::string> content);

  Slice slice_;
  std::map<std::string, std::optional<std::string>> rows_;  // as they will be; without value: erased
  std::set<DocumentNumber> changed_;
  int64_t grown_ = 0;
  size_t held_bytes_ = 0;
};

}  // namespace partita
