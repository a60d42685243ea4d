#pragma once

#include "net/test_client.h"
#include "protocols/cosmos/direct/frame_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

// For tests.
namespace partita::cosmos::direct {

// The numbers that tests use.
namespace kind {
inline constexpr uint16_t kDatabase = 1, kContainer = 2, kItem = 3, kUser = 5, kProcedure = 7, kConflict = 8;
}
namespace op {
inline constexpr uint16_t kCreate = 0x01, kPatch = 0x02, kRead = 0x03, kReadFeed = 0x04, kDelete = 0x05, kReplace = 0x06,
                          kExecute = 0x08, kQuery = 0x0F, kHead = 0x11, kHeadFeed = 0x12, kUpsert = 0x13, kBatch = 0x25;
}
namespace in {
inline constexpr uint16_t kResourceId = 0x00, kAuthorization = 0x01, kDate = 0x03, kPageSize = 0x04, kSession = 0x05,
                          kContinuation = 0x06, kMatch = 0x08, kConsistency = 0x10, kReplicaPath = 0x13, kDatabase = 0x15,
                          kContainer = 0x16, kItem = 0x17, kUser = 0x19, kProcedure = 0x1B, kConflict = 0x20,
                          kPartitionKey = 0x2B, kRange = 0x2C, kContainerRid = 0x35, kChanges = 0x3F, kStartHash = 0x62,
                          kEndHash = 0x63, kTransport = 0x4D, kAtomic = 0x73, kIntendedRid = 0x9D, kReadStrategy = 0xFE;
}
namespace out {
inline constexpr uint16_t kContinuation = 0x03, kEtag = 0x04, kRetryAfter = 0x0C, kSchema = 0x10, kLsn = 0x13, kItemCount = 0x14,
                          kCharge = 0x15, kOwnerName = 0x17, kOwnerRid = 0x18, kQuorumLsn = 0x1A, kWrongEverywhere = 0x1B,
                          kSubStatus = 0x1C, kWriteQuorum = 0x1E, kReplicas = 0x1F, kRange = 0x21, kGlobalLsn = 0x29,
                          kReadRegions = 0x30, kItemLsn = 0x32, kLocalLsn = 0x3A, kSession = 0x3E, kDuration = 0x51;
}

// DirectClient: one connection in direct mode, blocking.
class DirectClient {
 public:
  explicit DirectClient(uint16_t port) : client_(port) {}

  net::TestTlsClient& connection() { return client_; }
  bool send(std::string_view frame) { return client_.send(frame); }
  // Status 0 when the connection ended.
  ParsedAnswer receive() {
    const std::string fixed = client_.receive_bytes(kFixedHeadBytes);
    if (fixed.size() < kFixedHeadBytes) return {};
    const size_t head_bytes = load_little_endian<uint32_t>(fixed.data());
    ParsedAnswer answer = parse_answer_head(fixed + client_.receive_bytes(head_bytes - kFixedHeadBytes));
    const bool is_of_context = answer.has(0x0001);
    if (!is_of_context) EXPECT_THAT(missing_tokens(answer), testing::IsEmpty());
    if (is_of_context ? answer.status == 200 : answer.number(0x0000) != 1) return answer;
    const std::string length = client_.receive_bytes(kPayloadLengthBytes);
    if (length.size() == kPayloadLengthBytes) answer.payload = client_.receive_bytes(load_little_endian<uint32_t>(length.data()));
    return answer;
  }
  ParsedAnswer exchange(std::string_view frame) {
    EXPECT_TRUE(send(frame));
    return receive();
  }
  // As every client begins.
  void begin(std::string_view agent = "ua") { ASSERT_EQ(exchange(context_frame("2020-07-15", agent)).status, 200); }

 private:
  net::TestTlsClient client_;
};

}  // namespace partita::cosmos::direct
