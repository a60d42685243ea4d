#include "protocols/cosmos/documents/service_documents.h"

#include "document/json/json.h"
#include "document/json/json_members.h"
#include "document/stored/stored_writer.h"
#include "document/system_properties.h"
#include "engine/item/resource_rid.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr size_t kRidChars = 24;  // of a document
// Of the length of a document's link, "dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/".
constexpr std::string_view kUnknown = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
static_assert(kUnknown.size() == 62);

AttachmentRid rid_of(const AttachmentName& name) {
  return {{name.container.database, name.container.container}, name.document.value, name.number.value};
}

std::unexpected<Error> too_large(size_t bytes, size_t bytes_max) {
  return fail(ErrorCode::kTooLarge,
              fmt::format("The request is too large: the document has {} bytes, the limit is {}.", bytes, bytes_max),
              ErrorDetail::kRequestTooLarge);
}

// The limit is on the JSON text, which has at most six bytes for one of the stored form.
Status check_text_size(const Value& document, size_t bytes_max) {
  constexpr size_t kTextPerStoredByteMax = 6;
  if (document.bytes().size() <= bytes_max / kTextPerStoredByteMax) return {};
  const size_t bytes = to_json(document).size();
  if (bytes > bytes_max) return too_large(bytes, bytes_max);
  return {};
}

// SystemProperties: writes what the server gives a document, each property once: in the place where the client has one of its
// name, as the service does, the rest behind all others.
class SystemProperties {
 public:
  SystemProperties(std::string_view etag, int64_t unix_seconds, StoredWriter& out)
      : etag_(etag), unix_seconds_(unix_seconds), out_(out) {}

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
      case 0: return out_.string(kUnknown.substr(0, kRidChars));  // until set_number(), as is the next
      case 1: return out_.string(kUnknown);
      case 2: return out_.string(etag_);
      case 3: return out_.string("attachments/");
      default: return out_.integer(unix_seconds_);
    }
  }

  std::string_view etag_;
  int64_t unix_seconds_;
  StoredWriter& out_;
  std::array<bool, kNames.size()> is_put_{};
};

Status write_members(const std::variant<std::string_view, Value>& document, size_t bytes_max, SystemProperties& system,
                     StoredWriter& writer) {
  if (const auto* json = std::get_if<std::string_view>(&document)) {
    if (json->size() > bytes_max) return too_large(json->size(), bytes_max);
    return read_json_members(*json, system_property::kAll, writer, [&](std::string_view name) { system.put(name); });
  }
  const Value& stored = std::get<Value>(document);
  if (!stored.is_object()) return fail(ErrorCode::kInvalidInput, "A document must be an object.");
  TRY(check_text_size(stored, bytes_max));
  for (size_t i = 0; i < stored.size(); ++i) {
    const auto [key, value] = stored.member(i);
    if (DocumentForm().is_system_property(key)) continue;
    writer.key(key);
    writer.value(value);
  }
  return {};
}

}  // namespace

Result<ItemDraft> ServiceDocuments::draft(const std::variant<std::string_view, Value>& document, size_t bytes_max,
                                          int64_t unix_seconds) const {
  static thread_local StoredWriter writer;
  writer.clear();
  writer.begin_object();
  const std::string etag = etags_.next(unix_seconds);
  SystemProperties system(etag, unix_seconds, writer);
  TRY(write_members(document, bytes_max, system, writer));
  system.end_document();
  return ItemDraft::whole(writer.bytes());
}

void ServiceDocuments::set_number(ItemDraft& draft, const ContainerNumbers& container, DocumentNumber number) const {
  const ContainerRid owner{container.database, container.container};
  const std::string rid = rid_text(ContainerChildRid{owner, ContainerChild::kItem, number.value});
  draft.overwrite("_rid", rid);
  std::string link;
  link.reserve(kUnknown.size());
  append_self_link(link, owner);
  link += "docs/";
  link += rid;
  link += '/';
  draft.overwrite("_self", link);
}

std::string ServiceDocuments::attachment(const Value& properties, const AttachmentName& name, int64_t unix_seconds) const {
  StoredWriter out;
  out.begin_object();
  for (size_t i = 0; i < properties.size(); ++i) {
    const auto [key, value] = properties.member(i);
    if (DocumentForm().is_system_property(key)) continue;
    out.key(key);
    out.value(value);
  }
  const AttachmentRid rid = rid_of(name);
  std::string link;
  append_self_link(link, rid);
  out.key("_rid");
  out.string(rid_text(rid));
  out.key("_self");
  out.string(link);
  out.key("_etag");
  out.string(etags_.next(unix_seconds));
  out.key("_ts");
  out.integer(unix_seconds);
  out.end_object();
  return out.take();
}

std::string ServiceDocuments::media_link(const AttachmentName& name) const {
  const std::string container = container_rid_bytes(name.container.database, name.container.container);
  return fmt::format("/media/{}",
                     partita::rid_text(media_rid_bytes(attachment_rid_bytes(container, name.document, name.number))));
}

}  // namespace partita::cosmos
