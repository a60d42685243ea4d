#pragma once

#include "base/result.h"
#include "gateway/feed.h"
#include "gateway/queries.h"

#include <string>
#include <string_view>

// Continuation tokens of document feeds: opaque to clients, printable ASCII, valid inside a JSON string of a client's own token.
//
//   {"token":"+RID:<rid of the last document>","range":{"min":"<hex>","max":"<hex>"}}
//
// Those of queries add how far the query is, and a hash of its text so that a token is not used with another query.
//
//   {"query":"<hash>","results":n,"row":n,"skipped":n,"taken":n}                        with token and range for streaming
//   queries
namespace partita::cosmos {

std::string encode_continuation(const FeedPosition& position, const Container& container);
// kInvalidInput when it is no such token, or one of another container.
Result<FeedPosition> decode_continuation(std::string_view text, const Container& container);

std::string encode_query_continuation(const QueryPosition& position, std::string_view query_text, const Container& container);
Result<QueryPosition> decode_query_continuation(std::string_view text, std::string_view query_text, const Container& container);

}  // namespace partita::cosmos
