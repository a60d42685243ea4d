#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// Session tokens: how far a client knows each physical partition to have come.
//
// A response carries one, "<range id>:<token>"; a request a comma-separated list of them, each maybe without its range id.
// A token is an LSN ("123", the old shape) or a version, an LSN and optional progress per region ("-1#123#1=120").
namespace partita::cosmos {

enum class SessionTokenShape {
  kSimple,  // "0:123", for clients that read the token as an integer
  kVector,  // "0:-1#123"
};

// By the API version (a date) that the client speaks; without a readable one, the current shape.
SessionTokenShape session_token_shape(std::string_view api_version);

void append_session_token(std::string& out, std::string_view range_id, uint64_t lsn, SessionTokenShape shape);

// SessionTokens: a request's list. Holds a view of the text it was parsed from.
class SessionTokens {
 public:
  SessionTokens() = default;
  // kInvalidInput when an entry is not a token. An empty text is a list that demands nothing.
  static Result<SessionTokens> parse(std::string_view text);

  // The LSN that the range must have reached before it may answer; 0 when nothing is demanded. Entries count when they name the
  // range, one of the ranges it was split from (whose LSNs it continues), or no range.
  uint64_t lsn_demanded(std::string_view range_id, std::span<const std::string> parent_range_ids = {}) const;

 private:
  explicit SessionTokens(std::string_view text) : text_(text) {}

  std::string_view text_;  // every entry is valid
};

}  // namespace partita::cosmos
