#include "client/feed_page.h"

#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::client {
namespace {

constexpr int kNotModified = 304;

}  // namespace

Result<FeedPage> FeedPage::parse(const Response& response, std::string_view key) {
  FeedPage page;
  if (response.status() == kNotModified) return page;
  Result<std::string> stored = stored_from_json(response.body());
  if (!stored) return fail(ErrorCode::kInternal, fmt::format("the server's answer cannot be read: {}", stored.error().message));
  auto owned = std::make_shared<const std::string>(*std::move(stored));
  const Value members = Value::view(*owned).find(key);
  if (!members.is_array()) return fail(ErrorCode::kInternal, fmt::format("the server's answer has no array '{}'", key));
  page.start_ = static_cast<size_t>(members.bytes().data() - owned->data());
  page.bytes_ = members.bytes().size();
  page.stored_ = std::move(owned);
  return page;
}

Result<FeedPage> FeedPage::parse_documents(const Response& response) {
  TRY_ASSIGN(FeedPage page, parse(response, "Documents"));
  for (size_t index = 0; index < page.size(); ++index) {
    if (!page.at(index).is_object())
      return fail(ErrorCode::kInternal, "the server's answer cannot be read: something in it is no document");
  }
  return page;
}

size_t FeedPage::size() const { return stored_ == nullptr ? 0 : members().size(); }

Value FeedPage::members() const { return Value::view(std::string_view(*stored_).substr(start_, bytes_)); }

}  // namespace partita::client
