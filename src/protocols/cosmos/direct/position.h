#pragma once

#include "net/http/http_message.h"
#include "protocols/cosmos/service.h"

#include <cstdint>
#include <string>

namespace partita::cosmos::direct {

// How far that has come which a request is about.
struct Position {
  std::string range_id;  // of a partition; empty: the metadata
  uint64_t lsn = 0;
  bool is_of_unknown_range = false;  // that it names; then this is the metadata's
};

// As its path, its partition key or its range say; the metadata where they say nothing. Of a range that was split or merged it is
// that of the partition which has its first hashes now, and goes on with its sequence. REQUIRES: the request was authorized.
Position position_of(const Service& service, const net::HttpRequest& request);

}  // namespace partita::cosmos::direct
