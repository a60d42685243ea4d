#pragma once

#include "base/result.h"
#include "document/value.h"
#include "engine/item/draft.h"
#include "engine/item/identity.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace partita {

// What names an attachment for ever.
struct AttachmentName {
  ContainerNumbers container;
  DocumentNumber document;
  AttachmentNumber number;
};

// DocumentMaker: what is stored of a document that has system properties, and of an attachment. The protocol whose documents
// these are supplies it; thread-safe. It is called once or twice for a document and never for one of its properties.
class DocumentMaker {
 public:
  virtual ~DocumentMaker() = default;

  // From what a client sends, JSON or stored form; values that the client gives for system properties are dropped. Errors are
  // kInvalidInput (not an object, id missing or not allowed) and kTooLarge.
  virtual Result<ItemDraft> draft(const std::variant<std::string_view, Value>& document, size_t bytes_max,
                                  int64_t unix_seconds) const = 0;
  // Fills in, in place, what depends on the document's number.
  virtual void set_number(ItemDraft& draft, const ContainerNumbers& container, DocumentNumber number) const = 0;

  // In stored form: the properties that a client gives and those that the server does.
  virtual std::string attachment(const Value& properties, const AttachmentName& name, int64_t unix_seconds) const = 0;
  // Under which the bytes of an attachment are found.
  virtual std::string media_link(const AttachmentName& name) const = 0;
};

}  // namespace partita
