#include "protocols/cosmos/service_fixture.h"

#include "cluster/index/index_builder.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <array>
#include <future>
#include <string>
#include <vector>

// What every answer has, and what accounts, containers and batches are told.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;

}  // namespace

TEST_F(ServiceTest, EveryAnswerCanBeFoundAgain) {
  EXPECT_EQ(send_signed("GET", "/dbs").headers.at("x-ms-activity-id"), "activity");
  EXPECT_EQ(send("GET", "/nonsense").headers.at("x-ms-activity-id"), "activity");
  EXPECT_EQ(send_as_is("GET", "/dbs", {}, "").headers.at("x-ms-activity-id").size(), 36u);
  EXPECT_EQ(send_as_is("GET", "/dbs", {{"x-ms-activity-id", std::string(65, 'x')}}, "").headers.at("x-ms-activity-id").size(),
            36u);
}

TEST_F(ServiceTest, TheAccountHasTheAddressThatTheClientUsed) {
  const Answer answer = send_signed("GET", "/", {{"host", "example.org:1234"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("databaseAccountEndpoint":"http://example.org:1234/")"));
}

TEST_F(ServiceTest, ANewIndexingPolicyIsAnsweredAtOnceAndItsIndexesFollow) {
  account_.make_container("c", {"/pk"});
  send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", R"(["p"])"}}, R"({"id":"a","pk":"p","x":5})");
  const std::string policy = R"({"includedPaths":[{"path":"/x/?"}],"excludedPaths":[{"path":"/*"}]})";
  const Answer replaced = send_signed(
      "PUT", "/dbs/db/colls/c", {},
      fmt::format(R"({{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},"indexingPolicy":{}}})", policy));
  EXPECT_EQ(replaced.status, 200) << replaced.body;
  EXPECT_THAT(replaced.body, HasSubstr(R"("includedPaths":[{"path":"/x/?")"));
  const auto progress = [this] {
    return send_signed("GET", "/dbs/db/colls/c", {{"x-ms-documentdb-populatequotainfo", "true"}})
        .headers.at("x-ms-documentdb-collection-index-transformation-progress");
  };
  EXPECT_EQ(progress(), "0");
  IndexBuilder builder(*account_.catalog);
  ASSERT_TRUE(builder.finish());
  EXPECT_EQ(progress(), "100");
}

TEST_F(ServiceTest, ReadsOfDocumentsWithAStrongerConsistencyThanTheAccountsAreRefused) {
  account_.make_container("c", {"/pk"});
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-consistency-level", "Strong"}}, R"({"id":"1","pk":"p"})").status,
            201);
  const auto status = [this](std::string_view path, Headers headers, std::string_view level) {
    headers.emplace_back("x-ms-consistency-level", level);
    return send_signed("GET", path, headers).status;
  };
  const Headers key = {{"x-ms-documentdb-partitionkey", R"(["p"])"}};
  for (const char* stronger : {"Strong", "BoundedStaleness", "nonsense"}) {
    EXPECT_EQ(status("/dbs/db/colls/c/docs/1", key, stronger), 400) << stronger;
    EXPECT_EQ(status("/dbs/db/colls/c/docs", {}, stronger), 400) << stronger;
    EXPECT_EQ(status("/dbs/db/colls/c/docs", {{"a-im", "Incremental feed"}}, stronger), 400) << stronger;
  }
  for (const char* allowed : {"session", "Eventual"}) EXPECT_EQ(status("/dbs/db/colls/c/docs/1", key, allowed), 200) << allowed;
}

// Clients read these with the strongest level on accounts of all levels.
TEST_F(ServiceTest, ReadsOfMetadataMayAskForAnyConsistency) {
  account_.make_container("c", {"/pk"});
  for (const char* path :
       {"/", "/dbs", "/dbs/db", "/dbs/db/colls", "/dbs/db/colls/c", "/dbs/db/colls/c/pkranges", "/dbs/db/users", "/offers"}) {
    for (const char* level : {"Strong", "BoundedStaleness", "session", "Eventual"}) {
      EXPECT_EQ(send_signed("GET", path, {{"x-ms-consistency-level", level}}).status, 200) << path << " " << level;
    }
    EXPECT_EQ(send_signed("GET", path, {{"x-ms-consistency-level", "nonsense"}}).status, 400) << path;
  }
}

TEST_F(ServiceTest, AContainerMayHaveAPerformanceLevelAndADatabaseMayNot) {
  const Headers level = {{"x-ms-offer-type", "S1"}};
  EXPECT_EQ(send_signed("POST", "/dbs", level, R"({"id":"db"})").status, 400);
  ASSERT_EQ(send_signed("POST", "/dbs", {}, R"({"id":"db"})").status, 201);
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls", level, R"({"id":"c"})").status, 201);
  const Answer offers = send_signed("GET", "/offers");
  EXPECT_THAT(offers.body, HasSubstr(R"("offerType":"S1")"));
  EXPECT_THAT(offers.body, HasSubstr(R"("offerThroughput":250)"));
  const std::string stored = *stored_from_json(offers.body);
  const Value offer = Value::view(stored).find("Offers").element(0);
  const std::string path = "/offers/" + std::string(offer.find("_rid").string());
  EXPECT_EQ(send_signed("GET", path).headers.at("x-ms-cosmos-min-throughput"), "250");
  EXPECT_EQ(send_signed("PUT", path, {}, to_json(offer)).status, 200);
  std::string changed = to_json(offer);
  changed.replace(changed.find("\"S1\""), 4, "\"S3\"");
  EXPECT_THAT(send_signed("PUT", path, {}, changed).body, HasSubstr(R"("offerThroughput":2500)"));
  changed.replace(changed.find("\"S3\""), 4, "\"S7\"");
  EXPECT_EQ(send_signed("PUT", path, {}, changed).status, 400);
}

// Python's client sends the number.
TEST_F(ServiceTest, AnIndexingDirectiveIsANameOrItsNumber) {
  account_.make_container("c", {"/pk"});
  const auto upserted = [this](std::string_view directive) {
    const Headers headers = {{"x-ms-documentdb-is-upsert", "true"}, {"x-ms-indexing-directive", std::string(directive)}};
    return send_signed("POST", "/dbs/db/colls/c/docs", headers, R"({"id":"1","pk":"p"})").status;
  };
  EXPECT_EQ(upserted("0"), 201);
  for (const char* known : {"1", "2", "Include", "exclude", "DEFAULT", ""}) EXPECT_EQ(upserted(known), 200) << known;
  for (const char* unknown : {"3", "-1", "00", "1.0", "Included"}) EXPECT_EQ(upserted(unknown), 400) << unknown;
}

TEST_F(ServiceTest, TellsClientsToGoOnWhereTheyCameFromOrWhereItIsTold) {
  EXPECT_THAT(send_signed("GET", "/", {{"host", "here:1"}}).body, HasSubstr(R"("databaseAccountEndpoint":"http://here:1/")"));
  ServiceParts parts = served_.parts();
  parts.public_endpoint = "https://there/";
  Service proxied(std::move(parts));
  served_.serve_through(proxied);
  EXPECT_THAT(send_signed("GET", "/", {{"host", "here:1"}}).body, HasSubstr(R"("databaseAccountEndpoint":"https://there/")"));
}

TEST_F(ServiceTest, AStrongAccountChargesReadsTwice) {
  ServiceParts parts = served_.parts();
  parts.consistency = ConsistencyLevel::kBoundedStaleness;
  Service strong(std::move(parts));
  account_.make_container("c", {"/pk"});
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, R"({"id":"1","pk":"p"})").status, 201);
  const auto charge = [&](Service& service, std::string_view level) {
    Headers headers = {{"x-ms-documentdb-partitionkey", R"(["p"])"}};
    if (!level.empty()) headers.emplace_back("x-ms-consistency-level", level);
    served_.serve_through(service);
    return send_signed("GET", "/dbs/db/colls/c/docs/1", headers).headers.at("x-ms-request-charge");
  };
  EXPECT_EQ(charge(served_.service(), ""), "1");
  EXPECT_EQ(charge(strong, ""), "2");
  EXPECT_EQ(charge(strong, "BoundedStaleness"), "2");
  EXPECT_EQ(charge(strong, "Session"), "1");
  EXPECT_THAT(send_signed("GET", "/").body, HasSubstr(R"("defaultConsistencyLevel":"BoundedStaleness")"));
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs", {{"x-ms-consistency-level", "Strong"}}).status, 400);
}

TEST_F(ServiceTest, AnOverdrawnPartitionIsThrottled) {
  const std::shared_ptr<const Container> container = account_.make_container("c", {"/pk"});
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, R"({"id":"1","pk":"p"})").status, 201);
  Meter& meter = container->places[0].partition->local().meter();
  meter.budget().set_rate(400);
  const Headers key = {{"x-ms-documentdb-partitionkey", R"(["p"])"}};
  for (const auto& [method, path, body] :
       std::vector<std::array<const char*, 3>>{{"GET", "/dbs/db/colls/c/docs/1", ""},
                                               {"GET", "/dbs/db/colls/c/docs", ""},
                                               {"PUT", "/dbs/db/colls/c/docs/1", R"({"id":"1","pk":"p"})"},
                                               {"POST", "/dbs/db/colls/c/docs", R"({"id":"2","pk":"p"})"},
                                               {"DELETE", "/dbs/db/colls/c/docs/1", ""}}) {
    meter.reset_budget();
    meter.charge(400 + 100);
    const Answer refused = send_signed(method, path, key, body);
    EXPECT_EQ(refused.status, 429) << method << " " << path;
    EXPECT_EQ(refused.headers.at("x-ms-substatus"), "3200");
    EXPECT_EQ(refused.headers.at("x-ms-retry-after-ms"), "250");
    EXPECT_EQ(refused.headers.at("x-ms-request-charge"), "0");
    EXPECT_THAT(refused.body, HasSubstr(R"({"code":"429","message":"Request rate is large.)"));
  }
  // Nearly used up: whoever can wait must.
  for (const auto& [method, path, body] :
       std::vector<std::array<const char*, 3>>{{"GET", "/dbs/db/colls/c/docs/1", ""},
                                               {"PUT", "/dbs/db/colls/c/docs/1", R"({"id":"1","pk":"p"})"},
                                               {"POST", "/dbs/db/colls/c/docs", R"({"id":"2","pk":"p"})"}}) {
    meter.reset_budget();
    meter.charge(390);
    Headers low = key;
    low.emplace_back("x-ms-cosmos-priority-level", "Low");
    EXPECT_EQ(send_signed(method, path, low, body).status, 429) << method << " " << path;
    EXPECT_LT(send_signed(method, path, key, body).status, 300) << method << " " << path;
  }
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c").status, 200);
}

// A client that gets this asks again for fewer documents at once.
TEST_F(ServiceTest, AnAnswerOfABatchThatGrowsTooLargeSaysSo) {
  account_.make_container("c", {"/pk"});
  const std::string large = R"({"id":"1","pk":"p","text":")" + std::string(1'500'000, 'x') + "\"}";
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, large).status, 201);
  const std::string read = R"({"operationType":"Read","id":"1","partitionKey":"[\"p\"]"})";
  const std::string reads = "[" + read + "," + read + "," + read + "]";
  const Headers bulk = {{"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-continue-on-error", "True"}};
  const Answer some = send_signed("POST", "/dbs/db/colls/c/docs", bulk, reads);
  EXPECT_EQ(some.status, 207);
  EXPECT_THAT(some.body, HasSubstr(R"("statusCode":413,"requestCharge":1,"subStatusCode":3402)"));
  const Headers atomic = {{"x-ms-cosmos-is-batch-request", "True"},
                          {"x-ms-cosmos-batch-atomic", "True"},
                          {"x-ms-documentdb-partitionkey", R"(["p"])"}};
  const Answer none = send_signed("POST", "/dbs/db/colls/c/docs", atomic, reads);
  EXPECT_EQ(none.status, 207);
  EXPECT_THAT(none.body, HasSubstr(R"("statusCode":413,"requestCharge":1,"subStatusCode":3402)"));
}

TEST_F(ServiceTest, TellsWhatIsStored) {
  account_.make_container("c", {"/pk"});
  const std::string large = R"({"id":"1","pk":"p","text":")" + std::string(1'500'000, 'x') + "\"}";
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, large).status, 201);
  // A worker adds it up for whoever asks next.
  send_signed("GET", "/");
  std::promise<void> added_up;
  served_.workers().submit(
      {.tenant = kAccountTenant, .run = [&](Turn&) { added_up.set_value(); }, .refuse = [](const Error&) {}});
  added_up.get_future().wait();
  EXPECT_EQ(send_signed("GET", "/").headers.at("x-ms-databaseaccount-consumed-mb"), "1");
  const Answer container = send_signed("GET", "/dbs/db/colls/c", {{"x-ms-documentdb-populatequotainfo", "true"}});
  EXPECT_THAT(container.headers.at("x-ms-resource-usage"), HasSubstr("documentsSize=1465;documentsCount=1;collectionSize=1465;"));
  EXPECT_THAT(send_signed("GET", "/offers").body, HasSubstr(R"("maxConsumedStorageEverInKB":1465)"));
}

}  // namespace partita::cosmos
