#pragma once

#include "client/client.h"
#include "document/value.h"

#include <functional>
#include <string_view>

namespace partita::client {

// All members of a feed, page after page, until one is refused. `key` is what the feed's array is called.
Answer<void> read_feed(const Client& client, const Request& request, std::string_view key,
                       const std::function<Status(const Value&)>& visit);

}  // namespace partita::client
