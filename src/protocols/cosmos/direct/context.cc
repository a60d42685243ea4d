#include "protocols/cosmos/direct/context.h"

#include "base/bytes.h"
#include "protocols/cosmos/direct/token.h"
#include "protocols/cosmos/errors.h"

#include <fmt/format.h>

#include <optional>

namespace partita::cosmos::direct {
namespace {

// Numbers in requests and answers alike.
constexpr uint16_t kProtocolVersionToken = 0x0000;
constexpr uint16_t kClientVersionToken = 0x0001;
// In requests.
constexpr uint16_t kUserAgentToken = 0x0002;
// In answers.
constexpr uint16_t kServerAgentToken = 0x0002;
constexpr uint16_t kServerVersionToken = 0x0003;
constexpr uint16_t kIdleTimeoutToken = 0x0004;
constexpr uint16_t kUnauthenticatedTimeoutToken = 0x0005;

constexpr size_t kVersionBytesMax = 32;
constexpr std::string_view kOwnVersion = "2020-07-15";

}  // namespace

Result<ContextRequest> parse_context(std::string_view tokens) {
  std::optional<int64_t> protocol;
  std::optional<std::string_view> version;
  std::optional<std::string_view> user_agent;
  TokenReader reader(tokens);
  for (Token token; reader.next(token);) {
    if (token.id == kProtocolVersionToken) protocol = token.number();
    if (token.id == kClientVersionToken) version = token.text();
    if (token.id == kUserAgentToken) user_agent = token.text();
  }
  if (reader.is_broken()) return fail(ErrorCode::kInvalidInput, "The first frame cannot be read.");
  if (protocol != kProtocolVersion)
    return fail(ErrorCode::kInvalidInput, fmt::format("Only version {} of the protocol is spoken here.", kProtocolVersion));
  if (!version || version->empty() || version->size() > kVersionBytesMax)
    return fail(ErrorCode::kInvalidInput, "The first frame does not say which version of the API the client speaks.");
  return ContextRequest{.version = *version, .user_agent = user_agent.value_or(std::string_view())};
}

void append_context_answer(std::string& out, const ActivityId& activity_id, const ContextAnswer& answer) {
  constexpr uint32_t kOk = 200;
  const size_t begin = begin_response_head(out, kOk, activity_id);
  append_token(out, kProtocolVersionToken, kProtocolVersion);
  append_small_string(out, kClientVersionToken, answer.version);
  append_small_string(out, kServerAgentToken, answer.server_agent);
  append_small_string(out, kServerVersionToken, answer.server_version);
  append_token(out, kIdleTimeoutToken, static_cast<uint32_t>(answer.idle_timeout.count()));
  append_token(out, kUnauthenticatedTimeoutToken, static_cast<uint32_t>(answer.unauthenticated_timeout.count()));
  finish_response_head(out, begin);
}

void append_context_refusal(std::string& out, const ActivityId& activity_id, const Error& error) {
  const WireError wire = wire_error(error);
  const size_t begin = begin_response_head(out, static_cast<uint32_t>(wire.status), activity_id);
  append_token(out, kProtocolVersionToken, kProtocolVersion);
  append_small_string(out, kClientVersionToken, kOwnVersion);
  finish_response_head(out, begin);
  std::string activity(kGuidTextBytes, '\0');
  write_guid_text(activity.data(), {activity_id.data(), activity_id.size()});
  std::string payload;
  append_error_body(payload, error, activity);
  append_little_endian(out, static_cast<uint32_t>(payload.size()));
  out += payload;
}

}  // namespace partita::cosmos::direct
