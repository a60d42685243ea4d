#pragma once

#include "base/result.h"
#include "gateway/feed.h"

#include <string>
#include <string_view>

// Continuation tokens of document feeds: opaque to clients, printable ASCII, valid inside a JSON string of a client's own token.
//
//   {"token":"+RID:<rid of the last document>","range":{"min":"<hex>","max":"<hex>"}}
namespace partita::cosmos {

std::string encode_continuation(const FeedPosition& position, const Container& container);
// kInvalidInput when it is no such token, or one of another container.
Result<FeedPosition> decode_continuation(std::string_view text, const Container& container);

}  // namespace partita::cosmos
