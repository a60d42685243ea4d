#pragma once

#include "protocols/cosmos/direct/token.h"

#include <cstdint>
#include <span>
#include <string_view>

// What the headers of an answer are as tokens.
namespace partita::cosmos::direct {

enum class ResponseForm : uint8_t {
  kOwn,     // no header of ours has it: about the replica, or the frame
  kText,    // as it is
  kLink,    // the same, with its escapes undone: clients compare it with names
  kNumber,  // of 32 bits
  kCharge,
  kFlag,
  kSession,  // without the range in front
  kLsn,      // and what follows from it
  kItemLsn,
  kSubStatus,  // which the kind of request may change
};

struct ResponseToken {
  uint16_t id = 0;
  std::string_view name;
  TokenType type = TokenType::kByte;  // clients ignore what stands in the frame
  ResponseForm form = ResponseForm::kOwn;
  std::string_view header = {};
};

// Everything that is sent, by number.
std::span<const ResponseToken> response_tokens();
// Null: no token says that. The header's name is as it is written here.
const ResponseToken* find_response_token(std::string_view header);

namespace response_token {

inline constexpr uint16_t kPayloadPresent = 0x0000;
inline constexpr uint16_t kSchemaVersion = 0x0010;
inline constexpr uint16_t kLsn = 0x0013;
inline constexpr uint16_t kRequestCharge = 0x0015;
inline constexpr uint16_t kQuorumAckedLsn = 0x001A;
inline constexpr uint16_t kRequestValidationFailure = 0x001B;
inline constexpr uint16_t kSubStatus = 0x001C;
inline constexpr uint16_t kCurrentWriteQuorum = 0x001E;
inline constexpr uint16_t kCurrentReplicaSetSize = 0x001F;
inline constexpr uint16_t kPartitionKeyRangeId = 0x0021;
inline constexpr uint16_t kGlobalCommittedLsn = 0x0029;
inline constexpr uint16_t kNumberOfReadRegions = 0x0030;
inline constexpr uint16_t kItemLsn = 0x0032;
inline constexpr uint16_t kTransportId = 0x0035;
inline constexpr uint16_t kLocalLsn = 0x003A;
inline constexpr uint16_t kQuorumAckedLocalLsn = 0x003B;
inline constexpr uint16_t kItemLocalLsn = 0x003C;
inline constexpr uint16_t kSessionToken = 0x003E;
inline constexpr uint16_t kRequestDuration = 0x0051;

}  // namespace response_token

}  // namespace partita::cosmos::direct
