#pragma once

#include "document/json/json_members.h"
#include "document/stored/stored_writer.h"
#include "document/system_properties.h"
#include "engine/item/document_maker.h"
#include "engine/item/etag.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

namespace partita {

// TestDocuments: documents with system properties as clients of the service expect them, always behind all others, for the tests
// of rooms that do not know the service. Thread-safe.
class TestDocuments final : public DocumentMaker {
 public:
  explicit TestDocuments(EtagSource& etags) : etags_(etags) {}

  Result<ItemDraft> draft(const std::variant<std::string_view, Value>& document, size_t bytes_max,
                          int64_t unix_seconds) const override {
    std::string stored;
    if (const auto* json = std::get_if<std::string_view>(&document)) {
      if (json->size() > bytes_max) return fail(ErrorCode::kTooLarge, "too large", ErrorDetail::kRequestTooLarge);
      StoredWriter given;
      given.begin_object();
      TRY(read_json_members(*json, {}, given, [](std::string_view) {}));
      given.end_object();
      stored = given.take();
    } else {
      stored = std::get<Value>(document).bytes();
    }
    StoredWriter out;
    out.begin_object();
    write_given(Value::view(stored), out);
    write_own(unix_seconds, out);
    out.end_object();
    return ItemDraft::whole(out.bytes());
  }

  void set_number(ItemDraft& draft, const ContainerNumbers& container, DocumentNumber number) const override {
    draft.overwrite(system_property::kResourceId, rid_of(container, number));
    draft.overwrite(system_property::kSelfLink, link_of(container, number));
  }

  std::string attachment(const Value& properties, const AttachmentName& name, int64_t unix_seconds) const override {
    const std::string rid = rid_text(attachment_rid_bytes(owner_of(name.container), name.document, name.number));
    StoredWriter out;
    out.begin_object();
    write_given(properties, out);
    out.key(system_property::kResourceId);
    out.string(rid);
    out.key(system_property::kSelfLink);
    out.string(fmt::format("{}attachments/{}/", link_of(name.container, name.document), rid));
    out.key(system_property::kVersion);
    out.string(etags_.next(unix_seconds));
    out.key(system_property::kWrittenSeconds);
    out.integer(unix_seconds);
    out.end_object();
    return out.take();
  }

  std::string media_link(const AttachmentName& name) const override { return fmt::format("/media/{}", name.number.value); }

 private:
  static std::string owner_of(const ContainerNumbers& container) {
    return container_rid_bytes(container.database, container.container);
  }
  static std::string rid_of(const ContainerNumbers& container, DocumentNumber number) {
    return rid_text(document_rid_bytes(owner_of(container), number));
  }
  static std::string link_of(const ContainerNumbers& container, DocumentNumber number) {
    return fmt::format("dbs/{}/colls/{}/docs/{}/", rid_text(database_rid_bytes(container.database)),
                       rid_text(owner_of(container)), rid_of(container, number));
  }

  static void write_given(const Value& given, StoredWriter& out) {
    for (size_t i = 0; i < given.size(); ++i) {
      const auto [key, value] = given.member(i);
      if (DocumentForm().is_system_property(key)) continue;
      out.key(key);
      out.value(value);
    }
  }
  void write_own(int64_t unix_seconds, StoredWriter& out) const {
    out.key(system_property::kResourceId);
    out.string(rid_of({}, {}));
    out.key(system_property::kSelfLink);
    out.string(link_of({}, {}));
    out.key(system_property::kVersion);
    out.string(etags_.next(unix_seconds));
    out.key(system_property::kAttachments);
    out.string("attachments/");
    out.key(system_property::kWrittenSeconds);
    out.integer(unix_seconds);
  }

  EtagSource& etags_;
};

}  // namespace partita
