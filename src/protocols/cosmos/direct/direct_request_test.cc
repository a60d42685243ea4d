#include "protocols/cosmos/direct/direct_request.h"

#include "protocols/cosmos/direct/frame_builder.h"
#include "protocols/cosmos/direct/replica_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::cosmos::direct {
namespace {

// What a frame asks for.
struct Asked {
  explicit Asked(const FrameBuilder& builder) : frame(builder.build()) {
    const auto head = parse_request_head(frame);
    is_read = request.read(*head, std::string_view(frame).substr(kFixedHeadBytes), "2020-07-15");
  }
  std::string line() const {
    if (request.mistake()) return "mistake: " + request.mistake()->message;
    return std::string(request.request().method) + " " + std::string(request.request().path);
  }
  std::string header(std::string_view name) const { return std::string(request.request().header(name)); }

  std::string frame;
  DirectRequest request;
  bool is_read = false;
};

FrameBuilder in_container(uint16_t kind, uint16_t operation) {
  FrameBuilder builder(kind, operation);
  builder.text(0x0015, "db").text(0x0016, "c");
  return builder;
}

const std::string kContainerRid = bytes_of("01 00 00 00 81 00 00 02");
const std::string kItemRid = bytes_of("01 00 00 00 81 00 00 02 03 00 00 00 00 00 00 00");

}  // namespace

TEST(DirectRequest, MeansWhatItsOperationSays) {
  EXPECT_EQ(Asked(in_container(3, 0x01)).line(), "POST /dbs/db/colls/c/docs");
  EXPECT_EQ(Asked(in_container(3, 0x04)).line(), "GET /dbs/db/colls/c/docs");
  EXPECT_EQ(Asked(in_container(2, 0x11)).line(), "HEAD /dbs/db/colls/c");
  EXPECT_EQ(Asked(FrameBuilder(1, 0x12)).line(), "HEAD /dbs");
  EXPECT_EQ(Asked(FrameBuilder(1, 0x04)).line(), "GET /dbs");
  EXPECT_EQ(Asked(FrameBuilder(1, 0x03).text(0x15, "db")).line(), "GET /dbs/db");
  EXPECT_EQ(Asked(FrameBuilder(2, 0x04).text(0x15, "db")).line(), "GET /dbs/db/colls");
  EXPECT_EQ(Asked(in_container(7, 0x08).text(0x1B, "s")).line(), "POST /dbs/db/colls/c/sprocs/s");
  EXPECT_EQ(Asked(in_container(8, 0x04)).line(), "GET /dbs/db/colls/c/conflicts");
  EXPECT_EQ(Asked(FrameBuilder(6, 0x05).text(0x15, "db").text(0x19, "u").text(0x1A, "p")).line(),
            "DELETE /dbs/db/users/u/permissions/p");
  const std::vector<std::pair<uint16_t, std::string>> on_items = {
      {0x02, "PATCH"}, {0x03, "GET"}, {0x05, "DELETE"}, {0x06, "PUT"}};
  for (const auto& [operation, method] : on_items) {
    EXPECT_EQ(Asked(in_container(3, operation).text(0x17, "i")).line(), method + " /dbs/db/colls/c/docs/i");
  }
}

TEST(DirectRequest, SaysInHeadersWhatItsOperationSays) {
  const Asked query(in_container(3, 0x0F));
  EXPECT_EQ(query.line(), "POST /dbs/db/colls/c/docs");
  EXPECT_EQ(query.header("x-ms-documentdb-isquery"), "True");
  EXPECT_EQ(query.header("content-type"), "application/query+json");
  EXPECT_EQ(query.header("x-ms-documentdb-query-enablecrosspartition"), "True");
  EXPECT_EQ(Asked(in_container(3, 0x13)).header("x-ms-documentdb-is-upsert"), "True");
  const Asked batch(in_container(3, 0x25).byte(0x73, 1).byte(0x74, 0));
  EXPECT_EQ(batch.header("x-ms-cosmos-is-batch-request"), "True");
  EXPECT_EQ(batch.header("x-ms-cosmos-batch-atomic"), "True");
  EXPECT_EQ(batch.header("x-ms-cosmos-batch-continue-on-error"), "");
}

