#pragma once

#include "base/result.h"
#include "protocols/cosmos/direct/frame.h"

#include <chrono>
#include <string>
#include <string_view>

// The first frame of each side, in which they agree on how to go on.
namespace partita::cosmos::direct {

inline constexpr uint32_t kProtocolVersion = 1;

// What a client says of itself. Views of its frame.
struct ContextRequest {
  std::string_view version;     // of the API: a date, for all requests of the connection
  std::string_view user_agent;  // empty: it does not say
};

// kInvalidInput when nothing can be agreed on.
Result<ContextRequest> parse_context(std::string_view tokens);

struct ContextAnswer {
  std::string_view version;
  std::string_view server_agent;
  std::string_view server_version;
  std::chrono::seconds idle_timeout;
  std::chrono::seconds unauthenticated_timeout;  // of a connection on which nothing was authorized yet
};
void append_context_answer(std::string& out, const ActivityId& activity_id, const ContextAnswer& answer);
// Has a payload that no token tells of.
void append_context_refusal(std::string& out, const ActivityId& activity_id, const Error& error);

}  // namespace partita::cosmos::direct
