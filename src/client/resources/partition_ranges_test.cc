#include "client/resources/containers.h"
#include "client/test_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::client {
namespace {

Answer<std::vector<PartitionRange>> read(std::string_view ranges) {
  TestService service(
      [&](const std::string&) { return http_answer(200, fmt::format(R"({{"PartitionKeyRanges":[{}]}})", ranges)); });
  return read_partition_ranges(Client::create({.endpoint = service.endpoint()}).value(), {"d", "c"});
}

}  // namespace

TEST(PartitionRanges, MayBeNumbered) {
  const auto ranges = read(R"({"id":0,"minInclusive":"","maxExclusive":"FF","parents":[]})");
  ASSERT_TRUE(ranges) << ranges.error().message;
  ASSERT_EQ(ranges->size(), 1U);
  EXPECT_EQ(ranges->front().id, "0");
}

TEST(PartitionRanges, AreRefusedWithoutIdAndWithGaps) {
  EXPECT_EQ(read(R"({"id":null,"minInclusive":"","maxExclusive":"FF"})").error().code, ErrorCode::kInternal);
  EXPECT_EQ(read(R"({"id":"0","minInclusive":"","maxExclusive":"20"})").error().code, ErrorCode::kUnavailable);
}

}  // namespace partita::client
