#include "base/encodings.h"
#include "document/json/json.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/errors.h"
#include "protocols/cosmos/fuzz/answer_check.h"
#include "protocols/cosmos/fuzz/fuzzed_account.h"
#include "protocols/cosmos/fuzz/request_mutator.h"
#include "protocols/cosmos/fuzz/request_seeds.h"
#include "protocols/cosmos/in_process_account.h"
#include "protocols/cosmos/router.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <tuple>

// What the fuzzer's library has for bytes without a structure; here it changes one.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  if (size == max_size || size == 0) return size;
  data[size / 2] = static_cast<uint8_t>(data[size / 2] * 7 + size);
  return size;
}

// Texts that no client of ours would send, through the whole way from a request to its answer.
namespace partita::cosmos {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HostileInputTest : public testing::Test {
 protected:
  using Headers = InProcessAccount::Headers;
  using Answer = InProcessAccount::Answer;

  void SetUp() override {
    ASSERT_EQ(account_.send("POST", "/dbs", {}, R"({"id":"db"})").status, 201);
    // So much that it has several partitions.
    ASSERT_EQ(account_
                  .send("POST", "/dbs/db/colls", {{"x-ms-offer-throughput", "35000"}},
                        R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})")
                  .status,
              201);
    for (int i = 0; i < 20; ++i) {
      const std::string body = fmt::format(R"({{"id":"d{0}","pk":"k{0}","n":{0}}})", i);
      ASSERT_EQ(create(body, fmt::format(R"(["k{}"])", i)).status, 201);
    }
  }

  Answer create(std::string_view body, std::string_view key) {
    return account_.send("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", std::string(key)}}, body);
  }
  Answer query(std::string_view text, Headers headers = {}) {
    headers.emplace_back("x-ms-documentdb-isquery", "True");
    headers.emplace_back("content-type", "application/query+json");
    headers.emplace_back("x-ms-documentdb-query-enablecrosspartition", "True");
    std::string body = R"({"query":)";
    append_json_string(body, text);
    return account_.send("POST", "/dbs/db/colls/c/docs", headers, body + "}");
  }
  Answer read_feed(Headers headers) {
    return account_.send("GET", "/dbs/db/colls/c/docs", headers, {}, InProcessAccount::kReadOnlyKey);
  }

  static void expect_refusal(const Answer& answer, int status = 400) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_TRUE(stored_from_json(answer.body)) << answer.body;
    EXPECT_LT(answer.body.size(), 2 * kErrorMessageBytesMax);
  }

  InProcessAccount account_{SCRIPT_HOST};
};

std::string with(std::string text, std::string_view part, std::string_view other) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? text : text.replace(at, part.size(), other);
}

}  // namespace

// One request of a reader ended the process: the changed range made the feed read partitions that it was not charged for.
TEST_F(HostileInputTest, AFeedsContinuationWithAChangedRangeIsRefused) {
  const std::string token = read_feed({{"x-ms-max-item-count", "1"}}).header("x-ms-continuation");
  const std::string range = token.substr(token.find(R"("range":)"));
  for (const char* changed : {R"("range":{"min":"FF","max":"15"}})", R"("range":{"min":"30","max":"10"}})",
                              R"("range":{"min":"FF","max":"FFFF"}})", R"("range":{"min":"15"}})", R"("range":[]})"}) {
    expect_refusal(read_feed({{"x-ms-continuation", with(token, range, changed)}}));
  }
  EXPECT_EQ(read_feed({{"x-ms-continuation", token}}).status, 200);
}

TEST_F(HostileInputTest, AQuerysContinuationWithAChangedRangeIsRefused) {
  const std::string text = "SELECT * FROM c";
  const std::string token = query(text, {{"x-ms-max-item-count", "1"}}).header("x-ms-continuation");
  const std::string range = token.substr(token.find(R"("range":)"));
  for (const char* changed : {R"("range":{"min":"FF","max":"15"}})", R"("range":{"min":"30","max":"10"}})"}) {
    expect_refusal(query(text, {{"x-ms-continuation", with(token, range, changed)}}));
  }
  EXPECT_EQ(query(text, {{"x-ms-continuation", token}}).status, 200);
}

