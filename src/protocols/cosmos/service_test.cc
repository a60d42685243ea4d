#include "protocols/cosmos/service.h"

#include "base/encodings.h"
#include "base/fair_scheduler.h"
#include "base/golden_file.h"
#include "cluster/index_builder.h"
#include "cluster/reshaper.h"
#include "cluster/test_account.h"
#include "document/json.h"
#include "protocols/cosmos/codec/http_date.h"
#include "protocols/cosmos/resource_token.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

namespace partita::cosmos {
namespace {

using testing::HasSubstr;

constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
constexpr std::string_view kReadOnlyKey = "cmVhZCBvbmx5";
constexpr std::string_view kNow = "Tue, 14 Nov 2023 22:13:20 GMT";

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// An account without sockets: requests in, answers out.
class ServiceTest : public testing::Test {
 protected:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // Signs as a client does, with the first spelling.
  static std::string signed_by(std::string_view key, std::string_view method, std::string_view path) {
    const Result<ResourcePath> parsed = ResourcePath::parse(path, "");
    EXPECT_TRUE(parsed) << path;
    const auth::SignedRequest request{.verb = method, .client_date = kNow, .date = {}};
    return auth::master_token(*auth::sign(key, request, parsed->signed_resources().front()));
  }

  Answer send(std::string_view method, std::string_view path, Headers headers = {}, std::string_view body = {}) {
    headers.emplace_back("x-ms-activity-id", "activity");
    return send_as_is(method, path, headers, body);
  }
  Answer send_signed(std::string_view method, std::string_view path, Headers headers = {}, std::string_view body = {},
                     std::string_view key = kKey) {
    headers.emplace_back("authorization", signed_by(key, method, path));
    headers.emplace_back("x-ms-date", kNow);
    return send(method, path, std::move(headers), body);
  }
  Answer send_as_is(std::string_view method, std::string_view path, const Headers& headers, std::string_view body) {
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    net::HttpResponse response;
    std::promise<void> is_done;
    served_by_->handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return {response.status, parse(response.header_block()), response.body};
  }
  static std::map<std::string, std::string> parse(std::string_view block) {
    std::map<std::string, std::string> headers;
    while (!block.empty()) {
      const size_t end = block.find("\r\n");
      const std::string_view line = block.substr(0, end);
      std::string name(line.substr(0, line.find(':')));
      std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      EXPECT_TRUE(headers.emplace(name, line.substr(line.find(':') + 2)).second) << "twice: " << line;
      block.remove_prefix(end + 2);
    }
    return headers;
  }

  // The token of a permission, read with the account's key.
  std::string token_of(const std::string& permission) {
    const Answer answer = send_signed("GET", permission);
    constexpr std::string_view kMember = R"("_token":")";
    const size_t begin = answer.body.find(kMember) + kMember.size();
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body.substr(begin, answer.body.find('"', begin) - begin);
  }

  // `header name: value` lines and `METHOD path [body]`. `use permission's path` goes on with its token, `use key` with the key
  // again, `use token` with the last token.
  std::string run(const std::vector<std::string>& input) {
    std::string out;
    std::string token;
    bool has_token = false;
    Headers headers;
    for (const std::string& line : input) {
      if (line.starts_with("use ")) {
        has_token = line != "use key";
        if (has_token && line != "use token") token = token_of(line.substr(4));
        continue;
      }
      if (line.starts_with("header ")) {
        const size_t colon = line.find(": ");
        headers.emplace_back(line.substr(7, colon - 7), line.substr(colon + 2));
        continue;
      }
      const size_t path_at = line.find(' ') + 1;
      const size_t body_at = std::min(line.find(' ', path_at), line.size());
      const std::string body = body_at == line.size() ? "" : line.substr(body_at + 1);
      const std::string method = line.substr(0, path_at - 1);
      const std::string path = line.substr(path_at, body_at - path_at);
      Headers with_token = headers;
      with_token.emplace_back("authorization", percent_encode(token));
      const Answer answer = has_token ? send(method, path, with_token, body) : send_signed(method, path, headers, body);
      out += fmt::format("{}\n", answer.status);
      for (const char* name : {"x-ms-substatus", "etag", "x-ms-item-count", "x-ms-continuation", "x-ms-session-token"}) {
        if (answer.headers.contains(name)) out += fmt::format("{}: {}\n", name, answer.headers.at(name));
      }
      if (!answer.body.empty()) out += answer.body + "\n";
    }
    return out;
  }

