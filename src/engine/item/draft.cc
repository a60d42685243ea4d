#include "engine/item/draft.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

Status check_item_id(std::string_view id) {
  if (id.empty() || id.size() > kItemIdBytesMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The id of a document must have 1 to {} bytes; this one has {}.", kItemIdBytesMax, id.size()));
  }
  return {};
}

Result<ItemDraft> ItemDraft::whole(std::string_view document) {
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

void ItemDraft::overwrite(std::string_view property, std::string_view with) {
  const std::string_view text = document().find(property).string();
  CHECK(text.size() == with.size());
  std::ranges::copy(with, const_cast<char*>(text.data()));
}

}  // namespace partita
