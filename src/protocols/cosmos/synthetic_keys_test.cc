#include "document/json/json.h"
#include "protocols/cosmos/router.h"
#include "protocols/cosmos/service_fixture.h"

#include <fmt/format.h>

#include <set>
#include <string>

// Containers whose partition key the server computes.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDocuments = "/dbs/db/colls/c/docs";

}  // namespace

class SyntheticKeys : public ServiceTest {
 protected:
  static std::string container(std::string_view expression) {
    return fmt::format(R"({{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},)"
                       R"("computedProperties":[{{"name":"pk","query":"SELECT VALUE {} FROM c"}}]}})",
                       expression);
  }
  Answer make(std::string_view expression) {
    send_signed("POST", "/dbs", {}, R"({"id":"db"})");
    return send_signed("POST", "/dbs/db/colls", {{"x-ms-offer-throughput", "25000"}}, container(expression));
  }
  Answer write(std::string_view json, Headers headers = {}) { return send_signed("POST", kDocuments, std::move(headers), json); }
  Answer upsert(std::string_view json, Headers headers = {}) {
    headers.emplace_back("x-ms-documentdb-is-upsert", "true");
    return write(json, std::move(headers));
  }
  static Headers keyed(std::string_view key) { return {{"x-ms-documentdb-partitionkey", std::string(key)}}; }
  static Headers of(std::string_view properties) { return {{"x-partita-key-of", std::string(properties)}}; }
  std::string at(std::string_view id) { return fmt::format("{}/{}", kDocuments, id); }
  Answer plan(std::string_view filter) {
    return send_signed("POST", kDocuments,
                       {{"x-ms-cosmos-is-query-plan-request", "true"}, {"content-type", "application/query+json"}},
                       fmt::format(R"({{"query":"SELECT * FROM c WHERE {}"}})", filter));
  }
  Answer query(std::string_view filter, Headers headers = {}) {
    headers.emplace_back("x-ms-documentdb-isquery", "true");
    headers.emplace_back("content-type", "application/query+json");
    return send_signed("POST", kDocuments, std::move(headers),
                       fmt::format(R"({{"query":"SELECT VALUE c.id FROM c WHERE {}"}})", filter));
  }
};

TEST_F(SyntheticKeys, AreComputedAtEveryWriteAndStored) {
  ASSERT_EQ(make("CONCAT(c.deviceId, '-', ToString(c.date))").status, 201);
  for (const Headers& headers : {Headers{}, keyed("[{}]"), keyed("[]"), keyed(R"(["abc-123-2018"])")}) {
    const Answer created = upsert(R"({"id":"1","deviceId":"abc-123","date":2018})", headers);
    EXPECT_THAT(created.body, HasSubstr(R"("pk":"abc-123-2018")")) << created.body;
  }
  EXPECT_EQ(send_signed("GET", at("1"), keyed(R"(["abc-123-2018"])")).status, 200);
  EXPECT_EQ(write(R"({"id":"2","deviceId":"a","date":1,"pk":"a-1"})").status, 201);
  const Answer other = write(R"({"id":"3","deviceId":"a","date":1,"pk":"b-1"})");
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.body, HasSubstr("a-1"));
  EXPECT_THAT(other.body, HasSubstr("b-1"));
  EXPECT_EQ(write(R"({"id":"3","deviceId":"a","date":1})", keyed(R"(["b-1"])")).status, 400);
  const Answer bulk =
      write(R"([{"operationType":"Create","partitionKey":"[{}]","resourceBody":{"id":"4","deviceId":"d","date":4}}])",
            {{"x-ms-cosmos-is-batch-request", "true"}, {"x-ms-documentdb-partitionkeyrangeid", "0"}});
  EXPECT_THAT(bulk.body, HasSubstr(R"("pk":"d-4")")) << bulk.body;
  Headers batch = keyed(R"(["e-5"])");
  batch.emplace_back("x-ms-cosmos-is-batch-request", "true");
  batch.emplace_back("x-ms-cosmos-batch-atomic", "true");
  EXPECT_EQ(write(R"([{"operationType":"Create","resourceBody":{"id":"5","deviceId":"e","date":5}}])", batch).status, 200);
  EXPECT_EQ(write(R"([{"operationType":"Create","resourceBody":{"id":"6","deviceId":"e","date":6}}])", batch).status, 207);
}

