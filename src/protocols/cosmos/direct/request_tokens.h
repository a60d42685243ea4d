#pragma once

#include "protocols/cosmos/direct/token.h"

#include <cstdint>
#include <span>
#include <string_view>

// What each token of a request means.
namespace partita::cosmos::direct {

enum class RequestForm : uint8_t {
  kIgnored,         // nothing that is served here depends on it
  kText,            // its text is the value of the header
  kFlag,            // the header says "True" if it is not 0
  kNumber,          // the header says it in decimal
  kCount,           // the same; the largest of 32 bits says "all", -1
  kChoice,          // the header says what the number stands for
  kGuid,            // ignored as well, but no text
  kMatch,           // If-None-Match of reads, If-Match of everything else
  kName,            // of a resource on the way
  kResourceId,      // of the resource, or of the container that its name is believed to mean
  kContainerRid,    // of the container that its name is believed to mean
  kReplicaPath,     // which replica the client means
  kPayloadPresent,  // whether a payload follows
  kTransportId,     // to be sent back
  kReadStrategy,    // how fresh what is read has to be, whatever level is sent along
};

struct RequestToken {
  uint16_t id = 0;
  std::string_view name;
  TokenType type = TokenType::kByte;  // as most clients send it; what counts is what stands in the frame
  RequestForm form = RequestForm::kIgnored;
  std::string_view header = {};  // of the same meaning in REST; kName: the segment of a path in front of the name
};

// By number. Those that only parts of the service send to each other are not among them.
std::span<const RequestToken> request_tokens();
// Null: not known, to be skipped.
const RequestToken* find_request_token(uint16_t id);

// What the number stands for; empty when for nothing. REQUIRES: a token of the form kChoice.
std::string_view choice_text(const RequestToken& token, int64_t number);

namespace request_token {

inline constexpr uint16_t kPayloadPresent = 0x0002;
inline constexpr uint16_t kTransportId = 0x004D;

}  // namespace request_token

}  // namespace partita::cosmos::direct
