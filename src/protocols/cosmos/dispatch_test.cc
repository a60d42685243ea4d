#include "protocols/cosmos/dispatch.h"

#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/in_process_account.h"
#include "protocols/cosmos/router.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

// Which requests a connection's thread leaves to workers.
namespace partita::cosmos {
namespace {

class DispatchTest : public testing::Test {
 protected:
  using Headers = InProcessAccount::Headers;

  bool is_left(std::string_view method, std::string_view target, std::string_view body = {}, const Headers& headers = {}) {
    net::HttpRequest request;
    request.method = method;
    request.path = target;
    request.body = body;
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    Result<ResourcePath> path = ResourcePath::parse(target);
    EXPECT_TRUE(path) << target;
    net::HttpResponse response;
    const Operation operation = operation_of(request, *path);
    EXPECT_TRUE(operation.is_served()) << method << ' ' << target;
    const Exchange exchange(request, response, [] {}, {}, *std::move(path), operation);
    return belongs_to_workers(account_.service(), exchange);
  }

  // How many jobs workers begin to answer this.
  uint64_t jobs_for(std::string_view method, std::string_view path, const Headers& headers = {}, std::string_view body = {}) {
    const uint64_t before = account_.workers().statistics(0).begun;
    const InProcessAccount::Answer answer = account_.send(method, path, headers, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return account_.workers().statistics(0).begun - before;
  }
  void create(std::string_view feed, const std::string& body) {
    const InProcessAccount::Answer answer = account_.send("POST", feed, {}, body);
    EXPECT_EQ(answer.status, 201) << answer.body;
  }

  InProcessAccount account_{SCRIPT_HOST};
};

const InProcessAccount::Headers kQuery = {{"x-ms-documentdb-isquery", "True"}, {"content-type", "application/query+json"}};

}  // namespace

TEST_F(DispatchTest, OperationsOnOneDocumentStayOnTheirConnection) {
  EXPECT_FALSE(is_left("GET", "/dbs/db/colls/c/docs/d"));
  EXPECT_FALSE(is_left("DELETE", "/dbs/db/colls/c/docs/d"));
  EXPECT_FALSE(is_left("POST", "/dbs/db/colls/c/docs", R"({"id":"d"})"));
  EXPECT_FALSE(is_left("PATCH", "/dbs/db/colls/c/docs/d", R"([{"op":"set","path":"/a","value":"b\\c"}])"));
}

TEST_F(DispatchTest, ListsAndQueriesOverTheCatalogueDoNot) {
  for (const char* list :
       {"/dbs", "/dbs/db/colls", "/dbs/db/colls/c/sprocs", "/dbs/db/colls/c/udfs", "/dbs/db/users", "/offers"}) {
    EXPECT_TRUE(is_left("GET", list)) << list;
    EXPECT_TRUE(is_left("POST", list, R"({"query":"SELECT * FROM c"})", kQuery)) << list;
  }
}

// It adds up whatever shares the throughput.
TEST_F(DispatchTest, NorDoesAnOffer) { EXPECT_TRUE(is_left("GET", "/offers/AQAA")); }

TEST_F(DispatchTest, NorDoChangesOfTheCatalogue) {
  EXPECT_TRUE(is_left("POST", "/dbs", R"({"id":"a"})"));
  EXPECT_TRUE(is_left("DELETE", "/dbs/db"));
  EXPECT_TRUE(is_left("PUT", "/dbs/db/colls/c", "{}"));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/sprocs", "{}"));
}

TEST_F(DispatchTest, NorFeedsLongTextsAndLargeDocuments) {
  EXPECT_TRUE(is_left("GET", "/dbs/db/colls/c/docs"));
  EXPECT_TRUE(is_left("GET", "/dbs/db/colls/c/docs", {}, {{"a-im", "Incremental feed"}}));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/docs", std::string(kQueryBytesAtOnceMax + 1, ' '), kQuery));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/docs", std::string(kWriteBytesAtOnceMax + 1, ' ')));
}