TEST_F(SyntheticKeys, MoveNoDocument) {
  make("CONCAT(c.deviceId, '-', ToString(c.date))");
  write(R"({"id":"1","deviceId":"a","date":1,"n":0})");
  const Headers key = keyed(R"(["a-1"])");
  EXPECT_EQ(send_signed("PUT", at("1"), key, R"({"id":"1","deviceId":"a","date":1,"n":1})").status, 200);
  const Answer moved = send_signed("PUT", at("1"), key, R"({"id":"1","deviceId":"a","date":2})");
  EXPECT_EQ(moved.status, 400);
  EXPECT_THAT(moved.body, HasSubstr("cannot change"));
  EXPECT_EQ(send_signed("PATCH", at("1"), key, R"([{"op":"set","path":"/n","value":2}])").status, 200);
  const Answer patched = send_signed("PATCH", at("1"), key, R"([{"op":"set","path":"/date","value":2}])");
  EXPECT_EQ(patched.status, 400) << patched.body;
  EXPECT_EQ(send_signed("PATCH", at("1"), key, R"([{"op":"set","path":"/pk","value":"a-2"}])").status, 400);
  EXPECT_THAT(send_signed("GET", at("1"), key).body, HasSubstr(R"("date":1,"n":2,"pk":"a-1")"));
}

TEST_F(SyntheticKeys, AreUndefinedWhereASourceIsMissing) {
  make("CONCAT(c.deviceId, '-', ToString(c.date))");
  const Answer created = write(R"({"id":"1","deviceId":"a"})");
  EXPECT_EQ(created.status, 201);
  EXPECT_THAT(created.body, Not(HasSubstr("\"pk\"")));
  EXPECT_EQ(send_signed("GET", at("1"), keyed("[{}]")).status, 200);
  EXPECT_EQ((*account_.catalog->container("db", "c"))->lineage->undefined_keys(), 1);
  EXPECT_EQ(send_signed("PATCH", at("1"), keyed("[{}]"), R"([{"op":"set","path":"/date","value":2}])").status, 400);
}

