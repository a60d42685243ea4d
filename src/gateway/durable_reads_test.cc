#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/feeds/change_feed.h"
#include "gateway/feeds/feed.h"
#include "gateway/items/batches.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"
#include "gateway/scripts/scripts.h"
#include "gateway/scripts/test_texts.h"

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
using testing::HasSubstr;

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
  static BatchStep step(ItemVerb verb, int i, std::string_view json = {}) {
    BatchStep made;
    made.operation.verb = verb;
    made.operation.id = std::to_string(i);
    made.operation.key = key_of(i);
    made.operation.body = json;
    return made;
  }
  static PartitionKey key_of(int i) { return PartitionKey{{std::to_string(i)}}; }
  Result<BatchOutcome> batch(int i, const std::vector<BatchStep>& steps) {
    return wait<BatchOutcome>([&](auto callback) { run_batch(items_, container_, key_of(i), steps, std::move(callback)); });
  }
  // The response's body, or the error.
  std::string execute(std::string_view body, int i) {
    ScriptResource script;
    script.definition = {"p", std::string(body), *stored_from_json("{}")};
    const ProcedureCall call{.procedure = std::make_shared<const ScriptResource>(std::move(script)),
                             .key = key_of(i),
                             .arguments = "[]",
                             .is_logging = false};
    const Result<ProcedureOutcome> outcome =
        wait<ProcedureOutcome>([&](auto callback) { runner_.execute(container_, call, std::move(callback)); });
    return outcome ? outcome->body : "error " + outcome.error().message;
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
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  script::ScriptEngine engine_{SCRIPT_HOST, {}, 1};
  FairScheduler workers_{
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock};
  TestTexts texts_;
  ScriptRunner runner_{items_, *account_.catalog, engine_, workers_, texts_};
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

TEST_F(DurableReads, BatchesThatOnlyReadAreAnswered) {
  const Result<BatchOutcome> found = batch(1, {step(ItemVerb::kRead, 1)});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->steps[0].item.id(), "1");
  EXPECT_TRUE(found->place->partition->is_durable(found->lsn));
  const Result<BatchOutcome> missing = batch(3, {step(ItemVerb::kRead, 3)});
  ASSERT_TRUE(missing) << missing.error().message;
  EXPECT_EQ(missing->steps[0].error->code, ErrorCode::kNotFound) << "it never became durable";
  const Result<BatchOutcome> written = batch(1, {step(ItemVerb::kRead, 1), step(ItemVerb::kErase, 1)});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kStorageFailure);
}

TEST_F(DurableReads, SoAreTheReadsOfABulkRequest) {
  const Result<BatchOutcome> outcome = wait<BatchOutcome>([&](auto callback) {
    run_bulk(items_, container_, {}, {step(ItemVerb::kRead, 0), step(ItemVerb::kErase, 1), step(ItemVerb::kRead, 2)},
             std::move(callback));
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->steps[0].item.id(), "0");
  ASSERT_TRUE(outcome->steps[1].error);
  EXPECT_EQ(outcome->steps[1].error->code, ErrorCode::kStorageFailure);
  EXPECT_EQ(outcome->steps[2].item.id(), "2");
}

TEST_F(DurableReads, SoAreProceduresThatOnlyRead) {
  constexpr std::string_view kRead = R"(function () {
    __.readDocument(__.getAltLink() + "/docs/1", (e, d) => {
      __.queryDocuments(__.getSelfLink(), "SELECT VALUE c.n FROM c", (e, rows) => {
        getContext().getResponse().setBody(d.id + " " + rows.length);
      });
    });
  })";
  EXPECT_EQ(execute(kRead, 1), "\"1 1\"");
  constexpr std::string_view kWrite = R"(function () {
    __.createDocument(__.getSelfLink(), { id: "new", pk: "1" });
  })";
  EXPECT_THAT(execute(kWrite, 1), HasSubstr("writes are refused"));
}

}  // namespace partita
