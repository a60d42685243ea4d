#pragma once

#include "base/result.h"
#include "engine/attachments.h"
#include "gateway/items/items.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

inline constexpr size_t kAttachmentIdBytesMax = 255;

// Bytes to be kept with an attachment.
struct MediaUpload {
  std::string content_type;
  std::string_view bytes;
};

// What a client wants done with one attachment of a document. Views live until the outcome is told.
struct AttachmentOperation {
  ItemVerb verb = ItemVerb::kRead;         // all but kPatch
  std::string id;                          // which one; that of a created one comes from its JSON, unless that is media
  std::optional<AttachmentNumber> number;  // the same, as old clients address; then the id is not looked at
  std::string_view json;                   // its properties
  std::optional<MediaUpload> media;        // instead of them
  std::string if_match;                    // empty: no condition
};

struct AttachmentOutcome {
  Attachment attachment;  // as read or written; empty after a deletion
  bool was_created = false;
};

// These run inside a transaction of the document's logical partition. Errors: kInvalidInput, kNotFound, kAlreadyExists,
// kPreconditionFailed, kTooLarge; after one nothing has changed.
Result<AttachmentOutcome> run_attachment(const ItemWorkshop& workshop, Transaction& transaction, const Item& document,
                                         const AttachmentOperation& operation);
Result<std::vector<Attachment>> list_attachments(Transaction& transaction, const Item& document);
// Bytes and what they are. kNotFound when the attachment has none.
struct Media {
  std::string content_type;
  std::string bytes;
};
Result<Media> read_media(Transaction& transaction, const Item& document, AttachmentNumber number);
Status write_media(const ItemWorkshop& workshop, Transaction& transaction, const Item& document, AttachmentNumber number,
                   const MediaUpload& upload);

// Where a document was visited.
struct DocumentVisit {
  std::shared_ptr<const Container> container;
  const PartitionPlace* place = nullptr;  // of `container`
  Lsn lsn;
  double charge = 0;
};
using DocumentBody = std::function<Status(const ItemWorkshop&, Transaction&, const Item&)>;

// Runs the body in a transaction of the document, wherever that is, and tells when what it saw and did is durable. kNotFound when
// there is no such document.
void visit_document(const Items& items, const Items::ContainerPtr& container, const ItemName& name, DocumentBody body,
                    RequestTerms terms, std::move_only_function<void(Result<DocumentVisit>)> callback);

}  // namespace partita
