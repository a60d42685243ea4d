#include "protocols/cosmos/direct/response_tokens.h"

#include "protocols/cosmos/codec/header_names.h"

#include <algorithm>
#include <array>

namespace partita::cosmos::direct {
namespace {

constexpr TokenType kB = TokenType::kByte;
constexpr TokenType kU32 = TokenType::kUnsigned32;
constexpr TokenType kI64 = TokenType::kSigned64;
constexpr TokenType kD = TokenType::kDouble;
constexpr TokenType kS8 = TokenType::kSmallString;
constexpr TokenType kS16 = TokenType::kString;
using enum ResponseForm;

constexpr std::array kTokens = {
    ResponseToken{response_token::kPayloadPresent, "PayloadPresent", kB, kOwn},
    ResponseToken{0x0003, "ContinuationToken", kS16, kText, header::kContinuation},
    ResponseToken{0x0004, "ETag", kS16, kText, header::kEtag},
    ResponseToken{0x000C, "RetryAfterMilliseconds", kU32, kNumber, header::kRetryAfter},
    ResponseToken{0x000E, "StorageMaxResoureQuota", kS16, kText, header::kResourceQuota},
    ResponseToken{0x000F, "StorageResourceQuotaUsage", kS16, kText, header::kResourceUsage},
    ResponseToken{response_token::kSchemaVersion, "SchemaVersion", kS8, kOwn},
    ResponseToken{response_token::kLsn, "LSN", kI64, kLsn, header::kLsn},
    ResponseToken{0x0014, "ItemCount", kU32, kNumber, header::kItemCount},
    ResponseToken{response_token::kRequestCharge, "RequestCharge", kD, kCharge, header::kRequestCharge},
    ResponseToken{0x0017, "OwnerFullName", kS16, kLink, header::kOwnerFullName},
    ResponseToken{0x0018, "OwnerId", kS16, kText, header::kOwnerRid},
    ResponseToken{response_token::kQuorumAckedLsn, "QuorumAckedLSN", kI64, kOwn},
    ResponseToken{response_token::kRequestValidationFailure, "RequestValidationFailure", kB, kOwn},
    ResponseToken{response_token::kSubStatus, "SubStatus", kU32, kSubStatus, header::kSubStatus},
    ResponseToken{0x001D, "CollectionUpdateProgress", kU32, kNumber, header::kIndexProgress},
    ResponseToken{response_token::kCurrentWriteQuorum, "CurrentWriteQuorum", kU32, kOwn},
    ResponseToken{response_token::kCurrentReplicaSetSize, "CurrentReplicaSetSize", kU32, kOwn},
    ResponseToken{0x0020, "CollectionLazyIndexProgress", kU32, kNumber, header::kLazyIndexProgress},
    ResponseToken{response_token::kPartitionKeyRangeId, "PartitionKeyRangeId", kS16, kText, header::kPartitionKeyRangeId},
    ResponseToken{0x0025, "LogResults", kS16, kText, header::kScriptLog},
    ResponseToken{0x0028, "QueryMetrics", kS16, kText, header::kQueryMetrics},
    ResponseToken{response_token::kGlobalCommittedLsn, "GlobalCommittedLSN", kI64, kOwn},
    ResponseToken{response_token::kNumberOfReadRegions, "NumberOfReadRegions", kU32, kOwn},
    ResponseToken{0x0031, "OfferReplacePending", kB, kFlag, header::kReplacePending},
    ResponseToken{response_token::kItemLsn, "ItemLSN", kI64, kItemLsn, header::kItemLsn},
    ResponseToken{response_token::kTransportId, "TransportRequestID", kU32, kOwn},
    ResponseToken{response_token::kLocalLsn, "LocalLSN", kI64, kOwn},
    ResponseToken{response_token::kQuorumAckedLocalLsn, "QuorumAckedLocalLSN", kI64, kOwn},
    ResponseToken{response_token::kItemLocalLsn, "ItemLocalLSN", kI64, kOwn},
    ResponseToken{response_token::kSessionToken, "SessionToken", kS16, kSession, header::kSessionToken},
    ResponseToken{0x0044, "IndexUtilization", kS16, kText, header::kIndexUtilization},
    ResponseToken{response_token::kRequestDuration, "BackendRequestDurationMilliseconds", kD, kOwn},
    ResponseToken{0x0075, "QueryAdvice", kS16, kText, header::kQueryAdvice},
};
static_assert(std::ranges::is_sorted(kTokens, {}, &ResponseToken::id));

constexpr size_t kNameBytesMax = [] {
  size_t longest = 0;
  for (const ResponseToken& token : kTokens) longest = std::max(longest, token.header.size());
  return longest;
}();
constexpr size_t kOfOneLengthMax = 4;

// Names are told apart by their lengths first: the places in kTokens of those that have one, and kTokens.size() behind them.
constexpr auto kByLength = [] {
  std::array<std::array<uint8_t, kOfOneLengthMax + 1>, kNameBytesMax + 1> places{};
  for (auto& of_length : places) of_length.fill(kTokens.size());
  for (size_t i = 0; i < kTokens.size(); ++i) {
    if (kTokens[i].header.empty()) continue;
    size_t at = 0;
    while (places[kTokens[i].header.size()][at] != kTokens.size()) ++at;
    places[kTokens[i].header.size()].at(at) = static_cast<uint8_t>(i);
  }
  return places;
}();

}  // namespace

std::span<const ResponseToken> response_tokens() { return kTokens; }

const ResponseToken* find_response_token(std::string_view header) {
  if (header.size() > kNameBytesMax) return nullptr;
  for (const uint8_t place : kByLength[header.size()]) {
    if (place == kTokens.size()) return nullptr;
    if (kTokens[place].header == header) return &kTokens[place];
  }
  return nullptr;
}

}  // namespace partita::cosmos::direct
