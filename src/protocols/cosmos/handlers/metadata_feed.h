#pragma once

#include "document/stored/stored_writer.h"
#include "gateway/query/listed_query.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::cosmos {

// Answers with one page of a feed of databases, containers or offers: filtered when the request is a query, then cut as the
// request asks; its continuation is the number of the last row. On a worker: a query may take its time.
void answer_metadata_feed(const Service& service, Exchange& exchange, std::string_view owner_rid, std::string_view array_name,
                          const Listing& listing);

// {"_rid":...,"<array_name>":[...],"_count":n} around items that are JSON already.
void begin_feed_body(std::string& out, std::string_view owner_rid, std::string_view array_name);
void end_feed_body(std::string& out, size_t count);

// The page size of the request; `fallback` when it leaves that to the server.
Result<size_t> items_max(const Exchange& exchange, size_t fallback, size_t limit);

}  // namespace partita::cosmos
