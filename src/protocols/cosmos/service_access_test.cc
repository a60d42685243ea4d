#include "protocols/cosmos/service_fixture.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "protocols/cosmos/authorization/resource_token.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

// Keys, tokens and web pages: who is let in, and to what.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;

}  // namespace

TEST_F(ServiceTest, ATokenExpiresAndCannotBeForged) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/colls", {}, R"({"id":"c","partitionKey":{"paths":["/pk"]}})");
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  send_signed("POST", "/dbs/db/users/u/permissions", {}, R"({"id":"p","permissionMode":"All","resource":"dbs/db/colls/c"})");
  const std::string token = token_of("/dbs/db/users/u/permissions/p");
  const auto status = [&](const std::string& shown) { return send("GET", "/dbs/db/colls/c", {{"authorization", shown}}).status; };
  EXPECT_EQ(status(token), 200);
  EXPECT_EQ(status(percent_encode(token)), 200);
  for (size_t i = token.find("sig=") + 4; i + 1 < token.size(); ++i) {
    std::string forged = token;
    forged[i] = forged[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(status(forged), 401) << forged;
  }
  account_.clock.advance_ms(3'599'000);
  EXPECT_EQ(status(token), 200);
  account_.clock.advance_ms(1'000);
  EXPECT_EQ(status(token), 403);
}

TEST_F(ServiceTest, ATokenOfAnotherVersionIsNotAccepted) {
  EXPECT_EQ(send_signed("GET", "/dbs").status, 200);
  std::string token = signed_by(kKey, "GET", "/dbs");
  token.replace(token.find("1.0"), 3, "99");
  EXPECT_EQ(send("GET", "/dbs", {{"authorization", token}, {"x-ms-date", std::string(kNow)}}).status, 401);
}

// A permission that an earlier version kept although its key makes no sense.
TEST_F(ServiceTest, APermissionWithAnUnknownKeyGrantsNothing) {
  account_.make_container("c", {"/pk"});
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  const uint32_t database = (*account_.catalog->database("db"))->number;
  const ChildPtr user = *account_.catalog->children().find({.database = database, .type = ChildType::kUser, .user = 0},
                                                           {.id = "u", .number = std::nullopt});
  const ChildPlace place{.database = database, .type = ChildType::kPermission, .user = user->number};
  int count = 0;
  for (const char* key : {R"("A")", "123", "{}", "[]", R"([["A"]])", R"(["A","B"])", "null"}) {
    ChildDefinition definition;
    definition.id = fmt::format("p{}", ++count);
    definition.properties = *stored_from_json(
        fmt::format(R"({{"permissionMode":"All","resource":"dbs/db/colls/c","resourcePartitionKey":{}}})", key));
    const ChildWritten written = *account_.catalog->children().write(place, std::move(definition), false);
    const std::string token =
        make_resource_token(served_.keys().keyring(), written.child->number, account_.clock.unix_seconds() + 100);
    const Headers headers = {{"authorization", token}, {"x-ms-documentdb-partitionkey", R"(["A"])"}};
    EXPECT_EQ(send("GET", "/dbs/db/colls/c/docs", headers).status, 403) << key;
    EXPECT_EQ(send("POST", "/dbs/db/colls/c/docs", headers, R"({"id":"1","pk":"A"})").status, 403) << key;
    EXPECT_EQ(send("DELETE", "/dbs/db/colls/c", headers).status, 403) << key;
  }
}

// Positions that the holder of another key was given, ranges of hashes and resource ids lead nowhere else.
TEST_F(ServiceTest, ATokenForOneKeyReachesNoOther) {
  account_.make_container("c", {"/pk"});
  const std::string docs = "/dbs/db/colls/c/docs";
  const auto with_key = [](const char* key) { return std::pair<std::string, std::string>("x-ms-documentdb-partitionkey", key); };
  for (const char* id : {"1", "2", "3"}) {
    send_signed("POST", docs, {with_key(R"(["a"])")}, fmt::format(R"({{"id":"{}","pk":"a","is":"mine"}})", id));
    send_signed("POST", docs, {with_key(R"(["b"])")}, fmt::format(R"({{"id":"{}","pk":"b","is":"secret"}})", id));
  }
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  send_signed("POST", "/dbs/db/users/u/permissions", {},
              R"({"id":"p","permissionMode":"All","resource":"dbs/db/colls/c","resourcePartitionKey":["a"]})");
  const std::string token = token_of("/dbs/db/users/u/permissions/p");
  const auto ask = [&](std::string_view method, const std::string& path, Headers headers, std::string_view body = {}) {
    headers.emplace_back("authorization", token);
    headers.push_back(with_key(R"(["a"])"));
    const Answer answer = send(method, path, headers, body);
    EXPECT_THAT(answer.body, testing::Not(HasSubstr("secret"))) << method << " " << path;
    return answer;
  };
  const std::string query = R"({"query":"SELECT * FROM c"})";
  const std::pair<std::string, std::string> is_query("x-ms-documentdb-isquery", "true");
  const std::pair<std::string, std::string> one("x-ms-max-item-count", "1");
  const Answer listed = send_signed("GET", docs, {with_key(R"(["b"])"), one});
  const Answer queried = send_signed("POST", docs, {with_key(R"(["b"])"), one, is_query}, query);
  const Answer changes = send_signed("GET", docs, {with_key(R"(["b"])"), one, {"a-im", "Incremental feed"}});
  EXPECT_THAT(listed.body, HasSubstr("secret"));
  EXPECT_THAT(queried.body, HasSubstr("secret"));
  EXPECT_THAT(changes.body, HasSubstr("secret"));
  ask("GET", docs, {{"x-ms-continuation", listed.headers.at("x-ms-continuation")}});
  ask("POST", docs, {is_query, {"x-ms-continuation", queried.headers.at("x-ms-continuation")}}, query);
  ask("GET", docs, {{"a-im", "Incremental feed"}, {"if-none-match", changes.headers.at("etag")}});
  for (const char* range : {"0", "AAAAAYAAAAE=,0"}) {
    ask("GET", docs, {{"x-ms-documentdb-partitionkeyrangeid", range}});
    ask("POST", docs, {is_query, {"x-ms-documentdb-partitionkeyrangeid", range}}, query);
    ask("GET", docs, {{"a-im", "Incremental feed"}, {"x-ms-documentdb-partitionkeyrangeid", range}});
  }
  const Headers hashes = {{"x-ms-start-epk", ""}, {"x-ms-end-epk", "FF"}, {"x-ms-read-key-type", "EffectivePartitionKeyRange"}};
  ask("GET", docs, hashes);
  const Answer crossing =
      ask("POST", docs, {is_query, {"x-ms-documentdb-query-enablecrosspartition", "true"}, hashes[0], hashes[1]}, query);
  EXPECT_THAT(crossing.body, HasSubstr("mine"));
  // Documents are numbered as they came: the second is another's.
  EXPECT_EQ(ask("GET", "/dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAEBAAAAAAAAAA==/", {}).status, 200);
  EXPECT_EQ(ask("GET", "/dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAECAAAAAAAAAA==/", {}).status, 403);
  EXPECT_EQ(ask("DELETE", "/dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAECAAAAAAAAAA==/", {}).status, 403);
  EXPECT_EQ(ask("GET", "/dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAECAAAAAAAAAA==/attachments", {}).status, 403);
  const Answer batch = ask("POST", docs, {{"x-ms-cosmos-is-batch-request", "true"}, {"x-ms-cosmos-batch-atomic", "true"}},
                           R"([{"operationType":"Read","id":"1","partitionKey":"[\"b\"]"}])");
  EXPECT_THAT(batch.body, HasSubstr("mine"));
  EXPECT_EQ(ask("PUT", docs + "/1", {}, R"({"id":"1","pk":"b"})").status, 400);
  EXPECT_EQ(ask("POST", docs, {{"x-ms-documentdb-is-upsert", "true"}}, R"({"id":"1","pk":"b"})").status, 400);
}

