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

// Limits of the service, with its errors.
inline constexpr size_t kDocumentBytesMax = DocumentForm::kServiceBytesMax;
inline constexpr size_t kItemIdBytesMax = 1023;

// ContainerIdentity: what the system properties of a container's documents are made of.
struct ContainerIdentity {
  std::string rid_bytes;  // eight bytes: database and container number
  std::string self_link;  // of the container, with its trailing slash

  std::string document_rid(DocumentNumber number) const;
};

// ItemDraft: a document that a client wants to store, in stored form, with its system properties if its form has such.
//
// Made from JSON before any lock is taken; its document number is filled in when it is known, in place, because the texts that
// contain it have a fixed width. Values that the client gave for system properties are dropped.
class ItemDraft {
 public:
  // Errors are kInvalidInput (not an object, id missing or not allowed) and kTooLarge.
  static Result<ItemDraft> from_json(std::string_view json, const ContainerIdentity& container, std::string_view etag,
                                     int64_t unix_seconds);

  // The same from a document in stored form.
  static Result<ItemDraft> from_document(const Value& document, const ContainerIdentity& container, std::string_view etag,
                                         int64_t unix_seconds);

  // A value of a form without system properties, exactly as it is, under this name in its logical partition.
  static Result<ItemDraft> plain(std::string_view name, const Value& value, const DocumentForm& form, int64_t unix_seconds);

  Value document() const;
  std::string_view id() const { return view().id(); }
  // Nothing changes where there are no system properties.
  void set_number(DocumentNumber number, const ContainerIdentity& container);
  // The item record, without its LSN.
  const std::string& record() const { return record_; }
  std::string& record() { return record_; }

 private:
  static Result<ItemDraft> from_stored(std::string_view document);
  RecordView view() const { return RecordView(record_); }

  std::string record_;
};

// An id has 1 to kItemIdBytesMax bytes. Every character is allowed, although some clients cannot address a name with a slash.
Status check_item_id(std::string_view id);

}  // namespace partita
