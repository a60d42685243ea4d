#include "gateway/items/attachments.h"

#include "document/json/definition_json.h"

#include <fmt/format.h>

#include <utility>

namespace partita {
namespace {

Status check_id(std::string_view id) {
  if (!id.empty() && id.size() <= kAttachmentIdBytesMax) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The id of an attachment must have 1 to {} bytes; this one has {}.", kAttachmentIdBytesMax, id.size()));
}

// The properties of an attachment as its client gives them.
Result<std::string> checked_properties(std::string_view json, size_t bytes_max) {
  if (json.size() > bytes_max) return fail(ErrorCode::kTooLarge, "The request is too large.", ErrorDetail::kRequestTooLarge);
  TRY_ASSIGN(std::string stored, definition_from_json(json));
  const Value properties = Value::view(stored);
  if (!properties.is_object() || !properties.find("id").is_string()) {
    return fail(ErrorCode::kInvalidInput, "An attachment needs a property 'id', a string.", ErrorDetail::kNoId);
  }
  TRY(check_id(properties.find("id").string()));
  for (const std::string_view text : {"contentType", "media"}) {
    const Value value = properties.find(text);
    if (value.is_undefined() || value.is_string()) continue;
    return fail(ErrorCode::kInvalidInput, fmt::format("The property '{}' of an attachment must be a string.", text));
  }
  return stored;
}

std::string uploaded_properties(std::string_view id, std::string_view content_type, std::string_view media_link) {
  StoredWriter out;
  out.begin_object();
  out.key("id");
  out.string(id);
  out.key("contentType");
  out.string(content_type);
  out.key("media");
  out.string(media_link);
  out.end_object();
  return out.take();
}

void note_write(Transaction& transaction, size_t bytes) {
  ++transaction.work().writes;
  transaction.work().write_bytes += bytes;
}

Result<std::optional<Attachment>> find_named(const Transaction& transaction, const Item& document,
                                             const AttachmentOperation& operation) {
  const AttachmentChanges& attachments = transaction.attachments();
  return operation.number ? attachments.find(document.number, *operation.number)
                          : attachments.find(document.number, operation.id);
}

Result<AttachmentOutcome> put(const ItemWorkshop& workshop, Transaction& transaction, const Item& document,
                              const AttachmentOperation& operation) {
  std::string properties;
  if (!operation.media) {
    TRY_ASSIGN(properties, checked_properties(operation.json, workshop.container->definition.form.bytes_max));
  }
  AttachmentOperation wanted = operation;
  const bool is_replace = operation.verb == ItemVerb::kReplace;
  if (!is_replace && !operation.media) wanted.id = Value::view(properties).find("id").string();
  TRY_ASSIGN(const std::optional<Attachment> before, find_named(transaction, document, wanted));
  if (before && operation.verb == ItemVerb::kCreate) return item_already_exists();
  if (!before && is_replace) return item_not_found();
  if (before) TRY(check_if_match(operation.if_match, before->etag(), operation.verb));

  AttachmentName name{workshop.container->own_numbers(), document.number, before ? before->number : AttachmentNumber{}};
  AttachmentChanges& attachments = transaction.attachments();
  if (!before) {
    TRY_ASSIGN(name.number, attachments.next_number(document.number));
  }
  if (operation.media) {
    const std::string id = is_replace ? std::string(before->id()) : wanted.id;
    TRY(check_id(id));
    TRY(check_media_size(operation.media->bytes.size()));
    properties = uploaded_properties(id, operation.media->content_type, workshop.documents.media_link(name));
  }
  AttachmentOutcome outcome{
      {name.number, workshop.documents.attachment(Value::view(properties), name, workshop.clock.unix_seconds())}, !before};
  TRY(attachments.put(document.number, outcome.attachment));
  if (operation.media) TRY(attachments.put_media(document.number, name.number, std::string(operation.media->bytes)));
  note_write(transaction, outcome.attachment.stored.size() + (operation.media ? operation.media->bytes.size() : 0));
  return outcome;
}

}  // namespace

Result<AttachmentOutcome> run_attachment(const ItemWorkshop& workshop, Transaction& transaction, const Item& document,
                                         const AttachmentOperation& operation) {
  switch (operation.verb) {
    case ItemVerb::kCreate:
    case ItemVerb::kUpsert:
    case ItemVerb::kReplace: return put(workshop, transaction, document, operation);
    case ItemVerb::kPatch: return fail(ErrorCode::kMethodNotAllowed, "An attachment cannot be patched.");
    case ItemVerb::kRead:
    case ItemVerb::kErase: break;
  }
  TRY_ASSIGN(std::optional<Attachment> found, find_named(transaction, document, operation));
  if (!found) return item_not_found();
  if (operation.verb == ItemVerb::kRead) {
    transaction.work().add_lookup(found->stored.size());
    return AttachmentOutcome{*std::move(found), false};
  }
  TRY(check_if_match(operation.if_match, found->etag(), operation.verb));
  TRY(transaction.attachments().erase(document.number, *found));
  note_write(transaction, found->stored.size());
  return AttachmentOutcome{};
}

Result<std::vector<Attachment>> list_attachments(Transaction& transaction, const Item& document) {
  TRY_ASSIGN(std::vector<Attachment> all, transaction.attachments().list(document.number));
  WorkDone& work = transaction.work();
  ++work.pages;
  for (const Attachment& attachment : all) work.add_loaded(attachment.stored.size());
  return all;
}

Result<Media> read_media(Transaction& transaction, const Item& document, AttachmentNumber number) {
  TRY_ASSIGN(const std::optional<Attachment> attachment, transaction.attachments().find(document.number, number));
  TRY_ASSIGN(std::optional<std::string> bytes, transaction.attachments().media(document.number, number));
  if (!attachment || !bytes) return item_not_found();
  transaction.work().add_lookup(bytes->size());
  const Value type = attachment->document().find("contentType");
  return Media{type.is_string() ? std::string(type.string()) : std::string(), *std::move(bytes)};
}

Status write_media(const ItemWorkshop& workshop, Transaction& transaction, const Item& document, AttachmentNumber number,
                   const MediaUpload& upload) {
  TRY_ASSIGN(const std::optional<std::string> bytes, transaction.attachments().media(document.number, number));
  if (!bytes) return item_not_found();
  TRY(run_attachment(workshop, transaction, document,
                     {.verb = ItemVerb::kReplace, .id = {}, .number = number, .json = {}, .media = upload, .if_match = {}}));
  return {};
}

namespace {

// A visit on its way; repeated in the heir of a partition that was split meanwhile.
void visit_resolved(const Items& items, const Items::ContainerPtr& container, const ResolvedName& name,
                    std::optional<DocumentNumber> number, DocumentBody body, RequestTerms terms,
                    std::move_only_function<void(Result<DocumentVisit>)> callback) {
  const Location at = locate(*container, name.key, name.id);
  const auto run = [workshop = items.workshop(container), at, number, body](Transaction& transaction) -> Status {
    TRY_ASSIGN(const Item* document, transaction.find(at.item_key));
    if (document == nullptr || (number && document->number != *number)) return item_not_found();
    return body(workshop, transaction, *document);
  };
  at.place->partition->transact(
      at.logical_partition, run,
      [&items, container, name, number, body, terms, at,
       callback = std::move(callback)](Result<Partition::Commit> commit) mutable {
        if (const Items::ContainerPtr heir = heir_of(container, commit)) {
          return visit_resolved(items, heir, name, number, std::move(body), terms, std::move(callback));
        }
        if (!commit) return callback(std::unexpected(std::move(commit).error()));
        callback(DocumentVisit{container, at.place, commit->lsn, commit->charge});
      },
      terms.priority, Partition::Length::kLong);
}

}  // namespace

void visit_document(const Items& items, const Items::ContainerPtr& container, const ItemName& name, DocumentBody body,
                    RequestTerms terms, std::move_only_function<void(Result<DocumentVisit>)> callback) {
  Result<ResolvedName> resolved = resolve(*container, name);
  if (!resolved) return callback(std::unexpected(std::move(resolved).error()));
  visit_resolved(items, container, *resolved, name.number, std::move(body), terms, std::move(callback));
}

}  // namespace partita
