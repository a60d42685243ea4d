#include "client/resources/resource_feeds.h"

#include "client/feed_page.h"
#include "client/header_names.h"

namespace partita::client {

Answer<void> read_feed(const Client& client, const Request& request, std::string_view key,
                       const std::function<Status(const Value&)>& visit) {
  std::string continuation;
  do {
    Request page_request = request;
    if (!continuation.empty()) page_request.with(header::kContinuation, continuation);
    TRY_ASSIGN(const Response response, client.send_expecting_success(std::move(page_request)));
    TRY_ASSIGN(const FeedPage page, FeedPage::parse(response, key));
    for (size_t index = 0; index < page.size(); ++index) TRY(visit(page.at(index)));
    continuation = response.continuation();
  } while (!continuation.empty());
  return {};
}

}  // namespace partita::client
