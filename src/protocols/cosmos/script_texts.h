#pragma once

#include "gateway/scripts/script_texts.h"

#include <optional>
#include <string>
#include <string_view>

namespace partita::cosmos {

// WireScriptTexts: scripts name documents by resource ids and "_self" links, and go on with the tokens that clients get.
class WireScriptTexts final : public ScriptTexts {
 public:
  std::string container_link(const Container& container) const override;
  std::optional<DocumentNumber> document_number(std::string_view name, const Container& container) const override;
  std::optional<AttachmentNumber> attachment_number(std::string_view name, const Container& container,
                                                    DocumentNumber document) const override;

  std::string message_of(const Error& error) const override;

  std::string encode(const FeedContinuation& continuation, const Container& container) const override;
  Result<FeedContinuation> decode_feed(std::string_view text, const Container& container) const override;
  std::string encode(const QueryContinuation& continuation, std::string_view query_text,
                     const Container& container) const override;
  Result<QueryContinuation> decode_query(std::string_view text, std::string_view query_text, const query::Plan& plan,
                                         const Container& container) const override;
};

}  // namespace partita::cosmos