  TestAccount account_;
  Items items_{account_.clock, account_.etags, account_.random};
  auth::MasterKeyVerifier keys_ = auth::MasterKeyVerifier::create({.primary = std::string(kKey),
                                                                   .secondary = {},
                                                                   .primary_read_only = std::string(kReadOnlyKey),
                                                                   .secondary_read_only = {}},
                                                                  account_.clock)
                                      .value();
  script::ScriptEngine script_engine_{SCRIPT_HOST, {}, 1};
  ScriptRunner scripts_{items_, *account_.catalog, script_engine_, workers_};
  Service service_{{*account_.catalog, items_, keys_, account_.clock, account_.random, workers_, scripts_}};
  Service* served_by_ = &service_;
  // Last, so that it ends first: its jobs use all of the above.
  FairScheduler workers_{
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock};
};

}  // namespace

TEST_F(ServiceTest, AnswersAsClientsExpect) {
  run_golden_file(TEST_DATA_DIR "/service.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, ServesScripts) {
  run_golden_file(TEST_DATA_DIR "/scripts.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, PatchesDocuments) {
  run_golden_file(TEST_DATA_DIR "/patch.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, RunsOperationsTogether) {
  run_golden_file(TEST_DATA_DIR "/batch.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, KeepsAttachments) {
  run_golden_file(TEST_DATA_DIR "/attachments.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, TellsWhatHasChanged) {
  run_golden_file(TEST_DATA_DIR "/changes.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

TEST_F(ServiceTest, LetsUsersDoWhatTheyMay) {
  run_golden_file(TEST_DATA_DIR "/access.txt", [&](const std::vector<std::string>& input) { return run(input); });
}

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
  const ChildPtr user =
      *account_.catalog->child({.database = database, .type = ChildType::kUser, .user = 0}, {.id = "u", .number = std::nullopt});
  const ChildPlace place{.database = database, .type = ChildType::kPermission, .user = user->number};
  int count = 0;
  for (const char* key : {R"("A")", "123", "{}", "[]", R"([["A"]])", R"(["A","B"])", "null"}) {
    ChildDefinition definition;
    definition.id = fmt::format("p{}", ++count);
    definition.properties = *stored_from_json(
        fmt::format(R"({{"permissionMode":"All","resource":"dbs/db/colls/c","resourcePartitionKey":{}}})", key));
    const ChildWritten written = *account_.catalog->write_child(place, std::move(definition), false);
    const std::string token = make_resource_token(keys_, written.child->number, account_.clock.unix_seconds() + 100);
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
  Service named({*account_.catalog, items_, keys_, account_.clock, account_.random, workers_, scripts_,
                 ConsistencyLevel::kSession, "", OriginPolicy({"https://example.org", "http://localhost:3000"})});
  served_by_ = &named;
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

TEST_F(ServiceTest, AShortQueryWaitsForNoWorker) {
  send_signed("POST", "/dbs", {}, R"({"id":"db"})");
  send_signed("POST", "/dbs/db/colls", {}, R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})");
  std::promise<void> others_are_done;
  // It may begin when the test is over already.
  workers_.submit({.tenant = kAccountTenant,
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

TEST_F(ServiceTest, AStrongerConsistencyThanTheAccountsIsRefused) {
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "Strong"}}).status, 400);
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "BoundedStaleness"}}).status, 400);
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "nonsense"}}).status, 400);
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "session"}}).status, 200);
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "Eventual"}}).status, 200);
}

// Partitions that are split and merged under clients who do not know.
class MovedRangesTest : public ServiceTest {
 protected:
  static constexpr int kDocuments = 60;

