#include "gateway/query/listed_query.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

// Numbers 10, 20, 30...; counts what is written.
class ListedQueryTest : public testing::Test {
 protected:
  Listing listing(size_t size) {
    return {.size = size,
            .number = [](size_t index) { return (index + 1) * 10; },
            .write = [this](size_t index, StoredWriter& out) -> Status {
              ++written_;
              out.begin_object();
              out.key("n");
              out.integer(static_cast<int64_t>(index));
              out.end_object();
              return {};
            }};
  }

  Result<ListedPage> query(const Listing& listing, std::string_view text, const ListedRequest& request) {
    const std::string body = *stored_from_json(R"({"query":")" + std::string(text) + R"("})");
    query::Environment environment{.clock = clock_, .random = random_};
    environment.deadline_steady_us = deadline_us_;
    return query_listed(listing, Value::view(body), environment, request);
  }

  SystemClock clock_;
  Random random_{0};
  std::optional<int64_t> deadline_us_;
  size_t written_ = 0;
};

TEST_F(ListedQueryTest, APageOfAListWritesWhatItReturns) {
  const Result<ListedPage> page = read_listed(listing(10'000), {.after = 50'000, .items_max = 3});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->rows.size(), 3U);
  EXPECT_EQ(page->rows.front().number, 50'010U);
  EXPECT_TRUE(page->has_more);
  EXPECT_LE(written_, 4U);
}

TEST_F(ListedQueryTest, APageOfAQueryReadsOnlyBehindTheLastOne) {
  const Result<ListedPage> page = query(listing(10'000), "SELECT * FROM c WHERE c.n % 2 = 0", {.after = 99'910, .items_max = 3});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->rows.size(), 3U);
  EXPECT_EQ(page->rows.front().number, 99'930U);
  EXPECT_TRUE(page->has_more);
  EXPECT_LE(written_, 10U);
}

TEST_F(ListedQueryTest, ResultsInAnotherOrderAreNumberedByIt) {
  const Result<ListedPage> first = query(listing(5), "SELECT VALUE c.n FROM c ORDER BY c.n DESC", {.after = 0, .items_max = 2});
  const Result<ListedPage> second = query(listing(5), "SELECT VALUE c.n FROM c ORDER BY c.n DESC", {.after = 2, .items_max = 9});
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_TRUE(first->has_more);
  EXPECT_FALSE(second->has_more);
  ASSERT_EQ(second->rows.size(), 3U);
  EXPECT_EQ(to_json(Value::view(second->rows.front().stored)), "2");
}

TEST_F(ListedQueryTest, EndlessRowsFillOnePage) {
  const Result<ListedPage> page = query(
      listing(1'000), "SELECT VALUE 1 FROM c JOIN x IN [1,2,3,4,5,6,7,8,9] JOIN y IN [1,2,3,4,5,6,7,8,9]", {.items_max = 10});
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->rows.size(), 10U);
  EXPECT_TRUE(page->has_more);
  EXPECT_LE(written_, 2U);
}

TEST_F(ListedQueryTest, EndsAtTheDeadline) {
  deadline_us_ = clock_.steady_us();
  const Result<ListedPage> page = query(listing(1'000), "SELECT VALUE COUNT(1) FROM c JOIN x IN [1,2,3] JOIN y IN [1,2,3]", {});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace partita