TEST_F(SyntheticKeys, OfPropertiesStandForTheKeyOfOneDocument) {
  make("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 400)))");
  write(R"({"id":"1","date":"2018-07-12","vin":"5YJ3E1EA7KF000001"})");
  const std::string_view sources = R"({"date":"2018-07-12","vin":"5YJ3E1EA7KF000001"})";
  EXPECT_EQ(send_signed("GET", at("1"), keyed(R"(["2018-07-12.98"])")).status, 200);
  EXPECT_EQ(send_signed("GET", at("1"), of(sources)).status, 200);
  Headers both = of(sources);
  both.emplace_back("x-ms-documentdb-partitionkey", "[{}]");
  EXPECT_EQ(send_signed("GET", at("1"), both).status, 200);
  both.back().second = R"(["2018-07-12.99"])";
  EXPECT_EQ(send_signed("GET", at("1"), both).status, 400);
  for (const char* wrong :
       {"", "x", "[]", "1", "{}", R"({"date":"2018-07-12"})", R"({"date":"d","vin":[1]})", R"({"date":1,"date":2})"}) {
    EXPECT_EQ(send_signed("GET", at("1"), of(wrong)).status, 400) << wrong;
  }
  EXPECT_EQ(send_signed("GET", at("1"), of(fmt::format(R"({{"date":"d","vin":"{}"}})", std::string(5'000, 'v')))).status, 400);
  EXPECT_EQ(query("c.date = 'd'", of(sources)).status, 400);
  EXPECT_EQ(write(R"({"id":"2","date":"d","vin":"v"})", of(sources)).status, 400);
  EXPECT_EQ(send_signed("GET", kDocuments, of(sources)).status, 400);
  EXPECT_EQ(send("GET", at("1"), of(sources)).status, 401);
  EXPECT_EQ(send_signed("PATCH", at("1"), of(sources), R"([{"op":"set","path":"/n","value":2}])").status, 200);
  EXPECT_EQ(send_signed("DELETE", at("1"), of(sources)).status, 204);
}

// Strangers would have the server compute what a tenant's definition says.
TEST_F(SyntheticKeys, AreComputedForNobodyWhoMayNotAsk) {
  make("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 400)))");
  const std::string path = at("1");
  const auto is_computed = [&](const std::string& authorization) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.headers = {{"authorization", authorization}, {"x-ms-date", kNow}, {"x-partita-key-of", R"({"date":"d","vin":"v"})"}};
    net::HttpResponse response;
    ResourcePath parsed = *ResourcePath::parse(path);
    const Operation operation = operation_of(request, parsed);
    Exchange exchange(request, response, [] {}, "activity", std::move(parsed), operation);
    const bool is_authorized = served_.service().check_authorization(exchange).has_value();
    const bool has_key = exchange.partition_key().value().has_value();
    EXPECT_EQ(is_authorized, has_key) << authorization;
    return has_key;
  };
  EXPECT_FALSE(is_computed(""));
  EXPECT_FALSE(is_computed("nonsense"));
  EXPECT_FALSE(is_computed(signed_by("d3Jvbmc=", "GET", path)));
  EXPECT_FALSE(is_computed(signed_by(kKey, "PUT", path)));
  EXPECT_FALSE(is_computed("type=resource&ver=1.0&sig=bm9uZQ=="));
  EXPECT_TRUE(is_computed(signed_by(kReadOnlyKey, "GET", path)));
}

TEST_F(SyntheticKeys, WidenNoToken) {
  make("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 2)))");
  write(R"({"id":"1","date":"d","vin":"5YJ3E1EA7KF000001"})");
  write(R"({"id":"1","date":"e","vin":"5YJ3E1EA7KF000001"})");
  const std::string own = R"({"date":"d","vin":"5YJ3E1EA7KF000001"})";
  const std::string others = R"({"date":"e","vin":"5YJ3E1EA7KF000001"})";
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  const auto token_for = [&](std::string_view id, std::string_view key) {
    send_signed(
        "POST", "/dbs/db/users/u/permissions", {},
        fmt::format(R"({{"id":"{}","permissionMode":"All","resource":"dbs/db/colls/c","resourcePartitionKey":{}}})", id, key));
    return token_of(fmt::format("/dbs/db/users/u/permissions/{}", id));
  };
  const auto as = [&](const std::string& token, std::string_view method, const std::string& path, Headers headers,
                      std::string_view body = {}) {
    headers.emplace_back("authorization", token);
    return send(method, path, std::move(headers), body).status;
  };
  const std::string limited = token_for("one", R"(["d.2"])");
  EXPECT_EQ(as(limited, "GET", at("1"), of(own)), 200);
  EXPECT_EQ(as(limited, "GET", at("1"), of(others)), 403);
  Headers pretended = of(others);
  pretended.emplace_back("x-ms-documentdb-partitionkey", R"(["d.2"])");
  EXPECT_EQ(as(limited, "GET", at("1"), pretended), 400);
  const std::string documents(kDocuments);
  EXPECT_EQ(as(limited, "POST", documents, keyed(R"(["d.2"])"), R"({"id":"2","date":"d","vin":"5YJ3E1EA7KF000001"})"), 201);
  EXPECT_EQ(as(limited, "POST", documents, keyed(R"(["d.2"])"), R"({"id":"3","date":"e","vin":"5YJ3E1EA7KF000001"})"), 400);
  EXPECT_EQ(as(limited, "POST", documents, keyed("[{}]"), R"({"id":"3","date":"d","vin":"5YJ3E1EA7KF000001"})"), 403);
  // For documents without a value: that the server computes one does not lead anywhere else.
  const std::string undefined = token_for("none", "[{}]");
  EXPECT_EQ(as(undefined, "POST", documents, keyed("[{}]"), R"({"id":"4","date":"e"})"), 201);
  EXPECT_EQ(as(undefined, "POST", documents, keyed("[{}]"), R"({"id":"4","date":"e","vin":"v"})"), 400);
  EXPECT_EQ(as(undefined, "GET", at("1"), of(own)), 403);
}

TEST_F(SyntheticKeys, KeepRandomBucketsAndLetQueriesFindThem) {
  make("CONCAT(c.date, '.', ToString(RANDOM_BUCKET(3)))");
  for (int i = 0; i < 30; ++i) ASSERT_EQ(write(fmt::format(R"({{"id":"{}","date":"d"}})", i)).status, 201);
  const Answer kept = write(R"({"id":"kept","date":"d","pk":"d.2"})");
  EXPECT_THAT(kept.body, HasSubstr(R"("pk":"d.2")"));
  EXPECT_EQ(write(R"({"id":"5","date":"d","pk":"d.4"})").status, 400);
  EXPECT_EQ(send_signed("GET", at("kept"), of(R"({"date":"d"})")).status, 400);
  EXPECT_EQ(send_signed("PUT", at("kept"), keyed(R"(["d.2"])"), R"({"id":"kept","date":"d","n":1})").status, 200);
  EXPECT_EQ(send_signed("PATCH", at("kept"), keyed(R"(["d.2"])"), R"([{"op":"set","path":"/date","value":"e"}])").status, 400);
  const Answer found = query("c.date = 'd'", {{"x-ms-documentdb-query-enablecrosspartition", "true"}});
  EXPECT_THAT(found.body, HasSubstr(R"("_count":31)"));
  const Answer explained =
      query("c.date = 'd'", {{"x-ms-documentdb-query-enablecrosspartition", "true"}, {"x-partita-explain", "true"}});
  EXPECT_THAT(explained.body, HasSubstr(R"("keyValues":3)"));
  const std::string planned = plan("c.date = 'd'").body;
  size_t ranges = 0;
  for (size_t from = planned.find("\"min\""); from != std::string::npos; from = planned.find("\"min\"", from + 1)) ++ranges;
  EXPECT_EQ(ranges, 3) << planned;
  EXPECT_THAT(plan("c.other = 'd'").body, HasSubstr(R"("queryRanges":[{"min":"","max":"FF")"));
  // What is stored, not drawn anew.
  EXPECT_THAT(query("c.pk = 'd.2' AND c.id = 'kept'").body, HasSubstr(R"("_count":1)"));
}

TEST_F(SyntheticKeys, RouteAFilterOnAllSourcesToOneValue) {
  make("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 400)))");
  write(R"({"id":"1","date":"d","vin":"v"})");
  write(R"({"id":"2","date":"d","vin":"w"})");
  // No consent to read several partitions, so it reads one.
  EXPECT_THAT(query("c.date = 'd' AND c.vin = 'v'").body, HasSubstr(R"("_count":1)"));
  EXPECT_EQ(query("c.vin = 'v'").status, 400);
}

TEST_F(SyntheticKeys, AreCheckedWhenAContainerIsMadeAndStayAsTheyAre) {
  EXPECT_EQ(make("c.pk").status, 400);
  EXPECT_THAT(make("RAND()").body, HasSubstr("changes from call to call"));
  ASSERT_EQ(make("CONCAT(c.a, 'x')").status, 201);
  const std::string path = "/dbs/db/colls/c";
  EXPECT_EQ(send_signed("PUT", path, {}, container("CONCAT(c.a, 'x')")).status, 200);
  const Answer changed = send_signed("PUT", path, {}, container("CONCAT(c.a, 'y')"));
  EXPECT_EQ(changed.status, 400);
  EXPECT_THAT(changed.body, HasSubstr("partita migrate"));
  EXPECT_EQ(send_signed("PUT", path, {}, R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})").status, 400);
}

}  // namespace partita::cosmos