  MovedRangesTest() {
    account_.make_container("c", {"/pk"});
    for (int n = 0; n < kDocuments; ++n) {
      const std::string pk = fmt::format("key {}", n % 20);
      EXPECT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", pk)}},
                            fmt::format(R"({{"id":"{:02}","pk":"{}","n":{}}})", n, pk, n * 37 % kDocuments))
                    .status,
                201);
    }
  }

  Answer read_page(std::string_view range_id, std::string_view continuation, const Headers& more = {}) {
    Headers headers{{"x-ms-documentdb-isquery", "true"},
                    {"content-type", "application/query+json"},
                    {"x-ms-documentdb-query-enablecrosspartition", "true"},
                    {"x-ms-max-item-count", "3"},
                    {"x-ms-documentdb-partitionkeyrangeid", std::string(range_id)}};
    if (!continuation.empty()) headers.emplace_back("x-ms-continuation", continuation);
    headers.insert(headers.end(), more.begin(), more.end());
    return send_signed("POST", "/dbs/db/colls/c/docs", headers, R"({"query":"SELECT VALUE c.id FROM c ORDER BY c.n"})");
  }
  // Adds what the page has to what was read; the continuation, which is empty at the end.
  std::string read(std::string_view range_id, std::string_view continuation = {}, const Headers& more = {}) {
    const Answer answer = read_page(range_id, continuation, more);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (size_t at = answer.body.find("[\"") + 1; at < answer.body.find(']'); at += 5) read_.push_back(answer.body.substr(at, 4));
    return answer.headers.contains("x-ms-continuation") ? answer.headers.at("x-ms-continuation") : "";
  }
  void read_rest(std::string_view range_id, std::string continuation) {
    while (!continuation.empty()) continuation = read(range_id, continuation);
  }
  void expect_all_read_once() {
    std::ranges::sort(read_);
    std::vector<std::string> all;
    for (int n = 0; n < kDocuments; ++n) all.push_back(fmt::format("\"{:02}\"", n));
    EXPECT_EQ(read_, all);
  }

  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  std::vector<std::string> read_;
};

// Clients go on, in every partition that overlaps one that is gone, with the continuation they have from it. After a merge and a
// split elsewhere such a partition may have documents that the continuation was never about.
TEST_F(MovedRangesTest, AContinuationStaysWithinWhatItBegan) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const std::string left = read("1");
  const std::string right = read("2");
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x10"));
  read_rest("4", left);
  read_rest("5", left);
  read_rest("5", right);
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AContinuationIsGoodForARangeThatIsGone) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const std::string left = read("1");
  const std::string right = read("2");
  ASSERT_TRUE(reshaper_.split("db", "c", "1", "\x10"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "4"));
  read_rest("1", left);
  read_rest("2", right);
  expect_all_read_once();
}

// A client has replaced a range by its halves, each with the continuation of the whole, and the halves are gone, too.
TEST_F(MovedRangesTest, AContinuationIsAboutNoMoreThanTheRangeThatIsGone) {
  const std::string whole = read("0");
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  read_rest("1", whole);
  read_rest("2", whole);
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AChangeFeedGoesOnInARangeThatIsGone) {
  const auto changes = [this](std::string position) {
    Headers headers{{"a-im", "Incremental feed"}, {"x-ms-documentdb-partitionkeyrangeid", "0"}, {"x-ms-max-item-count", "100"}};
    if (!position.empty()) headers.emplace_back("if-none-match", std::move(position));
    return send_signed("GET", "/dbs/db/colls/c/docs", std::move(headers));
  };
  const Answer all = changes("");
  EXPECT_EQ(all.headers.at("x-ms-item-count"), "60");
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const Answer nothing = changes(all.headers.at("etag"));
  EXPECT_EQ(nothing.status, 304);
  for (const char* pk : {"key 1", "key 2", "key 3"}) {
    const std::string body = fmt::format(R"({{"id":"new","pk":"{}"}})", pk);
    send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", pk)}}, body);
  }
  EXPECT_EQ(changes(nothing.headers.at("etag")).headers.at("x-ms-item-count"), "3");
  EXPECT_EQ(changes("").headers.at("x-ms-item-count"), "63");
}

TEST_F(MovedRangesTest, ARangeThatWasSplitIsGone) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const Answer answer = read_page("0", "");
  EXPECT_EQ(answer.status, 410);
  EXPECT_EQ(answer.headers.at("x-ms-substatus"), "1002");
  EXPECT_EQ(read_page("9", "").status, 410);
}

// A client that looked for the partitions which overlap the ones it knows would read some of them twice.
TEST_F(MovedRangesTest, ARangeThatWasMergedIsStillServed) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  read_rest("1", read("1"));
  read_rest("2", read("2"));
  expect_all_read_once();
}

// The partitions have the old edges now, but may have others when the client looks.
TEST_F(MovedRangesTest, ARangeThatWasMergedIsStillServedWhenItsEdgesAreBack) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x20"));
  read_rest("1", read("1"));
  read_rest("2", read("2"));
  expect_all_read_once();
}

