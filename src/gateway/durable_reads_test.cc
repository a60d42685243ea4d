#include "cluster/test_account.h"
#include "document/json.h"
#include "gateway/change_feed.h"
#include "gateway/feed.h"
#include "gateway/items.h"
#include "gateway/queries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>

// What can be read while the disk refuses to write: everything that is durable, and nothing else.
namespace partita {
namespace {

using testing::ElementsAre;

class DurableReads : public testing::Test {
 protected:
  DurableReads() {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(create(i, "small"), std::nullopt);
    failing_.emplace();
    // Beyond what a file may have, so that it is visible to readers and never durable.
    EXPECT_EQ(create(3, std::string(FailingDisk::kFileBytesMax * 3 / 2, 'x')), ErrorCode::kStorageFailure);
    while (!account_.store->failure()) std::this_thread::yield();
  }

  template <typename T>
  static Result<T> wait(const std::function<void(std::move_only_function<void(Result<T>)>)>& start) {
    std::promise<Result<T>> outcome;
    start([&](Result<T> result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  std::optional<ErrorCode> create(int i, std::string_view text) {
    const std::string json = fmt::format(R"({{"id":"{0}","pk":"{0}","n":{0},"text":"{1}"}})", i, text);
    const Result<ItemOutcome> outcome =
        wait<ItemOutcome>([&](auto callback) { items_.create(container_, json, std::nullopt, std::move(callback)); });
    return outcome ? std::nullopt : std::optional(outcome.error().code);
  }
  std::optional<ErrorCode> read(std::string_view id) {
    const PartitionKey key = *PartitionKey::parse(fmt::format(R"(["{}"])", id));
    const Result<ItemOutcome> outcome = wait<ItemOutcome>([&](auto callback) {
      items_.read(
          container_, {.id = id, .number = std::nullopt, .key = key}, [](const PartitionPlace&) { return 0; },
          std::move(callback));
    });
    return outcome ? std::nullopt : std::optional(outcome.error().code);
  }
  std::vector<std::string> query(const std::string& text) {
    const query::Plan plan = query::compile({text, {}}).value();
    const Result<QueryPage> page = wait<QueryPage>([&](auto callback) {
      run_query(container_, plan, {}, {.clock = account_.clock, .random = account_.random}, std::move(callback));
    });
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> rows;
    for (const std::string& row : page ? page->rows : std::vector<std::string>()) rows.push_back(to_json(Value::view(row)));
    return rows;
  }

  TestAccount account_{Durability::kSynced, RateLimits{.is_enforced = false}};
  Items items_{account_.clock, account_.etags, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  std::optional<FailingDisk> failing_;
};

}  // namespace

TEST_F(DurableReads, QueriesShowWhatBecameDurableLast) {
  EXPECT_THAT(query("SELECT VALUE c.n FROM c"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(query("SELECT VALUE c.n FROM c ORDER BY c.n DESC"), ElementsAre("2", "1", "0"));
  EXPECT_THAT(query("SELECT VALUE c.n FROM c WHERE c.n >= 1"), ElementsAre("1", "2"));
  EXPECT_THAT(query("SELECT VALUE COUNT(1) FROM c"), ElementsAre("3"));
}

TEST_F(DurableReads, SoDoFeeds) {
  const Result<FeedPage> page = wait<FeedPage>([&](auto callback) { read_feed(container_, {}, std::move(callback)); });
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->items.size(), 3u);
}

TEST_F(DurableReads, SoDoChangeFeeds) {
  const ChangeFeedRequest request;
  const Result<ChangePage> page =
      wait<ChangePage>([&](auto callback) { read_changes(container_, request, std::move(callback)); });
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->items.size(), 3u);
}

TEST_F(DurableReads, SingleDocumentsAreReadUnlessTheirStateIsInDoubt) {
  EXPECT_EQ(read("1"), std::nullopt);
  EXPECT_EQ(read("never"), ErrorCode::kNotFound);
  EXPECT_EQ(read("3"), ErrorCode::kStorageFailure) << "it is there or not, once the disk works";
}

}  // namespace partita
