#include "protocols/cosmos/service_fixture.h"

#include "base/encodings.h"

#include <fmt/format.h>

#include <future>
#include <string>

// How queries are answered, and what is said about them.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;

}  // namespace

TEST_F(ServiceTest, PagesOfAQueryOverDatabasesGoOnAfterOneIsDeleted) {
  for (const char* id : {"a", "b", "c"}) send_signed("POST", "/dbs", {}, std::string(R"({"id":")") + id + R"("})");
  const auto page_after = [&](const std::string& continuation) {
    Headers headers = {
        {"x-ms-documentdb-isquery", "True"}, {"content-type", "application/query+json"}, {"x-ms-max-item-count", "1"}};
    if (!continuation.empty()) headers.emplace_back("x-ms-continuation", continuation);
    return send_signed("POST", "/dbs", headers, R"({"query":"SELECT * FROM r WHERE r.id < 'd'"})");
  };
  const Answer first = page_after("");
  EXPECT_THAT(first.body, HasSubstr(R"("id":"a")"));
  send_signed("DELETE", "/dbs/a");
  EXPECT_THAT(page_after(first.headers.at("x-ms-continuation")).body, HasSubstr(R"("id":"b")"));
}

TEST_F(ServiceTest, AShortQueryWaitsForNoWorker) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/colls", {}, R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})");
  std::promise<void> others_are_done;
  // It may begin when the test is over already.
  served_.workers().submit({.tenant = kAccountTenant,
                            .run = [done = others_are_done.get_future().share()](Turn&) { done.wait(); },
                            .refuse = [](const Error&) {}});
  const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs",
                                    {{"x-ms-documentdb-isquery", "True"},
                                     {"content-type", "application/query+json"},
                                     {"x-ms-documentdb-query-enablecrosspartition", "True"}},
                                    R"({"query":"SELECT VALUE COUNT(1) FROM c"})");
  others_are_done.set_value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("Documents":[0])"));
}