// A prefix names many logical partitions, the empty one all.
TEST_F(ServiceTest, ATokenIsForAWholeHierarchicalKey) {
  account_.make_container("c", {"/tenant", "/user"});
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  const auto permit = [&](const char* key) {
    return send_signed(
               "POST", "/dbs/db/users/u/permissions", {},
               fmt::format(R"({{"id":"p","permissionMode":"All","resource":"dbs/db/colls/c","resourcePartitionKey":{}}})", key))
        .status;
  };
  EXPECT_EQ(permit(R"(["t"])"), 400);
  EXPECT_EQ(permit(R"(["t","u","v"])"), 400);
  ASSERT_EQ(permit(R"(["t","u"])"), 201);
  const std::string token = token_of("/dbs/db/users/u/permissions/p");
  const auto list = [&](const char* key) {
    return send("GET", "/dbs/db/colls/c/docs", {{"authorization", token}, {"x-ms-documentdb-partitionkey", key}}).status;
  };
  EXPECT_EQ(list(R"(["t","u"])"), 200);
  for (const char* key : {R"(["t"])", "[]", R"(["t","v"])", R"(["t",{}])", ""}) EXPECT_EQ(list(key), 403) << key;
}

TEST_F(ServiceTest, AReadOnlyKeyCannotGetATokenThatWrites) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  EXPECT_EQ(send_signed("GET", "/dbs/db/users/u", {}, {}, kReadOnlyKey).status, 200);
  EXPECT_EQ(send_signed("GET", "/dbs/db/users/u/permissions", {}, {}, kReadOnlyKey).status, 403);
}