// The Java SDK has known the halves of a partition and knows that they were merged, but not yet that they were split again
// elsewhere. Sent away, it would read the new halves as a whole, beside the old one.
TEST_F(MovedRangesTest, ARangeThatIsGoneIsServedToWhoeverSaysWhichHashes) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x10"));
  const Headers left{{"x-ms-start-epk", ""}, {"x-ms-end-epk", "20"}};
  const Headers right{{"x-ms-start-epk", "20"}, {"x-ms-end-epk", "FF"}};
  read_rest("3", read("3", {}, left));
  read_rest("3", read("3", {}, right));
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AClosedContainerSaysSo) {
  const Headers key{{"x-ms-documentdb-partitionkey", R"(["key 1"])"}};
  const auto& lineage = account_.catalog->container("db", "c").value()->lineage;
  lineage->set_mode(ContainerMode::kReadOnly);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs/01", key).status, 200);
  EXPECT_EQ(send_signed("DELETE", "/dbs/db/colls/c/docs/01", key).status, 403);
  lineage->set_mode(ContainerMode::kOffline);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs/01", key).status, 503);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/pkranges").status, 200);
}

TEST_F(MovedRangesTest, AnEmptyRangeHasNoDocuments) {
  const Headers headers{{"x-ms-documentdb-isquery", "true"},
                        {"content-type", "application/query+json"},
                        {"x-ms-documentdb-query-enablecrosspartition", "true"},
                        {"x-ms-start-epk", "FF"},
                        {"x-ms-end-epk", "FFFF"}};
  const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs", headers, R"({"query":"SELECT * FROM c"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("x-ms-item-count"), "0");
}

TEST_F(ServiceTest, TellsClientsToGoOnWhereTheyCameFromOrWhereItIsTold) {
  EXPECT_THAT(send_signed("GET", "/", {{"host", "here:1"}}).body, HasSubstr(R"("databaseAccountEndpoint":"http://here:1/")"));
  Service proxied{{*account_.catalog, items_, keys_, account_.clock, account_.random, workers_, scripts_,
                   ConsistencyLevel::kSession, "https://there/"}};
  served_by_ = &proxied;
  EXPECT_THAT(send_signed("GET", "/", {{"host", "here:1"}}).body, HasSubstr(R"("databaseAccountEndpoint":"https://there/")"));
}

TEST_F(ServiceTest, AStrongAccountChargesReadsTwice) {
  Service strong{{*account_.catalog, items_, keys_, account_.clock, account_.random, workers_, scripts_,
                  ConsistencyLevel::kBoundedStaleness}};
  account_.make_container("c", {"/pk"});
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, R"({"id":"1","pk":"p"})").status, 201);
  const auto charge = [&](Service& service, std::string_view level) {
    Headers headers = {{"x-ms-documentdb-partitionkey", R"(["p"])"}};
    if (!level.empty()) headers.emplace_back("x-ms-consistency-level", level);
    served_by_ = &service;
    return send_signed("GET", "/dbs/db/colls/c/docs/1", headers).headers.at("x-ms-request-charge");
  };
  EXPECT_EQ(charge(service_, ""), "1");
  EXPECT_EQ(charge(strong, ""), "2");
  EXPECT_EQ(charge(strong, "BoundedStaleness"), "2");
  EXPECT_EQ(charge(strong, "Session"), "1");
  EXPECT_THAT(send_signed("GET", "/").body, HasSubstr(R"("defaultConsistencyLevel":"BoundedStaleness")"));
  EXPECT_EQ(send_signed("GET", "/dbs", {{"x-ms-consistency-level", "Strong"}}).status, 400);
}

TEST_F(ServiceTest, AnOverdrawnPartitionIsThrottled) {
  const std::shared_ptr<const Container> container = account_.make_container("c", {"/pk"});
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {}, R"({"id":"1","pk":"p"})").status, 201);
  Meter& meter = container->places[0].partition->meter();
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
  workers_.submit({.tenant = kAccountTenant, .run = [&](Turn&) { added_up.set_value(); }, .refuse = [](const Error&) {}});
  added_up.get_future().wait();
  EXPECT_EQ(send_signed("GET", "/").headers.at("x-ms-databaseaccount-consumed-mb"), "1");
  const Answer container = send_signed("GET", "/dbs/db/colls/c", {{"x-ms-documentdb-populatequotainfo", "true"}});
  EXPECT_THAT(container.headers.at("x-ms-resource-usage"), HasSubstr("documentsSize=1465;documentsCount=1;collectionSize=1465;"));
  EXPECT_THAT(send_signed("GET", "/offers").body, HasSubstr(R"("maxConsumedStorageEverInKB":1465)"));
}

}  // namespace partita::cosmos