TEST(DirectRequest, HasTheValuesOfItsTokens) {
  const Asked asked(in_container(3, 0x04)
                        .number(0x04, 0xFFFF'FFFF)
                        .byte(0x10, 3)
                        .text(0x08, "\"etag\"")
                        .text(0x3F, "Incremental Feed")
                        .bytes(0x62, "05C1")
                        .byte(0x42, 1)
                        .number(0x14, 3600)
                        .text(0x35, "rid=")
                        .small_text(0x28, "2018-12-31"));
  EXPECT_EQ(asked.header("x-ms-max-item-count"), "-1");
  EXPECT_EQ(asked.header("x-ms-consistency-level"), "Eventual");
  EXPECT_EQ(asked.header("if-none-match"), "\"etag\"");
  EXPECT_EQ(asked.header("a-im"), "Incremental Feed");
  EXPECT_EQ(asked.header("x-ms-start-epk"), "05C1");
  EXPECT_EQ(asked.header("x-ms-documentdb-populatequerymetrics"), "True");
  EXPECT_EQ(asked.header("x-ms-documentdb-expiry-seconds"), "3600");
  EXPECT_EQ(asked.header("x-ms-cosmos-intended-collection-rid"), "rid=");
  EXPECT_EQ(asked.header("x-ms-version"), "2018-12-31");
  EXPECT_EQ(Asked(in_container(3, 0x06).text(0x17, "i").text(0x08, "e")).header("if-match"), "e");
}

TEST(DirectRequest, GoesByTheTypeInTheFrame) {
  EXPECT_EQ(Asked(in_container(3, 0x04).byte(0x04, 7)).header("x-ms-max-item-count"), "7");
  EXPECT_EQ(Asked(in_container(3, 0x04).small_text(0x2B, "[1]")).header("x-ms-documentdb-partitionkey"), "[1]");
  EXPECT_THAT(Asked(in_container(3, 0x04).text(0x04, "7")).line(), testing::HasSubstr("mistake: The token PageSize"));
  EXPECT_THAT(Asked(in_container(3, 0x04).number(0x2B, 7)).line(), testing::HasSubstr("mistake: The token PartitionKey"));
}

TEST(DirectRequest, TakesTheLastOfTokensThatComeTwice) {
  EXPECT_EQ(Asked(in_container(3, 0x04).text(0x2B, "[1]").text(0x2B, "[2]")).header("x-ms-documentdb-partitionkey"), "[2]");
  FrameBuilder often = in_container(3, 0x04);
  for (uint32_t i = 0; i < 1000; ++i) often.number(0x04, i);
  EXPECT_THAT(Asked(often).line(), testing::HasSubstr("mistake: The request has the same token too often"));
}

TEST(DirectRequest, EscapesNames) {
  const Asked asked(FrameBuilder(3, 0x03).text(0x15, "a b%20é").text(0x16, "x/y?z#&=+").text(0x17, "i"));
  EXPECT_EQ(asked.line(), "GET /dbs/a%20b%2520%C3%A9/colls/x%2Fy%3Fz%23%26%3D%2B/docs/i");
}

TEST(DirectRequest, IsFoundByResourceIdWithoutNames) {
  EXPECT_EQ(Asked(FrameBuilder(3, 0x03).bytes(0x00, kItemRid)).line(),
            "GET /dbs/AQAAAA==/colls/AQAAAIEAAAI=/docs/AQAAAIEAAAIDAAAAAAAAAA==");
  EXPECT_EQ(Asked(FrameBuilder(3, 0x01).bytes(0x00, kContainerRid)).line(), "POST /dbs/AQAAAA==/colls/AQAAAIEAAAI=/docs");
  EXPECT_EQ(Asked(FrameBuilder(1, 0x03).bytes(0x00, kContainerRid.substr(0, 4))).line(), "GET /dbs/AQAAAA==");
  EXPECT_EQ(Asked(FrameBuilder(5, 0x03).bytes(0x00, bytes_of("01 00 00 00 01 00 00 02"))).line(),
            "GET /dbs/AQAAAA==/users/AQAAAAEAAAI=");
}

TEST(DirectRequest, IsRefusedWithNeitherNamesNorAFittingResourceId) {
  EXPECT_THAT(Asked(FrameBuilder(3, 0x03)).line(), testing::HasSubstr("mistake: The request has neither"));
  EXPECT_THAT(Asked(FrameBuilder(3, 0x03).bytes(0x00, kContainerRid)).line(), testing::HasSubstr("mistake:"));
  EXPECT_THAT(Asked(FrameBuilder(2, 0x03).bytes(0x00, bytes_of("01 00 00 00 01 00 00 02"))).line(),
              testing::HasSubstr("mistake:"));
  EXPECT_THAT(Asked(FrameBuilder(3, 0x03).text(0x15, "db")).line(), testing::HasSubstr("names nothing of 'colls'"));
  EXPECT_THAT(Asked(in_container(3, 0x03)).line(), testing::HasSubstr("names nothing of 'docs'"));
  EXPECT_THAT(Asked(in_container(3, 0x03).text(0x17, "")).line(), testing::HasSubstr("names nothing of 'docs'"));
}

TEST(DirectRequest, ChecksWhichContainerItsNameIsBelievedToMean) {
  constexpr const char* kHeader = "x-ms-cosmos-intended-collection-rid";
  EXPECT_EQ(Asked(in_container(3, 0x01).bytes(0x00, kContainerRid)).header(kHeader), "AQAAAIEAAAI=");
  EXPECT_EQ(Asked(in_container(3, 0x03).text(0x17, "i").bytes(0x00, kItemRid)).header(kHeader), "AQAAAIEAAAI=");
  const Asked insisting(in_container(3, 0x01).text(0x35, "cached=").text(0x9D, "meant="));
  EXPECT_EQ(insisting.header(kHeader), "meant=");
  EXPECT_TRUE(insisting.request.insists_on_container());
  EXPECT_FALSE(Asked(in_container(3, 0x01).text(0x35, "cached=")).request.insists_on_container());
}

TEST(DirectRequest, RefusesWhatIsNotServed) {
  EXPECT_THAT(Asked(FrameBuilder(0x14, 0x03)).line(), testing::HasSubstr("is not served in direct mode"));
  EXPECT_THAT(Asked(in_container(3, 0x0E)).line(), testing::HasSubstr("is not served in direct mode"));
  EXPECT_FALSE(Asked(in_container(3, 0x04).raw("x")).is_read);
}

TEST(ReplicaPath, TellsThePrimary) {
  EXPECT_EQ(replica_path("ab", "7", 0), "/apps/partita/services/6162/partitions/7/replicas/1p/");
  for (size_t replica = 0; replica < kReplicas; ++replica) {
    EXPECT_EQ(is_primary_path(replica_path("AAAAAYAAAAE=", "0", replica)), replica == 0);
  }
  EXPECT_TRUE(is_primary_path("/p/0/1p"));
  EXPECT_FALSE(is_primary_path(""));
}

}  // namespace partita::cosmos::direct
