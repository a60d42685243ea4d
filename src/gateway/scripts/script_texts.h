#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "engine/item/identity.h"
#include "gateway/continuation.h"
#include "query/plan/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace partita {

// ScriptTexts: how scripts spell what they name by number and where their pages go on, and how they read errors. The protocol
// whose scripts they are supplies it; thread-safe. What scripts give is not trusted: an implementation accepts only what it could
// have written.
class ScriptTexts {
 public:
  virtual ~ScriptTexts() = default;

  // Of the container, for links that last when names change. Different for every container of the store.
  virtual std::string container_link(const Container& container) const = 0;
  // What a name by number means; nothing when it is none of the container's.
  virtual std::optional<DocumentNumber> document_number(std::string_view name, const Container& container) const = 0;
  // The same for an attachment of the document.
  virtual std::optional<AttachmentNumber> attachment_number(std::string_view name, const Container& container,
                                                            DocumentNumber document) const = 0;

  // What is told a script of an error.
  virtual std::string message_of(const Error& error) const = 0;

  virtual std::string encode(const FeedContinuation& continuation, const Container& container) const = 0;
  // kInvalidInput when the text means no position in the container's feed.
  virtual Result<FeedContinuation> decode_feed(std::string_view text, const Container& container) const = 0;
  virtual std::string encode(const QueryContinuation& continuation, std::string_view query_text,
                             const Container& container) const = 0;
  // The plan is that of the query. kInvalidInput when the text means no position that the query can have come to.
  virtual Result<QueryContinuation> decode_query(std::string_view text, std::string_view query_text, const query::Plan& plan,
                                                 const Container& container) const = 0;
};

}  // namespace partita
