#pragma once

#include "engine/item/document_maker.h"
#include "engine/item/etag.h"

namespace partita::cosmos {

// What the service allows a document, and so any body but media.
inline constexpr size_t kDocumentBytesMax = DocumentForm::kUsualBytesMax;

// ServiceDocuments: documents and attachments with the system properties that the service's clients expect.
class ServiceDocuments final : public DocumentMaker {
 public:
  explicit ServiceDocuments(EtagSource& etags) : etags_(etags) {}

  Result<ItemDraft> draft(const std::variant<std::string_view, Value>& document, size_t bytes_max,
                          int64_t unix_seconds) const override;
  void set_number(ItemDraft& draft, const ContainerNumbers& container, DocumentNumber number) const override;
  std::string attachment(const Value& properties, const AttachmentName& name, int64_t unix_seconds) const override;
  std::string media_link(const AttachmentName& name) const override;

 private:
  EtagSource& etags_;
};

}  // namespace partita::cosmos
