#pragma once

#include "base/result.h"
#include "client/query/row.h"
#include "client/response.h"
#include "document/value.h"

#include <memory>
#include <string>
#include <string_view>

namespace partita::client {

// FeedPage: the members of a feed that one answer brought, in stored form. Immutable; views live as long as the page, and moving
// it ends none of them.
class FeedPage {
 public:
  FeedPage() = default;
  // `key` is what the feed's array is called, such as Documents. kInternal when the body is no such feed. An answer without a
  // body (304: nothing new) is an empty page.
  static Result<FeedPage> parse(const Response& response, std::string_view key);
  // The same of documents: everything in it is an object.
  static Result<FeedPage> parse_documents(const Response& response);

  size_t size() const;
  // REQUIRES: index < size().
  Value at(size_t index) const { return members().element(index); }
  // The same, for longer than the page lives.
  Row row(size_t index) const { return Row(stored_, at(index)); }

 private:
  Value members() const;

  std::shared_ptr<const std::string> stored_;
  size_t start_ = 0;  // of the array
  size_t bytes_ = 0;
};

}  // namespace partita::client