// Whatever a token says, it only chooses a place among what the request may read.
TEST_F(HostileInputTest, AForgedContinuationReadsNothingOfAnotherKey) {
  const std::string token = read_feed({{"x-ms-max-item-count", "1"}}).header("x-ms-continuation");
  const std::string range = token.substr(token.find(R"("range":)"));
  for (const char* changed : {R"("range":{"min":"","max":"FF"}})", R"("range":{"min":"","max":""}})",
                              R"("range":{"min":"","max":"FF"},"scope":{"min":"","max":"FF"}})"}) {
    const Answer page =
        read_feed({{"x-ms-continuation", with(token, range, changed)}, {"x-ms-documentdb-partitionkey", R"(["k7"])"}});
    EXPECT_EQ(page.status, 200);
    for (int i = 0; i < 20; ++i) {
      if (i != 7) EXPECT_THAT(page.body, Not(HasSubstr(fmt::format(R"("id":"d{}")", i))));
    }
  }
}

TEST_F(HostileInputTest, HashesThatThereAreNotHaveNoDocuments) {
  for (const auto& [start, end] :
       std::vector<std::pair<std::string, std::string>>{{"FF", "FF"}, {"FFFF", "FFFFFF"}, {"30", "10"}, {"FF", ""}, {"", ""}}) {
    const Headers hashes = {
        {"x-ms-start-epk", start}, {"x-ms-end-epk", end}, {"x-ms-read-key-type", "EffectivePartitionKeyRange"}};
    EXPECT_THAT(read_feed(hashes).body, HasSubstr(R"("_count":0)")) << start << '-' << end;
    EXPECT_THAT(query("SELECT * FROM c", hashes).body, HasSubstr(R"("_count":0)")) << start << '-' << end;
    Headers changes = hashes;
    changes.emplace_back("a-im", "Incremental feed");
    EXPECT_EQ(read_feed(changes).status, 304) << start << '-' << end;
  }
}

// The LSN behind the greatest number is 0, so that the feed began anew with every page.
TEST_F(HostileInputTest, APositionBehindAllChangesStaysThere) {
  const auto changes = [&](std::string_view etag) {
    return read_feed({{"a-im", "Incremental feed"}, {"if-none-match", std::string(etag)}});
  };
  expect_refusal(changes(R"("18446744073709551615")"));
  expect_refusal(changes(R"("0:9223372036854775808")"));
  expect_refusal(changes(R"("0:1,0:2")"));
  expect_refusal(changes(R"("x:1")"));
  EXPECT_EQ(changes(R"("9223372036854775807")").status, 304);
  EXPECT_EQ(changes(R"("0:0,1:0")").status, 200);
}

TEST_F(HostileInputTest, ErrorsAreUtf8WhateverTheyQuote) {
  const std::string bytes = "\xFF\xC0\xAF\xED\xA0\x80\xF5\xED";
  for (const char* name : {"x-ms-continuation", "x-ms-documentdb-partitionkey", "x-ms-documentdb-partitionkeyrangeid",
                           "x-ms-start-epk", "x-ms-max-item-count", "x-ms-consistency-level", "a-im", "if-modified-since",
                           "x-ms-session-token", "x-ms-cosmos-intended-collection-rid", "x-ms-indexing-directive"}) {
    const Answer answer = read_feed({{name, bytes}});
    EXPECT_EQ(well_formed_utf8_bytes(answer.body, Surrogates::kRejected), answer.body.size()) << name;
    EXPECT_TRUE(stored_from_json(answer.body)) << name << answer.body;
  }
  for (const std::string& path :
       std::vector<std::string>{"/dbs/" + bytes, "/" + bytes, "/dbs/db/colls/" + bytes + "/docs", "/dbs/%FF%C0",
                                "/dbs/db/colls/c/docs/%ED%A0", "/dbs/db/colls/c/pkranges/%FF"}) {
    const Answer answer = account_.send("GET", path, {{"host", bytes}, {"x-ms-activity-id", bytes}});
    expect_refusal(answer, answer.status);
    EXPECT_EQ(well_formed_utf8_bytes(answer.body, Surrogates::kRejected), answer.body.size()) << path;
    for (const char c : answer.header_block) EXPECT_TRUE((c >= ' ' && c < 0x7F) || c == '\r' || c == '\n') << path;
  }
}

