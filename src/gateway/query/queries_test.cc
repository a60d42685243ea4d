#include "gateway/query/queries.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>

namespace partita {
namespace {

constexpr int kDocuments = 40;

class QueriesTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;
  using Rows = std::vector<std::string>;

  void create(const Ptr& container, std::string_view json) {
    std::promise<bool> is_done;
    items_.create(container, json, std::nullopt, [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
    ASSERT_TRUE(is_done.get_future().get()) << json;
  }
  void erase(const Ptr& container, std::string_view id) {
    std::promise<bool> is_done;
    const PartitionKey key = *PartitionKey::parse(fmt::format(R"(["{}"])", id));
    items_.erase(container, {.id = id, .number = std::nullopt, .key = key}, {},
                 [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
    ASSERT_TRUE(is_done.get_future().get()) << id;
  }
  // Document i is {"id": "i", "pk": "i", "n": i, "mod": i % 5, "tags": [i, i + 1]}.
  Ptr filled(std::string_view id, int64_t throughput) {
    Ptr container = account_.make_container(id, {"/pk"}, throughput);
    for (int i = 0; i < kDocuments; ++i) create(container, document(i));
    return container;
  }
  static std::string document(int i) {
    return fmt::format(R"({{"id":"{0}","pk":"{0}","n":{0},"mod":{1},"tags":[{0},{2}]}})", i, i % 5, i + 1);
  }
  // All rows, page by page; `between` runs between two pages, and each page is read from the next container of the list.
  Rows run(const std::vector<Ptr>& containers, std::string text, size_t items_max, const std::function<void()>& between = {}) {
    const Result<query::Plan> plan = query::compile({std::move(text), {}});
    if (!plan) {
      ADD_FAILURE() << plan.error().message;
      return {};
    }
    QueryRequest request;
    request.items_max = items_max;
    request.ends_with_partition = ends_with_partition_;
    Rows rows;
    for (size_t turn = 0; turn < 1000; ++turn) {
      std::promise<Result<QueryPage>> outcome;
      run_query(containers[turn % containers.size()], *plan, request, {.clock = clock_, .random = random_},
                [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
      const Result<QueryPage> page = outcome.get_future().get();
      if (!page) {
        ADD_FAILURE() << page.error().message;
        return rows;
      }
      EXPECT_LE(page->rows.size(), items_max);
      for (const std::string& row : page->rows) rows.push_back(to_json(Value::view(row)));
      if (!page->next) return rows;
      request.from = page->next;
      if (between) between();
    }
    ADD_FAILURE() << "no end";
    return rows;
  }

  bool ends_with_partition_ = false;  // of the requests that run() makes
  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  ManualClock clock_{0};
  Random random_{1};
};

const std::vector<std::string>& queries() {
  static const std::vector<std::string> all{
      "SELECT VALUE c.n FROM c",
      "SELECT VALUE c.n FROM c OFFSET 3 LIMIT 20",
      "SELECT VALUE t FROM c JOIN t IN c.tags",
      "SELECT VALUE t FROM c JOIN t IN c.tags OFFSET 5 LIMIT 33",
      "SELECT VALUE c.n FROM c ORDER BY c.mod",
      "SELECT VALUE c.n FROM c ORDER BY c.mod DESC",
      "SELECT VALUE c.n FROM c ORDER BY c.mod DESC, c.n ASC OFFSET 7 LIMIT 21",
      "SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY c.mod DESC",
      "SELECT DISTINCT VALUE c.mod FROM c",
      "SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags",
      "SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod DESC",
      "SELECT c.mod, COUNT(1) AS n FROM c GROUP BY c.mod",
      "SELECT VALUE x FROM (SELECT DISTINCT VALUE c.mod FROM c) x",
      "SELECT VALUE [x, y] FROM (SELECT DISTINCT VALUE c.mod FROM c) x JOIN y IN [x, x + 1]",
      "SELECT VALUE [x.n, y] FROM (SELECT c.mod, COUNT(1) AS n FROM c GROUP BY c.mod) x JOIN y IN [1, 2]",
      "SELECT VALUE x.n FROM (SELECT c.mod, COUNT(1) AS n FROM c GROUP BY c.mod) x WHERE x.mod > 1",
      "SELECT DISTINCT VALUE y % 7 FROM (SELECT VALUE c.tags FROM c) x JOIN y IN x",
      "SELECT VALUE y FROM (SELECT VALUE c FROM c) x JOIN y IN x.tags ORDER BY x.mod DESC",
      "SELECT DISTINCT VALUE x.mod + y FROM (SELECT c.mod FROM c GROUP BY c.mod) x JOIN y IN [0, 1]",
      "SELECT VALUE x FROM x IN [1, 2, 3]",
  };
  return all;
}

TEST_F(QueriesTest, PagesOfAnySizeGiveTheSameRows) {
  const Ptr container = filled("c", 50'000);
  for (const std::string& text : queries()) {
    const Rows whole = run({container}, text, 1000);
    for (const bool ends_with_partition : {false, true}) {
      ends_with_partition_ = ends_with_partition;
      for (const size_t items_max : {size_t{1}, size_t{3}, size_t{7}, size_t{1000}})
        EXPECT_EQ(run({container}, text, items_max), whole) << text;
    }
  }
}

// Such a query is about no hash at all, but has its row.
TEST_F(QueriesTest, WithoutSourcesThereIsOneRowToCount) {
  const Ptr container = filled("c", 400);
  const Result<query::Plan> plan = query::compile({"SELECT VALUE [COUNT(1), SUM(4)]", {}});
  QueryRequest request;
  request.range.max = request.range.min;
  std::promise<Result<QueryPage>> outcome;
  run_query(container, *plan, request, {.clock = clock_, .random = random_},
            [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
  const Result<QueryPage> page = outcome.get_future().get();
  ASSERT_TRUE(page && page->rows.size() == 1U);
  EXPECT_EQ(to_json(Value::view(page->rows[0])), "[1,4]");
}

// Two containers with the same documents but other partitions stand for one container whose partitions split and merge.
TEST_F(QueriesTest, PositionsStayGoodWhenPartitionsChange) {
  const Ptr one = filled("one", 400);
  const Ptr five = filled("five", 50'000);
  ASSERT_GT(five->places.size(), one->places.size());
  for (size_t i = 0; i < 2 * queries().size(); ++i) {
    const std::string& text = queries()[i / 2];
    Rows expected = run({one}, text, 1000);
    ends_with_partition_ = i % 2 == 1;
    Rows rows = run({five, one}, text, 4);
    // Sets of rows: without ORDER BY the order depends on the partitions.
    const bool is_ordered = text.contains("ORDER BY") || text.contains("GROUP BY");
    const bool is_part = text.contains("OFFSET");
    if (!is_ordered) {
      std::ranges::sort(rows);
      std::ranges::sort(expected);
    }
    if (is_part && !is_ordered) {
      EXPECT_EQ(rows.size(), expected.size()) << text;
    } else {
      EXPECT_EQ(rows, expected) << text;
    }
  }
}

TEST_F(QueriesTest, PositionsStayGoodWhenTheLastDocumentIsDeleted) {
  for (const std::string& text :
       {"SELECT VALUE c.n FROM c", "SELECT VALUE c.n FROM c ORDER BY c.n",
        "SELECT VALUE c.n FROM c JOIN t IN c.tags WHERE t = c.n ORDER BY c.n DESC", "SELECT DISTINCT VALUE c.n FROM c"}) {
    const Ptr container = filled(fmt::format("d{}", text.size()), 400);
    const Rows expected = run({container}, text, 1000);
    size_t given = 0;
    const Rows rows = run({container}, text, 1, [&] { erase(container, expected[given++]); });
    EXPECT_EQ(rows, expected) << text;
  }
}

TEST_F(QueriesTest, WhatIsAddedBehindThePositionIsGiven) {
  const Ptr container = filled("c", 400);
  int added = kDocuments;
  const Rows rows = run({container}, "SELECT VALUE c.n FROM c WHERE c.n < 50 ORDER BY c.n DESC", 10,
                        [&] { create(container, document(added++)); });
  EXPECT_EQ(rows.size(), 40u);
  const Rows ascending =
      run({container}, "SELECT VALUE c.n FROM c WHERE c.n < 50 ORDER BY c.n", 10, [&] { create(container, document(added++)); });
  EXPECT_EQ(ascending.size(), static_cast<size_t>(added));
}

TEST_F(QueriesTest, OnlyAFullPageOfAllDocumentsOfAPartitionLeavesOpenWhetherItWasTheLast) {
  const auto pages_of = [&](const Ptr& container, std::string text, size_t items_max) {
    size_t count = 1;
    run({container}, std::move(text), items_max, [&] { ++count; });
    return count;
  };
  const Ptr container = filled("c", 400);
  const auto pages = [&](std::string text, size_t items_max) { return pages_of(container, std::move(text), items_max); };
  EXPECT_EQ(pages_of(filled("five", 50'000), "SELECT * FROM c", 20), 2u);
  EXPECT_EQ(pages("SELECT * FROM c", 20), 3u);
  EXPECT_EQ(pages("SELECT * FROM c", 21), 2u);
  EXPECT_EQ(pages("SELECT TOP 20 * FROM c", 20), 1u);
  EXPECT_EQ(pages("SELECT * FROM c WHERE c.n >= 0", 20), 2u);
  EXPECT_EQ(pages("SELECT * FROM c ORDER BY c.n", 20), 2u);
}

// What is put together from several partitions comes whole; what is not ends with its partition, with or without rows.
TEST_F(QueriesTest, EndsAPageWithItsPartitionIfAsked) {
  const Ptr container = filled("five", 50'000);
  ends_with_partition_ = true;
  const auto pages = [&](std::string text) {
    size_t count = 1;
    run({container}, std::move(text), 1000, [&] { ++count; });
    return count;
  };
  for (const char* text :
       {"SELECT * FROM c", "SELECT VALUE t FROM c JOIN t IN c.tags WHERE t > 3", "SELECT * FROM c WHERE c.n = 7",
        "SELECT VALUE x.n FROM (SELECT c.n FROM c) x WHERE x.n > 3", "SELECT * FROM c WHERE c.n < 0"}) {
    EXPECT_EQ(pages(text), 5U) << text;
  }
  for (const char* text : {"SELECT TOP 9 * FROM c", "SELECT VALUE COUNT(1) FROM c", "SELECT * FROM c ORDER BY c.n", "SELECT 1",
                           "SELECT DISTINCT c.mod FROM c", "SELECT VALUE x FROM x IN [1, 2, 3]",
                           "SELECT VALUE x FROM (SELECT DISTINCT VALUE c.mod FROM c) x"}) {
    EXPECT_EQ(pages(text), 1U) << text;
  }
}

// A page of a partition goes on in any other page, and costs what that partition did.
TEST_F(QueriesTest, WhatEndedWithAPartitionIsContinuedWithoutThat) {
  const Ptr container = filled("five", 50'000);
  const Rows whole = run({container}, "SELECT VALUE c.n FROM c", 1000);
  const query::Plan plan = *query::compile({"SELECT VALUE c.n FROM c", {}});
  const auto page_of = [&](const QueryRequest& request) {
    std::promise<Result<QueryPage>> outcome;
    run_query(container, plan, request, {.clock = clock_, .random = random_},
              [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    return outcome.get_future().get().value();
  };
  QueryRequest request;
  request.ends_with_partition = true;
  QueryPage first = page_of(request);
  EXPECT_EQ(first.range, container->places.front().range());
  EXPECT_EQ(first.documents_read, container->places.front().partition->counters().documents);
  request.ends_with_partition = false;
  request.from = first.next;
  QueryPage rest = page_of(request);
  EXPECT_EQ(rest.documents_read + first.documents_read, whole.size());
  EXPECT_FALSE(rest.next);
  std::ranges::move(rest.rows, std::back_inserter(first.rows));
  Rows rows;
  for (const std::string& row : first.rows) rows.push_back(to_json(Value::view(row)));
  EXPECT_EQ(rows, whole);
}

TEST_F(QueriesTest, PartitionsWithoutTheKeysOfTheFilterHaveNoPage) {
  const Ptr container = filled("five", 50'000);
  QueryRequest request;
  request.ends_with_partition = true;
  for (const size_t i : {4U, 1U})
    request.key_ranges.push_back({container->places[i].range().min + '', container->places[i].range().max});
  request.range = {request.key_ranges[1].min, request.key_ranges[0].max};
  std::vector<EffectiveKeyRange> pages;
  do {
    std::promise<Result<QueryPage>> outcome;
    run_query(container, *query::compile({"SELECT * FROM c", {}}), request, {.clock = clock_, .random = random_},
              [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    const QueryPage page = outcome.get_future().get().value();
    pages.push_back(page.range);
    request.from = page.next;
  } while (request.from && pages.size() < 10);
  EXPECT_THAT(pages, testing::ElementsAre(request.key_ranges[1], request.key_ranges[0]));
}

TEST_F(QueriesTest, EqualSortKeysComeInTheOrderOfInsertionOrItsReverse) {
  const Ptr container = filled("c", 50'000);
  EXPECT_THAT(run({container}, "SELECT TOP 4 VALUE c.n FROM c ORDER BY c.mod", 3), testing::ElementsAre("0", "5", "10", "15"));
  EXPECT_THAT(run({container}, "SELECT TOP 4 VALUE c.n FROM c ORDER BY c.mod DESC", 3),
              testing::ElementsAre("39", "34", "29", "24"));
}

}  // namespace
TEST_F(QueriesTest, APageThatHasCostEnoughEndsWithWhatItHas) {
  constexpr int kLarge = 150;
  const Ptr container = account_.make_container("large", {"/pk"});
  for (int i = 0; i < kLarge; ++i) {
    create(container, fmt::format(R"({{"id":"{0}","pk":"{0}","n":{0},"text":"{1}"}})", i, std::string(100'000, 'x')));
  }
  const Result<query::Plan> plan = query::compile({"SELECT VALUE c.n FROM c WHERE LENGTH(c.text) + c.n = 100149", {}});
  QueryRequest request;
  std::vector<double> charges;
  Rows rows;
  do {
    std::promise<Result<QueryPage>> outcome;
    run_query(container, *plan, request, {.clock = clock_, .random = random_},
              [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    const QueryPage page = outcome.get_future().get().value();
    charges.push_back(page.charge);
    for (const std::string& row : page.rows) rows.push_back(to_json(Value::view(row)));
    request.from = page.next;
  } while (request.from && charges.size() < 10);
  ASSERT_EQ(charges.size(), 2u);
  EXPECT_NEAR(charges[0], kQueryPageChargeMax, 10);
  EXPECT_THAT(rows, testing::ElementsAre("149"));
}

// What is read behind the last row is no row: nobody may look at it, as its memory is another document's by then.
TEST_F(QueriesTest, EndBehindDocumentsThatAreSomebodyElses) {
  const Ptr container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 300; ++i) {
    create(container, fmt::format(R"({{"id":"{:03}","pk":"{}","text":"{}"}})", i, i < 100 ? "mine" : "theirs",
                                  std::string(static_cast<size_t>(10 * i), 'x')));
  }
  QueryRequest request;
  request.key = *PartitionKey::parse(R"(["mine"])");
  std::promise<Result<QueryPage>> outcome;
  run_query(container, *query::compile({"SELECT TOP 5 * FROM c WHERE c.id >= '097' ORDER BY c.id", {}}), request,
            {.clock = clock_, .random = random_}, [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
  const Result<QueryPage> page = outcome.get_future().get();
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 3U);
  EXPECT_FALSE(page->next);
}

}  // namespace partita