// It is a query over a document that may be large.
TEST_F(DispatchTest, NorAConditionOfAPatchHoweverItIsSpelt) {
  for (const char* name : {"condition", R"(\u0063ondition)", R"(conditio\u006E)"}) {
    const std::string body = std::string(R"({")") + name + R"(":"FROM c","operations":[]})";
    EXPECT_TRUE(is_left("PATCH", "/dbs/db/colls/c/docs/d", body)) << body;
  }
}

// What describes a resource of the catalogue may have two megabytes.
TEST_F(DispatchTest, NorReadingALargeDefinition) {
  const std::string large(kDefinitionBytesAtOnceMax + 1, 'x');
  create("/dbs", R"({"id":"db"})");
  for (const std::string& size : {std::string("x"), large}) {
    const std::string id = size.size() == 1 ? "small" : "large";
    create("/dbs/db/colls", fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"]}},"text":"{}"}})", id, size));
    create("/dbs/db/colls/small/sprocs", fmt::format(R"({{"id":"{}","body":"// {}"}})", id, size));
    create("/dbs/db/users", fmt::format(R"({{"id":"{}","text":"{}"}})", id, size));
    const uint64_t jobs = id == "large" ? 1 : 0;
    EXPECT_EQ(jobs_for("GET", "/dbs/db/colls/" + id), jobs);
    EXPECT_EQ(jobs_for("GET", "/dbs/db/colls/small/sprocs/" + id), jobs);
    EXPECT_EQ(jobs_for("GET", "/dbs/db/users/" + id), jobs);
  }
}

// Every query on the container is compiled together with them.
TEST_F(DispatchTest, NorCompilingLongComputedProperties) {
  create("/dbs", R"({"id":"db"})");
  Headers plan = kQuery;
  plan.emplace_back("x-ms-cosmos-is-query-plan-request", "True");
  plan.emplace_back("x-ms-documentdb-query-enablecrosspartition", "True");
  for (const char* id : {"small", "large"}) {
    std::string sum = "c.n";
    while (id == std::string_view("large") && sum.size() <= kQueryBytesAtOnceMax) sum += " + c.n";
    create("/dbs/db/colls", fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"]}},)"
                                        R"("computedProperties":[{{"name":"sum","query":"SELECT VALUE {} FROM c"}}]}})",
                                        id, sum));
    const uint64_t jobs = id == std::string_view("large") ? 1 : 0;
    EXPECT_EQ(jobs_for("POST", fmt::format("/dbs/db/colls/{}/docs", id), plan, R"({"query":"SELECT * FROM c WHERE c.sum = 1"})"),
              jobs);
  }
  EXPECT_EQ(jobs_for("POST", "/dbs/db/colls/large/docs", kQuery, R"({"query":"SELECT * FROM c WHERE c.pk = 'a' AND c.sum = 1"})"),
            1u);
}

// Answers that are waited for hold no document, and only so many of them wait.
TEST_F(DispatchTest, NorReadingALargeDocument) {
  constexpr size_t kReads = 15;
  constexpr size_t kWaitingMax = 10;  // of the service under test
  create("/dbs", R"({"id":"db"})");
  create("/dbs/db/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]}})");
  const Headers key = {{"x-ms-documentdb-partitionkey", R"(["k"])"}};
  for (const size_t bytes : {size_t{1}, 2 * kAnswerBytesAtOnceMax}) {
    const std::string body =
        fmt::format(R"({{"id":"{}","pk":"k","text":"{}"}})", bytes == 1 ? "small" : "large", std::string(bytes, 'x'));
    ASSERT_EQ(account_.send("POST", "/dbs/db/colls/c/docs", key, body).status, 201);
  }
  EXPECT_EQ(jobs_for("GET", "/dbs/db/colls/c/docs/small", key), 0u);
  EXPECT_EQ(jobs_for("GET", "/dbs/db/colls/c/docs/large", key), 1u);

  std::promise<void> is_running;
  std::promise<void> may_end;
  account_.workers().submit({.tenant = kAccountTenant,
                             .run =
                                 [&](Turn&) {
                                   is_running.set_value();
                                   may_end.get_future().wait();
                                 },
                             .refuse = [](const Error&) { FAIL(); }});
  is_running.get_future().wait();
  struct Read {
    net::HttpRequest request;
    net::HttpResponse response;
    std::promise<void> is_done;
    std::future<void> answered = is_done.get_future();
  };
  const std::string signature = InProcessAccount::signature(InProcessAccount::kReadOnlyKey, "GET", "/dbs/db/colls/c/docs/large");
  std::vector<Read> reads(kReads);
  size_t refused = 0;
  for (Read& read : reads) {
    read.request.method = "GET";
    read.request.path = "/dbs/db/colls/c/docs/large";
    read.request.headers = {{"authorization", signature}, {"x-ms-date", InProcessAccount::kNow}, {key[0].first, key[0].second}};
    account_.service().handle(read.request, read.response, [&read] { read.is_done.set_value(); });
    refused += read.answered.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? 1 : 0;
  }
  EXPECT_EQ(refused, kReads - kWaitingMax);
  may_end.set_value();
  for (size_t i = 0; i < kReads; ++i) {
    reads[i].answered.wait();
    EXPECT_EQ(reads[i].response.status, i < kWaitingMax ? 200 : 503) << reads[i].response.body.substr(0, 200);
  }
}

}  // namespace partita::cosmos
