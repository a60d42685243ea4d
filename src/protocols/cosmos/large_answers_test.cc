#include "cluster/test_account.h"
#include "protocols/cosmos/in_process_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <string>
#include <thread>

// What is written, and what is run, when a write has become durable: not by the thread that tells all writers of it.
namespace partita::cosmos {
namespace {

class LargeAnswersTest : public testing::Test {
 protected:
  using Headers = InProcessService::Headers;

  // A request that is on its way.
  struct Sent {
    net::HttpRequest request;
    net::HttpResponse response;
    std::string signature;
    std::string body;
    Headers headers;
    std::promise<void> is_done;
    std::future<void> answered = is_done.get_future();
  };

  void SetUp() override {
    EXPECT_EQ(service_.send("POST", "/dbs", {}, R"({"id":"db"})").status, 201);
    EXPECT_EQ(service_.send("POST", "/dbs/db/colls", {}, R"({"id":"c","partitionKey":{"paths":["/pk"]}})").status, 201);
    occupy_committer();
  }
  void TearDown() override { release_committer(); }

  // Its thread waits in a callback, so that nothing becomes durable.
  void occupy_committer() {
    WriteBatch batch(*account_.store);
    batch.put(Family::kItems, "of no partition", "");
    const Result<CommitTicket> ticket = account_.store->apply(batch);
    ASSERT_TRUE(ticket);
    std::promise<void> is_there;
    account_.store->when_durable(*ticket, [&](const Status&) {
      is_there.set_value();
      may_go_on_.get_future().wait();
    });
    is_there.get_future().wait();
  }
  void release_committer() {
    if (!std::exchange(is_released_, true)) may_go_on_.set_value();
  }

  // Returns once workers have nothing to do.
  Sent& send(Headers headers, std::string body) {
    Sent& sent = sent_.emplace_back();
    sent.headers = std::move(headers);
    sent.body = std::move(body);
    sent.signature = InProcessService::signature(InProcessService::kKey, "POST", "/dbs/db/colls/c/docs");
    sent.request.method = "POST";
    sent.request.path = "/dbs/db/colls/c/docs";
    sent.request.body = sent.body;
    sent.request.headers = {
        {"authorization", sent.signature}, {"x-ms-date", InProcessService::kNow}, {"x-ms-documentdb-partitionkey", R"(["k"])"}};
    for (const auto& [name, value] : sent.headers) sent.request.headers.push_back({name, value});
    service_.service().handle(sent.request, sent.response, [&sent] { sent.is_done.set_value(); });
    while (true) {
      const FairScheduler::Statistics now = service_.workers().statistics(0);
      if (now.waiting + now.running + now.parked + now.aside == 0) return sent;
      std::this_thread::yield();
    }
  }
  uint64_t jobs() { return service_.workers().statistics(0).begun; }

  static std::string document(std::string_view id) {
    return fmt::format(R"({{"id":"{}","pk":"k","text":"{}"}})", id, std::string(2 * kAnswerBytesAtOnceMax, 'x'));
  }

  TestAccount account_{Durability::kSynced, RateLimits{.is_enforced = false}};
  InProcessService service_{{*account_.catalog, account_.etags, account_.random, account_.clock}, SCRIPT_HOST};
  std::promise<void> may_go_on_;
  bool is_released_ = false;
  std::deque<Sent> sent_;
};

}  // namespace

TEST_F(LargeAnswersTest, OfABatchAreWrittenByWorkers) {
  Sent& batch = send({{"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", "True"}},
                     fmt::format(R"([{{"operationType":"Create","resourceBody":{}}}])", document("a")));
  const uint64_t before = jobs();
  release_committer();
  batch.answered.wait();
  EXPECT_EQ(batch.response.status, 200) << batch.response.body.substr(0, 300);
  EXPECT_EQ(jobs() - before, 1u);
}

TEST_F(LargeAnswersTest, OfAQueryThatSawWhatWasNotDurableToo) {
  Sent& write = send({{"prefer", "return=minimal"}}, document("a"));
  Sent& query = send({{"x-ms-documentdb-isquery", "True"}, {"content-type", "application/query+json"}},
                     R"({"query":"SELECT * FROM c"})" + std::string(4 << 10, ' '));
  const uint64_t before = jobs();
  release_committer();
  write.answered.wait();
  query.answered.wait();
  EXPECT_EQ(write.response.status, 201);
  EXPECT_EQ(query.response.status, 200) << query.response.body.substr(0, 300);
  EXPECT_GT(query.response.body.size(), kAnswerBytesAtOnceMax);
  EXPECT_EQ(jobs() - before, 1u);
}

TEST_F(LargeAnswersTest, NorAreTheOperationsOfABulkRequestRunThere) {
  Sent& bulk = send({{"x-ms-cosmos-is-batch-request", "True"}},
                    R"([{"operationType":"Create","resourceBody":{"id":"a","pk":"k"},"partitionKey":"[\"k\"]"},)"
                    R"({"operationType":"Create","resourceBody":{"id":"b","pk":"k"},"partitionKey":"[\"k\"]"}])");
  const uint64_t before = jobs();
  release_committer();
  bulk.answered.wait();
  EXPECT_EQ(bulk.response.status, 200) << bulk.response.body;
  EXPECT_EQ(jobs() - before, 1u);
}

}  // namespace partita::cosmos
