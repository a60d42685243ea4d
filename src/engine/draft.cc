#include "engine/draft.h"

#include "base/check.h"
#include "document/json.h"
#include "document/stored_writer.h"
#include "engine/resource_rid.h"
#include "engine/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

constexpr std::array<std::string_view, 6> kSystemProperties = {"_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"};
constexpr size_t kDocumentRidChars = 24;

// Overwrites a string of the draft with one of the same length.
void overwrite(const Value& text, std::string_view with) {
  CHECK(text.string().size() == with.size());
  std::ranges::copy(with, const_cast<char*>(text.string().data()));
}

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
  if (json.size() > kDocumentBytesMax) {
    return fail(ErrorCode::kTooLarge, fmt::format("Request size is too large: the document has {} bytes, the limit is {}.",
                                                  json.size(), kDocumentBytesMax));
  }
  static thread_local StoredWriter writer;
  writer.clear();
  writer.begin_object();
  TRY(read_json_members(json, kSystemProperties, writer));
  writer.key("_rid");
  writer.string(std::string(kDocumentRidChars, 'A'));
  writer.key("_self");
  writer.string(fmt::format("{}docs/{}/", container.self_link, std::string(kDocumentRidChars, 'A')));
  writer.key("_etag");
  writer.string(etag);
  writer.key("_attachments");
  writer.string("attachments/");
  writer.key("_ts");
  writer.integer(unix_seconds);
  writer.end_object();

  ItemDraft draft;
  draft.record_ = item_record(writer.bytes());
  const Value id = draft.document().find("id");
  if (id.is_undefined()) {
    return fail(ErrorCode::kInvalidInput, "The input content is invalid because the required properties - 'id; ' - are missing");
  }
  if (!id.is_string()) return fail(ErrorCode::kInvalidInput, "The property 'id' of a document must be a string.");
  TRY(check_item_id(id.string()));
  return draft;
}

Value ItemDraft::document() const { return Value::view(std::string_view(record_).substr(kItemHeaderBytes)); }

void ItemDraft::set_number(DocumentNumber number, const ContainerIdentity& container) {
  const std::string rid = container.document_rid(number);
  overwrite(document().find("_rid"), rid);
  overwrite(document().find("_self"), fmt::format("{}docs/{}/", container.self_link, rid));
}

}  // namespace partita
