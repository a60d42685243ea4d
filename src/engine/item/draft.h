#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "document/value.h"
#include "engine/item/document_form.h"
#include "engine/item/identity.h"
#include "engine/rows.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace partita {

inline constexpr size_t kItemIdBytesMax = 1023;

// ItemDraft: a document that a client wants to store, in stored form, with its system properties if its form has such.
//
// Made before any lock is taken; its document number is filled in when it is known, in place, because the texts that contain it
// have a fixed width.
class ItemDraft {
 public:
  // A document in stored form, an object, with its system properties. kInvalidInput when its id is missing or not allowed.
  static Result<ItemDraft> whole(std::string_view document);

  // A value of a form without system properties, exactly as it is, under this name in its logical partition.
  static Result<ItemDraft> plain(std::string_view name, const Value& value, const DocumentForm& form, int64_t unix_seconds);

  Value document() const;
  std::string_view id() const { return view().id(); }
  bool has_system_properties() const { return view().has_system_properties(); }
  // REQUIRES: the document has such a property, a text of the same length.
  void overwrite(std::string_view property, std::string_view with);
  // The item record, without its LSN.
  const std::string& record() const { return record_; }
  std::string& record() { return record_; }

 private:
  RecordView view() const { return RecordView(record_); }

  std::string record_;
};

// An id has 1 to kItemIdBytesMax bytes. Every character is allowed, although some clients cannot address a name with a slash.
Status check_item_id(std::string_view id);

}  // namespace partita
