#include "tools/transfer/source/container_feed.h"

#include "client/header_names.h"
#include "client/test_service.h"
#include "document/json/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

namespace partita::tools::transfer {
namespace {

using client::http_answer;
namespace header = client::header;
using testing::UnorderedElementsAre;

std::string line(std::string_view name, std::string_view value) { return fmt::format("{}: {}\r\n", name, value); }

std::string range(std::string_view id, std::string_view min, std::string_view max, std::string_view parents = "") {
  return fmt::format(R"({{"id":"{}","minInclusive":"{}","maxExclusive":"{}","parents":[{}]}})", id, min, max, parents);
}
std::string page(std::string_view id, std::string_view continuation = "") {
  return http_answer(200, fmt::format(R"({{"Documents":[{{"id":"{}"}}]}})", id),
                     continuation.empty() ? "" : line(header::kContinuation, continuation));
}
std::string gone() { return http_answer(410, R"({"code":"Gone","message":"moved"})", line(header::kSubStatus, "1002")); }

// A container with the partitions 0 and 1, which become 2 when they are merged.
class ContainerFeedTest : public testing::Test {
 protected:
  std::string answer(const std::string& request) {
    if (request.contains("/pkranges")) {
      const std::string ranges =
          is_merged_ ? range("2", "", "FF", R"("0","1")") : range("0", "", "20") + "," + range("1", "20", "FF");
      return http_answer(200, fmt::format(R"({{"PartitionKeyRanges":[{}]}})", ranges));
    }
    return is_merged_ ? merged_page(request) : parted_page(request);
  }
  // Of the merged partition, by hashes.
  std::string merged_page(const std::string& request) {
    const auto has = [&](std::string_view name, std::string_view value) { return request.contains(line(name, value)); };
    const bool is_begun = request.contains(header::kContinuation);
    if (!has(header::kRangeId, "2")) return gone();
    if (!has(header::kReadKeyType, "EffectivePartitionKeyRange")) return page("everything");
    if (has(header::kStartEffectiveKey, "20") && has(header::kEndEffectiveKey, "FF")) return is_begun ? page("wrong") : page("c");
    if (!has(header::kStartEffectiveKey, "") || !has(header::kEndEffectiveKey, "20")) return http_answer(400, "{}");
    return has(header::kContinuation, "behind a") ? page("b") : page("a again");
  }
  // The second partition is never read to its end.
  std::string parted_page(const std::string& request) {
    const bool is_begun = request.contains(header::kContinuation);
    if (request.contains(line(header::kRangeId, "0")) && !is_begun) return page("a", "behind a");
    is_merged_ = merges_;
    return merges_ ? gone() : http_answer(429, "{}", line(header::kRetryAfter, "60000"));
  }

  // Reads until it has so many documents, or all.
  Status read(std::string_view position, size_t wanted) {
    client::TestService service([this](const std::string& request) { return answer(request); });
    const client::Client client =
        client::Client::create({.endpoint = service.endpoint(), .retry = {.is_enabled = false}}).value();
    TRY_ASSIGN(const std::unique_ptr<ContainerFeed> feed,
               ContainerFeed::open(client, {"d", "c"}, {.partitions_at_once = 1}, position));
    while (found_.size() < wanted) {
      TRY_ASSIGN(const std::optional<client::FeedPage> next, feed->next(std::chrono::milliseconds(10)));
      if (!next) break;
      for (size_t index = 0; index < next->size(); ++index) found_.emplace_back(next->at(index).find("id").string());
    }
    position_ = feed->position();
    return {};
  }

  std::atomic<bool> is_merged_ = false;
  bool merges_ = true;
  std::vector<std::string> found_;
  std::string position_;
};

TEST_F(ContainerFeedTest, GoesOnWhenPartitionsAreMergedMeanwhile) {
  const Status ended = read("", 100);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_THAT(found_, UnorderedElementsAre("a", "b", "c"));
}

TEST_F(ContainerFeedTest, GoesOnFromAPositionBeforePartitionsWereMerged) {
  merges_ = false;
  ASSERT_TRUE(read("", 1));
  EXPECT_EQ(position_, R"([{"min":"","max":"20","continuation":"behind a"},{"min":"20","max":"FF"}])");
  is_merged_ = true;
  const Status ended = read(position_, 100);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_THAT(found_, UnorderedElementsAre("a", "b", "c"));
}

TEST_F(ContainerFeedTest, RefusesAPositionThatItCannotRead) {
  for (const std::string_view position :
       {"{}", "[1]", R"([{"id":"0"}])", R"([{"min":"x","max":"FF"}])", R"([{"min":"FF","max":""}])"}) {
    const Status read_there = read(position, 1);
    ASSERT_FALSE(read_there) << position;
    EXPECT_EQ(read_there.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace partita::tools::transfer