TEST_F(ServiceTest, SaysOnRequestWhatAQueryDid) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/colls", {},
              R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},)"
              R"("indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/*"}]}})");
  send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", R"(["p"])"}},
              R"({"id":"a","pk":"p","x":5,"n":1,"m":1})");
  const auto query = [this](std::string wanted, std::string_view order) {
    const Headers headers{{"x-ms-documentdb-isquery", "true"},
                          {"content-type", "application/query+json"},
                          {"x-ms-documentdb-query-enablecrosspartition", "true"},
                          {"x-ms-documentdb-populatequerymetrics", "true"},
                          {std::move(wanted), "true"}};
    return send_signed("POST", "/dbs/db/colls/c/docs", headers,
                       fmt::format(R"({{"query":"SELECT VALUE c.id FROM c WHERE c.x = 5 ORDER BY {}"}})", order));
  };
  const Answer measured = query("x-ms-cosmos-populateindexmetrics-V2", "c.n");
  EXPECT_EQ(measured.status, 200) << measured.body;
  EXPECT_THAT(measured.headers.at("x-ms-documentdb-query-metrics"), HasSubstr("retrievedDocumentCount=1;"));
  EXPECT_THAT(measured.headers.at("x-ms-documentdb-query-metrics"), HasSubstr("outputDocumentSize=3;"));
  EXPECT_THAT(percent_decode(measured.headers.at("x-ms-cosmos-index-utilization")),
              R"({"Utilized":{"SingleIndexes":[],"CompositeIndexes":[]},)"
              R"("Potential":{"SingleIndexes":[{"IndexSpec":"/x/?"}],"CompositeIndexes":[]}})");
  const Answer explained = query("x-partita-explain", "c.n, c.m DESC");
  EXPECT_EQ(explained.status, 200) << explained.body;
  EXPECT_THAT(explained.body, HasSubstr(R"("plan":["scan $0",)"));
  EXPECT_THAT(explained.body, HasSubstr(R"("access":["scan"],"partitions":1,)"));
  EXPECT_THAT(explained.body, HasSubstr(R"("documentsLoaded":1,)"));
  EXPECT_THAT(explained.body, HasSubstr(R"("indexesMissing":[{"index":"/x/?","for":"/x = 5"},)"
                                        R"({"compositeIndex":"/n ASC, /m DESC","for":"ORDER BY"}])"));
}

// Clients refuse answers with headers of more than 16 KB.
TEST_F(ServiceTest, SaysAsMuchAboutIndexesAsAHeaderCanHave) {
  account_.make_container("c", {"/pk"});
  const auto metrics_of = [this](const char* wanted, const std::string& filter) {
    const Headers headers{{"x-ms-documentdb-isquery", "true"},
                          {"content-type", "application/query+json"},
                          {"x-ms-documentdb-query-enablecrosspartition", "true"},
                          {wanted, "true"}};
    const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs", headers,
                                      fmt::format(R"({{"query":"SELECT VALUE c.id FROM c WHERE {}"}})", filter));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.headers.at("x-ms-cosmos-index-utilization");
  };
  std::string many = "c.x = 1";
  for (int i = 0; i < 500; ++i) many += fmt::format(" OR c.property_with_a_long_name_{} = 1", i);
  const std::string short_enough = metrics_of("x-ms-cosmos-populateindexmetrics-V2", many);
  EXPECT_LE(short_enough.size(), 8192U);
  EXPECT_THAT(percent_decode(short_enough).value(), HasSubstr(R"({"Utilized":{"SingleIndexes":[{"IndexSpec":"/x/?"},)"));
  std::string list = "c.x IN (0";
  for (int i = 1; i < 5000; ++i) list += fmt::format(",{}", 2 * i);
  const std::string of_list = metrics_of("x-ms-cosmos-populateindexmetrics", list + ")");
  EXPECT_LE(of_list.size(), 8192U);
  EXPECT_THAT(from_base64(of_list).value(), HasSubstr(R"("IndexSpec":"/x/?")"));
}

TEST_F(ServiceTest, CountsALogicalPartitionByTheIndexOfItsKey) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/colls", {},
              R"({"id":"c","partitionKey":{"paths":["/a","/b","/c"],"kind":"MultiHash","version":2}})");
  for (int i = 0; i < 30; ++i) {
    const std::string body = fmt::format(R"({{"id":"{}","a":"x","b":"y","c":"{}"}})", i, i < 25 ? "z" : "other");
    ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, body).status, 201);
  }
  const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs",
                                    {{"x-ms-documentdb-isquery", "true"},
                                     {"content-type", "application/query+json"},
                                     {"x-ms-documentdb-partitionkey", R"(["x","y","z"])"},
                                     {"x-ms-documentdb-populatequerymetrics", "true"},
                                     {"x-ms-cosmos-populateindexmetrics-V2", "true"}},
                                    R"({"query":"SELECT VALUE COUNT(1) FROM c"})");
  EXPECT_THAT(answer.body, HasSubstr(R"("Documents":[25])"));
  EXPECT_THAT(answer.headers.at("x-ms-documentdb-query-metrics"), HasSubstr("retrievedDocumentCount=0;"));
  EXPECT_THAT(percent_decode(answer.headers.at("x-ms-cosmos-index-utilization")).value_or(""),
              HasSubstr(R"("Utilized":{"SingleIndexes":[{"IndexSpec":"/a/?"},{"IndexSpec":"/b/?"},{"IndexSpec":"/c/?"}],)"));
}

TEST_F(ServiceTest, AsksForConsentToLookForConflictsEverywhere) {
  account_.make_container("c", {"/pk"});
  const auto status = [this](Headers more) {
    more.insert(more.end(), {{"x-ms-documentdb-isquery", "true"}, {"content-type", "application/query+json"}});
    return send_signed("POST", "/dbs/db/colls/c/conflicts", more, R"({"query":"SELECT * FROM c"})").status;
  };
  EXPECT_EQ(status({}), 400);
  EXPECT_EQ(status({{"x-ms-documentdb-query-enablecrosspartition", "true"}}), 200);
  EXPECT_EQ(status({{"x-ms-documentdb-partitionkey", "[null]"}}), 200);
}

TEST_F(ServiceTest, SortsOnlyByWhatThePolicyHasInOrder) {
  account_.make_container(
      "c", {"/pk"}, 400,
      R"({"excludedPaths":[{"path":"/x/*"}],"compositeIndexes":[[{"path":"/n"},{"path":"/m","order":"descending"}]]})");
  const auto query = [this](std::string_view order) {
    const Headers headers{{"x-ms-documentdb-isquery", "true"},
                          {"content-type", "application/query+json"},
                          {"x-ms-documentdb-query-enablecrosspartition", "true"}};
    return send_signed("POST", "/dbs/db/colls/c/docs", headers,
                       fmt::format(R"({{"query":"SELECT * FROM c ORDER BY {}"}})", order));
  };
  for (const char* order : {"c.n", "c.n DESC", "c.y.z", "c.pk", "c.n, c.m DESC", "c.n DESC, c.m", "VectorDistance(c.x, [1])"}) {
    EXPECT_EQ(query(order).status, 200) << order;
  }
  for (const char* order : {"c.n, c.m", "c.m DESC, c.n", "c.n, c.m DESC, c.pk", "c.n, c.x"}) {
    EXPECT_EQ(query(order).status, 400) << order;
    EXPECT_THAT(query(order).body, HasSubstr("does not have a corresponding composite index")) << order;
  }
  for (const char* order : {"c.x", "c.x.y DESC"}) {
    EXPECT_EQ(query(order).status, 400) << order;
    EXPECT_THAT(query(order).body, HasSubstr("order-by item is excluded")) << order;
  }
}

TEST_F(ServiceTest, GivesAdviceOnAQueryWhenAsked) {
  account_.make_container("c", {"/pk"});
  const auto query = [this](std::string_view text, bool wants_advice) {
    Headers headers{{"x-ms-documentdb-isquery", "true"},
                    {"content-type", "application/query+json"},
                    {"x-ms-documentdb-query-enablecrosspartition", "true"}};
    if (wants_advice) headers.emplace_back("x-ms-cosmos-populatequeryadvice", "True");
    const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs", headers, fmt::format(R"({{"query":"{}"}})", text));
    EXPECT_EQ(answer.status, 200) << answer.body;
    const auto advice = answer.headers.find("x-ms-cosmos-query-advice");
    return advice == answer.headers.end() ? "none" : percent_decode(advice->second).value_or("not encoded");
  };
  EXPECT_EQ(query("SELECT * FROM c WHERE CONTAINS(c.name, 'test')", true), R"([{"Id":"QA1002","Params":[]}])");
  EXPECT_EQ(query("SELECT * FROM c WHERE CONTAINS(c.name, 'test')", false), "none");
  EXPECT_EQ(query("SELECT * FROM c WHERE c.name = 'test'", true), "none");
}

}  // namespace partita::cosmos
