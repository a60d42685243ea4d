#pragma once

#include "gateway/items/attachments.h"
#include "protocols/cosmos/service.h"

#include <memory>

namespace partita::cosmos {

// Which attachment's media a path means, from its name: the resource id of the attachment and one byte more.
struct MediaName {
  std::shared_ptr<const Container> container;
  DocumentNumber document;
  AttachmentNumber attachment;

  ItemName item() const { return {.id = {}, .number = document, .key = std::nullopt}; }
};
// kNotFound when it means none.
Result<MediaName> media_name(const Service& service, const Exchange& exchange);

}  // namespace partita::cosmos
