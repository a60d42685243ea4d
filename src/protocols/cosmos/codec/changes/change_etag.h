#pragma once

#include "base/result.h"
#include "gateway/feeds/change_feed.h"

#include <string>
#include <string_view>

// Positions in the change feed, as the ETag of its answers and the If-None-Match of its requests.
//
//   "17"           up to LSN 17, in whatever partitions the request concerns
//   "0:17,1:5"     by physical partition, when a request concerns several
namespace partita::cosmos {

std::string encode_change_etag(const ChangePage& page);
// With or without its quotes. kInvalidInput when it is no such text.
Result<ChangePosition> decode_change_etag(std::string_view text);

}  // namespace partita::cosmos