TEST_F(HostileInputTest, TheAccountIsUtf8WhateverItsHostIsCalled) {
  const Answer answer = account_.send("GET", "/", {{"host", "1\xE4:-1"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(well_formed_utf8_bytes(answer.body, Surrogates::kRejected), answer.body.size());
}

TEST_F(HostileInputTest, ErrorsAreShortWhateverTheyQuote) {
  const std::string text(40'000, 'x');
  expect_refusal(read_feed({{"x-ms-continuation", text}}));
  expect_refusal(read_feed({{"x-ms-max-item-count", text}}));
  expect_refusal(read_feed({{"x-ms-start-epk", text}}));
  expect_refusal(query("SELECT * FROM c WHERE " + text));
  expect_refusal(query("SELECT \"" + text));
  expect_refusal(create(fmt::format(R"({{"id":"{}","pk":"k"}})", text), R"(["k"])"));
}

TEST_F(HostileInputTest, ADocumentIsNotAmbiguousAboutItsPlace) {
  expect_refusal(create(R"({"id":"a","pk":"k","id":"b"})", R"(["k"])"));
  expect_refusal(create(R"({"id":"a","pk":"k","pk":"k2"})", R"(["k"])"));
  expect_refusal(create(R"({"id":"a","pk":"k","pk":"k2"})", R"(["k2"])"));
  expect_refusal(create(R"({"id":"a","pk":"k","pk":"k"})", R"(["k"])"));
  const Answer batch = account_.send("POST", "/dbs/db/colls/c/docs",
                                     {{"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-documentdb-partitionkey", R"(["k"])"}},
                                     R"([{"operationType":"Create","resourceBody":{"id":"a","pk":"k","pk":"k"}}])");
  EXPECT_THAT(batch.body, HasSubstr(R"("statusCode":400)"));
}

// What was checked was the last member of a name, what was read were all of them: one such request ended the process.
TEST_F(HostileInputTest, AContainerIsNotAmbiguousAboutItsDefinition) {
  const std::string key = R"("partitionKey":{"paths":["/pk"],"kind":"Hash"})";
  const std::string computed = R"("computedProperties":[{"name":"pk","query":"SELECT VALUE c.a FROM c"}])";
  const std::string policy = R"("uniqueKeyPolicy":{"uniqueKeys":[]})";
  for (const std::string& members :
       {R"("computedProperties":5,)" + computed, R"("computedProperties":[5],)" + computed,
        R"("computedProperties":[{"name":5}],)" + computed,
        R"("computedProperties":[5],"computedProperties":null)" + std::string(), R"("uniqueKeyPolicy":5,)" + policy,
        R"("uniqueKeyPolicy":5,"uniqueKeyPolicy":null)" + std::string(),
        R"("indexingPolicy":{"includedPaths":5,"includedPaths":[{"path":"/*"}]})" + std::string(),
        R"("vectorEmbeddingPolicy":5,"vectorEmbeddingPolicy":null)" + std::string(), key, R"("id":"e")" + std::string()}) {
    const std::string body = fmt::format(R"({{"id":"d",{},{}}})", key, members);
    expect_refusal(account_.send("POST", "/dbs/db/colls", {}, body));
    expect_refusal(account_.send("PUT", "/dbs/db/colls/c", {}, with(body, R"("id":"d")", R"("id":"c")")));
  }
}

TEST_F(HostileInputTest, NoDefinitionRepeatsAMember) {
  const auto made = [&](std::string_view target, std::string_view body) {
    const Answer answer = account_.send("POST", target, {}, body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer;
  };
  const std::string permission = R"("permissionMode":"All","resource":"dbs/db/colls/c")";
  const std::string wrapped = R"("encryptionAlgorithm":"AEAD_AES_256_CBC_HMAC_SHA256","wrappedDataEncryptionKey":"AAAA",)"
                              R"("keyWrapMetadata":{"type":"t","name":"n","value":"v","algorithm":"RSA-OAEP")";
  made("/dbs/db/users", R"({"id":"u"})");
  made("/dbs/db/users/u/permissions", fmt::format(R"({{"id":"p",{}}})", permission));
  made("/dbs/db/clientencryptionkeys", fmt::format(R"({{"id":"e",{}}}}})", wrapped));
  made("/dbs/db/colls/c/triggers", R"({"id":"t","triggerType":"Pre","triggerOperation":"All","body":"x"})");
  for (const auto& [target, name, body] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"/dbs", "", R"({"id":"x","id":"y"})"},
           {"/dbs/db/users", "u", R"({"id":"u","o":[{"a":1,"a":2}]})"},
           {"/dbs/db/users/u/permissions", "p", fmt::format(R"({{"id":"p",{},"permissionMode":"Read"}})", permission)},
           {"/dbs/db/clientencryptionkeys", "e", fmt::format(R"({{"id":"e",{},"type":"t"}}}})", wrapped)},
           {"/dbs/db/colls/c/sprocs", "", R"({"id":"s","body":5,"body":"x"})"},
           {"/dbs/db/colls/c/udfs", "", R"({"id":"s","body":"x","body":"y"})"},
           {"/dbs/db/colls/c/triggers", "t",
            R"({"id":"t","triggerType":"Pre","triggerType":"Post","triggerOperation":"All","body":"x"})"}}) {
    expect_refusal(account_.send("POST", target, {}, body));
    expect_refusal(account_.send("POST", target, {{"x-ms-documentdb-is-upsert", "True"}}, body));
    if (!name.empty()) expect_refusal(account_.send("PUT", target + "/" + name, {}, body));
  }
  expect_refusal(account_.send("POST", "/dbs/db/colls/c/docs/d1/attachments", {{"x-ms-documentdb-partitionkey", R"(["k1"])"}},
                               R"({"id":"a","contentType":5,"contentType":"text/plain","media":"http://localhost/x"})"));
  const std::string autoscale = R"({"maxThroughput":4000,"maxThroughput":5000})";
  expect_refusal(account_.send("POST", "/dbs", {{"x-ms-cosmos-offer-autopilot-settings", autoscale}}, R"({"id":"x"})"));
  const Answer offers = account_.send("GET", "/offers");
  const Result<std::string> stored = stored_from_json(offers.body);
  ASSERT_TRUE(stored) << offers.body;
  const Value offer = Value::view(*stored).find("Offers").element(0);
  const std::string twice = with(to_json(offer), R"("content":)", R"("content":5,"content":)");
  expect_refusal(account_.send("PUT", fmt::format("/offers/{}", offer.find("_rid").string()), {}, twice));
}

TEST_F(HostileInputTest, OfRepeatedPropertiesTheLastOneCounts) {
  ASSERT_EQ(create(R"({"id":"a","pk":"k","x":1,"o":{"y":1,"y":2},"x":2})", R"(["k"])").status, 201);
  const auto count = [&](std::string_view filter) {
    return query(fmt::format("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'k' AND {}", filter)).body;
  };
  EXPECT_THAT(count("c.x = 2"), HasSubstr("[1]"));
  EXPECT_THAT(count("c.x = 1"), HasSubstr("[0]"));
  EXPECT_THAT(count("c.x < 2"), HasSubstr("[0]"));
  EXPECT_THAT(count("c.o.y = 2"), HasSubstr("[1]"));
  EXPECT_THAT(count("c.o = {'y': 2}"), HasSubstr("[1]"));
  EXPECT_THAT(count("ARRAY_LENGTH(ObjectToArray(c.o)) = 1"), HasSubstr("[1]"));
  EXPECT_THAT(count("ARRAY_CONTAINS([{'y': 2, 'z': 3}], c.o, true)"), HasSubstr("[1]"));
  const Headers key = {{"x-ms-documentdb-partitionkey", R"(["k"])"}};
  EXPECT_THAT(account_.send("GET", "/dbs/db/colls/c/docs/a", key).body, HasSubstr(R"("x":1,"o":{"y":1,"y":2},"x":2)"));
  Headers patch = key;
  patch.emplace_back("content-type", "application/json_patch+json");
  const Answer patched =
      account_.send("PATCH", "/dbs/db/colls/c/docs/a", patch, R"({"operations":[{"op":"incr","path":"/x","value":1}]})");
  EXPECT_THAT(patched.body, AllOf(HasSubstr(R"("x":3)"), Not(HasSubstr(R"("x":1)")))) << patched.body;
  EXPECT_THAT(count("c.x = 3"), HasSubstr("[1]"));
}

TEST_F(HostileInputTest, NumbersOfAnySizeAreReadOrRefused) {
  expect_refusal(create(R"({"id":"a","pk":"k","n":1e999})", R"(["k"])"));
  expect_refusal(create(R"({"id":"a","pk":1e999})", R"([1e999])"));
  EXPECT_EQ(create(R"({"id":"a","pk":-0})", R"([0])").status, 201);
  EXPECT_EQ(create(R"({"id":"a","pk":-0})", R"([-0.0])").status, 409);
  EXPECT_EQ(create(R"({"id":"b","pk":9007199254740993})", R"([9007199254740993])").status, 201);
  for (const char* number :
       {"0", "-2", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e3", "0x10", " 1"}) {
    EXPECT_THAT(read_feed({{"x-ms-max-item-count", number}}).status, testing::AnyOf(200, 400)) << number;
  }
  for (const char* number : {"0", "-1", "9223372036854775807", "9223372036854775808", "1e9", "99999999999999999999"}) {
    const Answer made = account_.send("POST", "/dbs/db/colls", {{"x-ms-offer-throughput", number}},
                                      R"({"id":"t","partitionKey":{"paths":["/pk"]}})");
    EXPECT_THAT(made.status, testing::AnyOf(400, 403)) << number << made.body;
  }
  for (const char* seconds : {"0", "-2", "1.5", "2147483648", "9223372036854775807", "1e300", "\"1\"", "null"}) {
    const Answer made = create(fmt::format(R"({{"id":"ttl","pk":"k","ttl":{}}})", seconds), R"(["k"])");
    EXPECT_THAT(made.status, testing::AnyOf(201, 400, 409)) << seconds << made.body;
  }
}

TEST_F(HostileInputTest, NestingIsLimitedEverywhere) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(create(fmt::format(R"({{"id":"deep","pk":"k","n":{}}})", nested(kNestingMax - 1)), R"(["k"])").status, 201);
  EXPECT_EQ(query("SELECT * FROM c WHERE c.id = 'deep'").status, 200);
  const std::string deeper = nested(10'000);
  expect_refusal(create(fmt::format(R"({{"id":"a","pk":"k","n":{}}})", deeper), R"(["k"])"));
  expect_refusal(create(R"({"id":"a","pk":"k"})", deeper));
  expect_refusal(read_feed({{"x-ms-continuation", deeper}}));
  expect_refusal(query("SELECT VALUE " + deeper + " FROM c"));
  // What is read from left to right may be longer than what is inside of each other.
  const auto repeated = [](std::string_view text) {
    std::string all;
    for (int i = 0; i < 20'000; ++i) all += text;
    return all;
  };
  for (const std::string& expression :
       {repeated("(") + "1" + repeated(")"), repeated("- ") + "1", repeated("NOT ") + "true", repeated("1+") + "1",
        repeated("1 ?? ") + "1", repeated("true ? 1 : ") + "1", "c" + repeated("[c.a") + repeated("]"), "c" + repeated(".a"),
        repeated("{'a':") + "1" + repeated("}"), repeated("ABS(") + "1" + repeated(")"),
        repeated("(SELECT VALUE ") + "1" + repeated(")"), repeated("'a' || ") + "'a'", "1 IN (" + repeated("1,") + "1)",
        "c.a BETWEEN " + repeated("1 AND 1 BETWEEN ") + "1 AND 1"}) {
    EXPECT_THAT(query("SELECT VALUE " + expression + " FROM c").status, testing::AnyOf(200, 400)) << expression.substr(0, 40);
    EXPECT_THAT(query("SELECT * FROM c WHERE " + expression).status, testing::AnyOf(200, 400)) << expression.substr(0, 40);
  }
}

TEST_F(HostileInputTest, UnpairedSurrogatesAreKept) {
  ASSERT_EQ(create(R"({"id":"s\ud800","pk":"\udc00","n":"\ud83d\ude00"})", R"(["\udc00"])").status, 201);
  const Answer found = query(R"(SELECT c.id FROM c WHERE c.pk = "\udc00")");
  EXPECT_THAT(found.body, HasSubstr(R"("id":"s\ud800")"));
  EXPECT_EQ(well_formed_utf8_bytes(found.body, Surrogates::kRejected), found.body.size());
  const Answer again = create(R"({"id":"s\ud800","pk":"\udc00"})", R"(["\udc00"])");
  expect_refusal(again, 409);
}

TEST_F(HostileInputTest, LongNamesAndWideValuesAreStoredOrRefused) {
  const std::string name(1'000'000, 'n');
  EXPECT_EQ(create(fmt::format(R"({{"id":"long","pk":"k","{}":1}})", name), R"(["k"])").status, 201);
  EXPECT_EQ(create(fmt::format(R"({{"id":"l2","pk":"{}"}})", std::string(60'000, 'k')), "").status, 201);
  std::string wide = R"({"id":"wide","pk":"k","a":[)";
  for (int i = 0; i < 100'000; ++i) wide += "0,";
  EXPECT_EQ(create(wide + "0]}", R"(["k"])").status, 201);
  EXPECT_THAT(query("SELECT VALUE ARRAY_LENGTH(c.a) FROM c WHERE c.id = 'wide'").body, HasSubstr("[100001]"));
  expect_refusal(create(fmt::format(R"({{"id":"big","pk":"k","x":"{}"}})", std::string(2 << 20, 'x')), R"(["k"])"), 413);
  const std::string long_path = "/dbs/db/colls/c/docs/" + std::string(15'000, 'd');
  expect_refusal(account_.send("GET", long_path, {{"x-ms-documentdb-partitionkey", R"(["k"])"}}), 404);
}

// A tree of paths as deep as a text is long would not come down again.
TEST_F(HostileInputTest, PathsAreNoDeeperThanDocuments) {
  std::string path;
  for (int i = 0; i < 300'000; ++i) path += "/a";
  const auto create_with = [&](std::string_view members) {
    return account_.send("POST", "/dbs/db/colls", {}, fmt::format(R"({{"id":"p",{}}})", members));
  };
  const std::string key = R"("partitionKey":{"paths":["/pk"]})";
  expect_refusal(create_with(fmt::format(R"({},"indexingPolicy":{{"includedPaths":[{{"path":"{}/?"}}]}})", key, path)));
  expect_refusal(create_with(fmt::format(R"({},"indexingPolicy":{{"excludedPaths":[{{"path":"{}/*"}}]}})", key, path)));
  expect_refusal(create_with(fmt::format(R"({},"uniqueKeyPolicy":{{"uniqueKeys":[{{"paths":["{}"]}}]}})", key, path)));
  expect_refusal(create_with(fmt::format(R"("partitionKey":{{"paths":["{}"]}})", path)));
  const Answer patched = account_.send("PATCH", "/dbs/db/colls/c/docs/d1", {{"x-ms-documentdb-partitionkey", R"(["k1"])"}},
                                       fmt::format(R"([{{"op":"set","path":"{}","value":1}}])", path));
  expect_refusal(patched);
}

// It is asked while others wait to write.
TEST_F(HostileInputTest, AConditionOfAPatchThatTakesLongIsGivenUp) {
  std::string body = R"({"id":"wide","pk":"k","a":[)";
  for (int i = 0; i < 20'000; ++i) body += "0,";
  ASSERT_EQ(create(body + "0]}", R"(["k"])").status, 201);
  const Answer patched = account_.send(
      "PATCH", "/dbs/db/colls/c/docs/wide", {{"x-ms-documentdb-partitionkey", R"(["k"])"}},
      R"({"condition":"FROM c JOIN x IN c.a JOIN y IN c.a WHERE x + y > 1","operations":[{"op":"set","path":"/b","value":1}]})");
  EXPECT_EQ(patched.status, 408) << patched.body;
}

// It is a header, which clients bound.
TEST_F(HostileInputTest, ALogOfAScriptIsNoLongerThanAHeader) {
  for (const char* logged : {"' '.repeat(4096)", "'\\u00fc'.repeat(4096)", "' '.repeat(1000) + '\\u65e5'.repeat(3000)"}) {
    const std::string procedure = fmt::format(R"({{"id":"log","body":"function () {{ console.log({}); }}"}})", logged);
    ASSERT_EQ(account_.send("POST", "/dbs/db/colls/c/sprocs", {{"x-ms-documentdb-is-upsert", "True"}}, procedure).status / 100,
              2);
    const Answer done =
        account_.send("POST", "/dbs/db/colls/c/sprocs/log",
                      {{"x-ms-documentdb-partitionkey", R"(["k"])"}, {"x-ms-documentdb-script-enable-logging", "true"}}, "[]");
    ASSERT_EQ(done.status, 200) << done.body;
    const std::string header = done.header("x-ms-documentdb-script-log-results");
    EXPECT_LE(header.size(), 12U << 10);
    EXPECT_GT(header.size(), 11U << 10);
    const std::optional<std::string> text = percent_decode(header);
    ASSERT_TRUE(text);
    EXPECT_EQ(well_formed_utf8_bytes(*text, Surrogates::kRejected), text->size()) << logged;
  }
}

// The fuzzer starts from these.
TEST_F(HostileInputTest, EveryOperationHasASeed) {
  std::set<std::string> seen;
  const auto name = [](const Operation& operation) {
    return fmt::format("{} {} {}", static_cast<int>(operation.kind), operation.is_feed, name_of(operation.action));
  };
  for (const auto& texts : {fuzz::seed_texts(), fuzz::refused_seed_texts()}) {
    for (const std::string_view text : texts) {
      fuzz::RequestText seed = fuzz::parse_request(text);
      for (const auto& [known, link] : {std::pair("$media", "media/m"), std::pair("$offer", "o"),
                                        std::pair("$container", "dbs/d/colls/c"), std::pair("$item", "dbs/d/colls/c/docs/i")}) {
        if (const size_t at = seed.target.find(known); at != std::string::npos) {
          seed.target.replace(at, std::string_view(known).size(), link);
        }
      }
      net::HttpRequest request;
      request.method = seed.method;
      std::tie(request.path, request.query) = InProcessService::split(seed.target);
      for (const auto& [header, value] : seed.headers) request.headers.push_back({header, value});
      const Result<ResourcePath> path = ResourcePath::parse(request.path, request.query);
      ASSERT_TRUE(path) << text;
      seen.insert(name(operation_of(request, *path)));
    }
  }
  for (const Operation& operation : operations()) {
    EXPECT_TRUE(seen.contains(name(operation))) << method_of(operation.action) << ' ' << name(operation);
  }
}

TEST(MutatedRequests, HaveEveryHeaderThatIsRead) {
  std::ifstream file(TEST_DATA_DIR "/../codec/header_names.h");
  ASSERT_TRUE(file);
  std::string line;
  size_t headers = 0;
  while (std::getline(file, line) && line != "// Responses.") {
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("= \"([^\"]+)\";"))) continue;
    ++headers;
    EXPECT_NE(std::ranges::find(fuzz::kHeaderNames, match[1].str()), fuzz::kHeaderNames.end())
        << match[1] << ": name it in fuzz/request_headers.h";
  }
  EXPECT_GT(headers, 40u);
}

// What the fuzzer does for long under sanitizers. PARTITA_SEED and PARTITA_ROUNDS choose others, and more.
TEST(MutatedRequests, AreAnswered) {
  const auto setting = [](const char* name, unsigned fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  };
  const unsigned first = setting("PARTITA_SEED", 1);
  const unsigned rounds = setting("PARTITA_ROUNDS", 3000);
  auto account = std::make_unique<fuzz::FuzzedAccount>(SCRIPT_HOST);
  const auto send = [&](const std::vector<fuzz::RequestText>& requests) {
    for (const fuzz::RequestText& request : requests) {
      const InProcessAccount::Answer answer = account->send(request);
      if (answer.status != 0) fuzz::check_answer(answer);
    }
  };
  for (const std::string& seed : account->seeds()) send({fuzz::parse_request(seed)});
  for (const auto& kept : std::filesystem::directory_iterator(TEST_DATA_DIR "/corpus/request_fuzz")) {
    std::ifstream file(kept.path(), std::ios::binary);
    send(fuzz::parse_requests(std::string(std::istreambuf_iterator<char>(file), {})));
  }
  for (unsigned round = first; round < first + rounds; ++round) {
    if (account->is_worn()) {
      account.reset();
      account = std::make_unique<fuzz::FuzzedAccount>(SCRIPT_HOST);
    }
    std::vector<fuzz::RequestText> requests;
    fuzz::RequestMutator mutator(account->seeds(), account->tokens(), round);
    for (int i = 0; i < 2; ++i) mutator.mutate(requests);
    send(requests);
  }
}

}  // namespace partita::cosmos
