#include "protocols/cosmos/script_texts.h"

#include "engine/item/resource_rid.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/errors.h"

namespace partita::cosmos {

std::string WireScriptTexts::container_link(const Container& container) const { return container.identity.self_link; }

std::optional<DocumentNumber> WireScriptTexts::document_number(std::string_view name, const Container& container) const {
  return document_number_in_rid(name, container.identity.rid_bytes);
}

std::optional<AttachmentNumber> WireScriptTexts::attachment_number(std::string_view name, const Container& container,
                                                                   DocumentNumber document) const {
  return attachment_number_in_rid(name, container.identity.rid_bytes, document);
}

std::string WireScriptTexts::message_of(const Error& error) const { return service_message(error); }

std::string WireScriptTexts::encode(const FeedContinuation& continuation, const Container& container) const {
  return encode_continuation(continuation, container);
}

Result<FeedContinuation> WireScriptTexts::decode_feed(std::string_view text, const Container& container) const {
  return decode_continuation(text, container);
}

std::string WireScriptTexts::encode(const QueryContinuation& continuation, std::string_view query_text,
                                    const Container& container) const {
  return encode_query_continuation(continuation, query_text, container);
}

Result<QueryContinuation> WireScriptTexts::decode_query(std::string_view text, std::string_view query_text,
                                                        const query::Plan& plan, const Container& container) const {
  return decode_query_continuation(text, query_text, plan, container);
}

}  // namespace partita::cosmos
