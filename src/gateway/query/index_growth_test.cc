#include "cluster/index/index_builder.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"
#include "gateway/query/query_advice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>

namespace partita {
namespace {

constexpr int kDocuments = 1500;
constexpr int kGroups = 5;

// Documents that are written again and again, always with the same group.
class IndexGrowthTest : public testing::Test {
 protected:
  IndexGrowthTest() {
    account_.make_container("c", {"/pk"}, 15'000);
    for (int i = 0; i < kDocuments; ++i) write(i, 0);
  }

  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  void write(int i, int version) {
    write_json(fmt::format(R"({{"id":"{0}","pk":"{0}","group":{1},"v":{2}}})", i, i % kGroups, version));
  }
  void write_json(std::string_view json) {
    std::promise<bool> is_done;
    items_.upsert(container(), json, std::nullopt, {},
                  [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
    EXPECT_TRUE(is_done.get_future().get());
  }
  // The rows of the first page, and where they came from.
  QueryPage run(std::string_view text) {
    const query::Schema schema = query::Schema::of(Value::view(container()->definition.properties));
    const Result<query::Plan> plan = query::compile({std::string(text), {}}, schema);
    std::promise<Result<QueryPage>> outcome;
    QueryRequest request;
    request.items_max = kDocuments;
    run_query(container(), *plan, request, {.clock = clock_, .random = random_},
              [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    return outcome.get_future().get().value();
  }
  // What the advice on a page says about indexes on /group: used, growing or missing.
  std::string advice(std::string_view text, const QueryPage& page) {
    const QueryAdvice advice = advice_on(*query::compile({std::string(text), {}}), page, *container(), std::nullopt);
    std::string words;
    if (!advice.used.singles.empty()) words += "used";
    if (!advice.growing.singles.empty()) words += "growing";
    if (!advice.missing.singles.empty()) words += "missing";
    return words;
  }
  void set_policy(std::string_view policy) {
    ASSERT_TRUE(account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, policy)));
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  ManualClock clock_{0};
  Random random_{1};
};

constexpr std::array<std::string_view, 3> kPolicies = {
    R"({"includedPaths":[{"path":"/group/?"}],"excludedPaths":[{"path":"/*"}]})", R"({"indexingMode":"none","automatic":false})",
    R"({"includedPaths":[{"path":"/*"}],"compositeIndexes":[[{"path":"/group"},{"path":"/v","order":"descending"}]]})"};

}  // namespace

TEST_F(IndexGrowthTest, QueriesReadAnIndexOnlyWhenItHasAllDocuments) {
  constexpr std::string_view kQuery = "SELECT VALUE c.id FROM c WHERE c['group'] = 3";
  set_policy(kPolicies[1]);
  ASSERT_TRUE(IndexBuilder(*account_.catalog).finish());
  EXPECT_EQ(run(kQuery).access, "scan");
  EXPECT_EQ(advice(kQuery, run(kQuery)), "missing");
  set_policy(kPolicies[0]);
  IndexBuilder builder(*account_.catalog);
  ASSERT_TRUE(builder.run_round());
  QueryPage page = run(kQuery);
  EXPECT_EQ(page.access, "scan");
  EXPECT_EQ(page.rows.size(), size_t{kDocuments / kGroups});
  EXPECT_EQ(advice(kQuery, page), "growing");
  ASSERT_TRUE(builder.finish());
  page = run(kQuery);
  EXPECT_EQ(advice(kQuery, page), "used");
  EXPECT_EQ(page.access, "/group = 3");
  EXPECT_EQ(page.rows.size(), size_t{kDocuments / kGroups});
}

TEST_F(IndexGrowthTest, AnotherLanguageBuildsTheWordsAnew) {
  constexpr std::string_view kPolicy = R"({"fullTextIndexes":[{"path":"/text"}]})";
  const auto set_language = [&](std::string_view code) {
    const std::string properties =
        fmt::format(R"({{"fullTextPolicy":{{"defaultLanguage":"{}","fullTextPaths":[{{"path":"/text"}}]}}}})", code);
    ASSERT_TRUE(account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, kPolicy, properties)));
  };
  write_json(R"({"id":"houses","pk":"p","text":"Viele Häuser am Fluss"})");
  set_language("en-US");
  ASSERT_TRUE(IndexBuilder(*account_.catalog).finish());
  constexpr std::string_view kQuery = "SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'Haus')";
  EXPECT_EQ(run(kQuery).rows.size(), 0U);
  EXPECT_EQ(run(kQuery).access, R"(/text (words) = "haus")");
  set_language("de-DE");
  account_.reopen();
  QueryPage page = run(kQuery);
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.access.find("(words)"), std::string::npos) << page.access;  // the index has English words still
  ASSERT_TRUE(IndexBuilder(*account_.catalog).finish());
  page = run(kQuery);
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.access, R"(/text (words) = "haus")");
  account_.expect_consistent(*container());
}

TEST_F(IndexGrowthTest, EveryAnswerIsRightWhileOthersWriteAndPoliciesChange) {
  IndexBuilder builder(*account_.catalog);
  builder.start();
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (int i = 0; !is_done; ++i) write(i * 7 % kDocuments, i);
  });
  for (size_t i = 0; i < 12; ++i) {
    set_policy(kPolicies[i % kPolicies.size()]);
    for (int n = 0; n < 6; ++n) {
      EXPECT_EQ(run("SELECT VALUE c.id FROM c WHERE c['group'] = 3").rows.size(), size_t{kDocuments / kGroups});
      EXPECT_EQ(to_json(Value::view(run("SELECT VALUE COUNT(1) FROM c WHERE c['group'] < 2").rows.at(0))),
                std::to_string(2 * kDocuments / kGroups));
      EXPECT_EQ(run("SELECT VALUE c.id FROM c ORDER BY c['group'], c.v DESC").rows.size(), size_t{kDocuments});
    }
  }
  is_done = true;
  writer.join();
  builder.stop();
  ASSERT_TRUE(builder.finish());
  account_.expect_consistent(*container());
}

}  // namespace partita