TEST_F(ServiceTest, WithoutASignatureNothingIsDone) {
  const Answer answer = send("POST", "/dbs", {}, R"({"id":"db"})");
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.body, HasSubstr(R"("code":"Unauthorized")"));
  EXPECT_EQ(account_.catalog->databases().size(), 0u);
  EXPECT_EQ(send("GET", "/", {{"authorization", "nonsense"}, {"x-ms-date", std::string(kNow)}}).status, 401);
  EXPECT_EQ(send("GET", "/dbs", {{"authorization", signed_by(kKey, "POST", "/dbs")}, {"x-ms-date", std::string(kNow)}}).status,
            401);
  EXPECT_EQ(send_signed("GET", "/dbs", {}, {}, "b3RoZXIga2V5").status, 401);
}

TEST_F(ServiceTest, ASignatureExpires) {
  account_.clock.advance_ms(16 * 60 * 1000);
  EXPECT_EQ(send_signed("GET", "/dbs").status, 403);
}

TEST_F(ServiceTest, AReadOnlyKeyReads) {
  account_.make_container("c", {"/pk"});
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c", {}, {}, kReadOnlyKey).status, 200);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs", {}, {}, kReadOnlyKey).status, 200);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/conflicts/x", {}, {}, kReadOnlyKey).status, 404);
  for (const Headers& headers :
       {Headers{{"x-ms-documentdb-isquery", "True"}}, Headers{{"content-type", "application/query+json"}}}) {
    EXPECT_EQ(send_signed("POST", "/dbs/db/colls", headers, R"({"query":"SELECT * FROM root"})", kReadOnlyKey).status, 200);
  }
}

TEST_F(ServiceTest, AReadOnlyKeyCannotWrite) {
  account_.make_container("c", {"/pk"});
  for (const auto& [method, path] : std::vector<std::pair<const char*, const char*>>{{"POST", "/dbs"},
                                                                                     {"DELETE", "/dbs/db"},
                                                                                     {"POST", "/dbs/db/colls"},
                                                                                     {"PUT", "/dbs/db/colls/c"},
                                                                                     {"POST", "/dbs/db/colls/c/docs"},
                                                                                     {"PUT", "/dbs/db/colls/c/docs/1"},
                                                                                     {"DELETE", "/dbs/db/colls/c/docs/1"}}) {
    EXPECT_EQ(send_signed(method, path, {}, R"({"id":"x","pk":"p"})", kReadOnlyKey).status, 403) << method << " " << path;
  }
  EXPECT_EQ(account_.catalog->databases().size(), 1u);
}

// A write that claims to be a query is still no write.
TEST_F(ServiceTest, AReadOnlyKeyCannotWriteByPretendingToQuery) {
  account_.make_container("c", {"/pk"});
  send_signed("POST", "/dbs", {{"x-ms-documentdb-isquery", "true"}}, R"({"id":"new"})", kReadOnlyKey);
  EXPECT_EQ(send_signed("GET", "/dbs/new").status, 404);
  send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-isquery", "true"}, {"x-ms-documentdb-is-upsert", "true"}},
              R"({"id":"1","pk":"p"})", kReadOnlyKey);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs/1", {{"x-ms-documentdb-partitionkey", R"(["p"])"}}).status, 404);
}

TEST_F(ServiceTest, AnswersPagesThatAreNamed) {
  ServiceParts parts = served_.parts();
  parts.origins = OriginPolicy({"https://example.org", "http://localhost:3000"});
  Service named(std::move(parts));
  served_.serve_through(named);
  const Answer preflight = send("OPTIONS", "/dbs",
                                {{"origin", "https://example.org"},
                                 {"access-control-request-headers", "authorization,x-ms-date"},
                                 {"access-control-request-private-network", "true"}});
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "https://example.org");
  EXPECT_EQ(preflight.headers.at("access-control-allow-headers"), "authorization,x-ms-date");
  EXPECT_EQ(preflight.headers.at("access-control-allow-private-network"), "true");
  EXPECT_EQ(preflight.headers.at("vary"), "Origin");
  EXPECT_THAT(preflight.headers.at("access-control-allow-methods"), HasSubstr("PATCH"));
  const Answer refused = send("GET", "/dbs", {{"origin", "http://localhost:3000"}});
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.headers.at("access-control-allow-origin"), "http://localhost:3000");
  EXPECT_THAT(refused.headers.at("access-control-expose-headers"), HasSubstr("x-ms-session-token"));
  EXPECT_FALSE(send_signed("GET", "/dbs").headers.contains("access-control-allow-origin"));
}

TEST_F(ServiceTest, LetsNoOtherPageRead) {
  for (const char* origin : {"https://example.org", "null", "http://localhost:8081"}) {
    const Answer preflight = send("OPTIONS", "/dbs", {{"origin", origin}, {"access-control-request-method", "GET"}});
    EXPECT_EQ(preflight.status, 401);
    EXPECT_FALSE(preflight.headers.contains("access-control-allow-origin"));
    EXPECT_FALSE(send_signed("GET", "/dbs", {{"origin", origin}}).headers.contains("access-control-allow-origin"));
  }
  EXPECT_TRUE(OriginPolicy({"*"}).names("null"));
  EXPECT_FALSE(OriginPolicy({"https://a.example.org"}).names("https://b.a.example.org"));
}

}  // namespace partita::cosmos
