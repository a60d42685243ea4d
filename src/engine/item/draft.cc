#include "engine/item/draft.h"

#include "base/check.h"
#include "document/json/json.h"
#include "document/json/json_members.h"
#include "document/stored/stored_writer.h"
#include "engine/item/resource_rid.h"
#include "engine/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

constexpr size_t kDocumentRidChars = 24;

// Overwrites a string of the draft with one of the same length.
void overwrite(const Value& text, std::string_view with) {
  CHECK(text.string().size() == with.size());
  std::ranges::copy(with, const_cast<char*>(text.string().data()));
}

std::unexpected<Error> too_large(size_t bytes) {
  return fail(ErrorCode::kTooLarge,
              fmt::format("The request is too large: the document has {} bytes, the limit is {}.", bytes, kDocumentBytesMax),
              ErrorDetail::kRequestTooLarge);
}

// The limit is on the JSON text, which has at most six bytes for one of the stored form.
Status check_text_size(const Value& document) {
  constexpr size_t kTextPerStoredByteMax = 6;
  if (document.bytes().size() <= kDocumentBytesMax / kTextPerStoredByteMax) return {};
  const size_t bytes = to_json(document).size();
  if (bytes > kDocumentBytesMax) return too_large(bytes);
  return {};
}

StoredWriter& begin_document() {
  static thread_local StoredWriter writer;
  writer.clear();
  writer.begin_object();
  return writer;
}

// SystemProperties: writes what the server gives a document, each property once: in the place where the client has one of its
// name, as the service does, the rest behind all others.
class SystemProperties {
 public:
  SystemProperties(const ContainerIdentity& container, std::string_view etag, int64_t unix_seconds, StoredWriter& out)
      : container_(container), etag_(etag), unix_seconds_(unix_seconds), out_(out) {}

  void put(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found != kNames.end()) put(static_cast<size_t>(found - kNames.begin()));
  }

  void end_document() {
    for (size_t which = 0; which < kNames.size(); ++which) put(which);
    out_.end_object();
  }

 private:
  // In the order that documents have them which a client did not read before. A document has no "_lsn".
  static constexpr std::array<std::string_view, 5> kNames = {"_rid", "_self", "_etag", "_attachments", "_ts"};

  void put(size_t which) {
    if (is_put_[which]) return;
    is_put_[which] = true;
    out_.key(kNames[which]);
    switch (which) {
      case 0: return out_.string(std::string(kDocumentRidChars, 'A'));
      case 1: return out_.string(fmt::format("{}docs/{}/", container_.self_link, std::string(kDocumentRidChars, 'A')));
      case 2: return out_.string(etag_);
      case 3: return out_.string("attachments/");
      default: return out_.integer(unix_seconds_);
    }
  }

  const ContainerIdentity& container_;
  std::string_view etag_;
  int64_t unix_seconds_;
  StoredWriter& out_;
  std::array<bool, kNames.size()> is_put_{};
};

}  // namespace

std::string ContainerIdentity::document_rid(DocumentNumber number) const {
  return rid_text(document_rid_bytes(rid_bytes, number));
}

Status check_item_id(std::string_view id) {
  if (id.empty() || id.size() > kItemIdBytesMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The id of a document must have 1 to {} bytes; this one has {}.", kItemIdBytesMax, id.size()));
  }
  return {};
}

Result<ItemDraft> ItemDraft::from_json(std::string_view json, const ContainerIdentity& container, std::string_view etag,
                                       int64_t unix_seconds) {
  if (json.size() > kDocumentBytesMax) return too_large(json.size());
  StoredWriter& writer = begin_document();
  SystemProperties system(container, etag, unix_seconds, writer);
  TRY(read_json_members(json, DocumentForm::kSystemProperties, writer, [&](std::string_view name) { system.put(name); }));
  system.end_document();
  return from_stored(writer.bytes());
}

Result<ItemDraft> ItemDraft::from_document(const Value& document, const ContainerIdentity& container, std::string_view etag,
                                           int64_t unix_seconds) {
  if (!document.is_object()) return fail(ErrorCode::kInvalidInput, "A document must be an object.");
  TRY(check_text_size(document));
  StoredWriter& writer = begin_document();
  SystemProperties system(container, etag, unix_seconds, writer);
  for (size_t i = 0; i < document.size(); ++i) {
    const auto [key, value] = document.member(i);
    if (DocumentForm().is_system_property(key)) continue;
    writer.key(key);
    writer.value(value);
  }
  system.end_document();
  return from_stored(writer.bytes());
}

Result<ItemDraft> ItemDraft::from_stored(std::string_view document) {
  ItemDraft draft;
  draft.record_ = item_record(document);
  const Value id = draft.document().find("id");
  if (id.is_undefined()) {
    return fail(ErrorCode::kInvalidInput, "The document has no property 'id'.", ErrorDetail::kNoId);
  }
  if (draft.document().is_repeated("id")) {
    return fail(ErrorCode::kInvalidInput, "A document has one property 'id'; this one has several.");
  }
  if (!id.is_string()) return fail(ErrorCode::kInvalidInput, "The property 'id' of a document must be a string.");
  TRY(check_item_id(id.string()));
  return draft;
}

Result<ItemDraft> ItemDraft::plain(std::string_view name, const Value& value, const DocumentForm& form, int64_t unix_seconds) {
  CHECK(!form.has_system_properties);
  if (value.is_undefined()) return fail(ErrorCode::kInvalidInput, "There is no value to store.");
  if (value.bytes().size() > form.bytes_max) {
    return fail(ErrorCode::kTooLarge, fmt::format("The document has {} bytes; the container's documents have at most {}.",
                                                  value.bytes().size(), form.bytes_max));
  }
  TRY(check_item_id(name));
  ItemDraft draft;
  draft.record_ = plain_item_record(name, unix_seconds, value.bytes());
  return draft;
}

Value ItemDraft::document() const { return view().document(); }

void ItemDraft::set_number(DocumentNumber number, const ContainerIdentity& container) {
  if (!view().has_system_properties()) return;
  const std::string rid = container.document_rid(number);
  overwrite(document().find("_rid"), rid);
  overwrite(document().find("_self"), fmt::format("{}docs/{}/", container.self_link, rid));
}

}  // namespace partita
