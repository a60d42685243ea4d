#include "query/synthetic/synthetic_key.h"

#include "document/json/json.h"
#include "query/computed_properties.h"
#include "query/distribute/key_filter.h"
#include "query/query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace partita::query {
namespace {

using KeyPointer = std::shared_ptr<const SyntheticKey>;

PartitionKeyDefinition paths(std::initializer_list<std::string_view> texts) {
  PartitionKeyDefinition key;
  key.version = 2;
  if (texts.size() > 1) key.kind = PartitionKeyDefinition::Kind::kMultiHash;
  for (const std::string_view text : texts) key.paths.push_back(DocumentPath::parse(text).value());
  return key;
}

const PartitionKeyDefinition kKey = paths({"/pk"});

Result<KeyPointer> parse(std::string_view query, const PartitionKeyDefinition& key = kKey) {
  const std::string json = fmt::format(R"({{"computedProperties":[{{"name":"pk","query":"SELECT VALUE {} FROM c"}}]}})", query);
  const std::string stored = stored_from_json(json).value();
  TRY(check_computed_properties(Value::view(stored).find("computedProperties"), key));
  return SyntheticKey::of(Value::view(stored), key);
}

KeyPointer made(std::string_view query, const PartitionKeyDefinition& key = kKey) {
  Result<KeyPointer> made = parse(query, key);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

std::string refusal(std::string_view query) {
  const Result<KeyPointer> refused = parse(query);
  return refused ? "" : refused.error().message;
}

uint32_t draw_three(uint32_t) { return 3; }

// The value that a document gets, as JSON; "-" when it gets none; the message when it is refused.
std::string added(const KeyPointer& key, std::string_view json, const PartitionKey* given = nullptr) {
  const std::string stored = stored_from_json(json).value();
  const auto additions = key->additions_to(Value::view(stored), kKey, given, draw_three);
  if (!additions) return additions.error().message;
  return additions->empty() ? "-" : PartitionKey{{additions->front().value}}.to_json();
}

// The keys that a filter leaves, "all", or how many there are.
std::string routed(const KeyPointer& key, std::string_view filter, const PartitionKeyDefinition& definition = kKey) {
  const Plan plan = compile({fmt::format("SELECT * FROM c WHERE {}", filter), {}}).value();
  const KeyFilter found = key_filter_of(plan, definition, key.get());
  if (found.is_all) return "all";
  if (found.keys.size() > 3) return fmt::format("{} keys", found.keys.size());
  std::string out;
  for (const PartitionKey& each : found.keys) out += each.to_json();
  return out;
}

}  // namespace

// A container that was defined before repeated members were refused may have them; only the last one was checked.
TEST(SyntheticKey, TakesTheLastOfRepeatedDefinitions) {
  for (const char* first : {"5", "[5]", R"([{"name":5}])", "null"}) {
    const std::string stored =
        stored_from_json(fmt::format(R"({{"a":1,"computedProperties":{},"computedProperties":)"
                                     R"([{{"name":"pk","query":"SELECT VALUE c.x FROM c"}},{{"name":"y","query":"q"}}]}})",
                                     first))
            .value();
    const Result<KeyPointer> key = SyntheticKey::of(Value::view(stored), kKey);
    ASSERT_TRUE(key && *key) << first;
    EXPECT_EQ(to_json(Value::view((*key)->other_properties())), R"({"a":1,"computedProperties":[{"name":"y","query":"q"}]})");
  }
}

TEST(SyntheticKey, IsComputedFromOtherProperties) {
  const KeyPointer key = made("CONCAT(c.deviceId, '-', ToString(c.date))");
  EXPECT_EQ(added(key, R"({"deviceId":"abc-123","date":2018})"), R"(["abc-123-2018"])");
  EXPECT_EQ(added(key, R"({"deviceId":"abc-123","date":2018.0})"), R"(["abc-123-2018"])");
  EXPECT_EQ(added(key, R"({"deviceId":"abc-123","date":-0.0})"), R"(["abc-123-0"])");
  EXPECT_EQ(added(key, R"({"deviceId":"abc-123"})"), "-");
  EXPECT_EQ(added(key, R"({"deviceId":["abc"],"date":2018})"), "-");
}

TEST(SyntheticKey, RefusesAnotherValueAndNamesBoth) {
  const KeyPointer key = made("CONCAT(c.a, 'x')");
  EXPECT_EQ(added(key, R"({"a":"1","pk":"1x"})"), "-");
  const std::string message = added(key, R"({"a":"1","pk":"2x"})");
  EXPECT_NE(message.find(R"('pk' = "2x")"), std::string::npos) << message;
  EXPECT_NE(message.find(R"(computes "1x")"), std::string::npos) << message;
  EXPECT_NE(added(key, R"({"pk":"1x"})").find("computes nothing"), std::string::npos);
  EXPECT_NE(added(key, R"({"a":"1","pk":null})").find("'pk' = null"), std::string::npos);
  EXPECT_NE(added(key, R"({"a":"1","pk":[1]})").find("an array or object"), std::string::npos);
}

TEST(SyntheticKey, KeepsARandomValueThatIsPossible) {
  const KeyPointer key = made("CONCAT(c.date, '.', ToString(RANDOM_BUCKET(400)), '!')");
  EXPECT_EQ(added(key, R"({"date":"d1"})"), R"(["d1.3!"])");
  EXPECT_EQ(added(key, R"({"date":"d1","pk":"d1.400!"})"), "-");
  for (const char* other : {"d1.0!", "d1.401!", "d1.007!", "d2.7!", "d1.7", "d1.!", "d1.-7!", "d1.7.7!", "d1.4294967297!"}) {
    EXPECT_NE(added(key, fmt::format(R"({{"date":"d1","pk":"{}"}})", other)), "-") << other;
  }
  const PartitionKey given{{std::string("d1.17!")}};
  EXPECT_EQ(added(key, R"({"date":"d1"})", &given), R"(["d1.17!"])");
  const KeyPointer number = made("RANDOM_BUCKET(5)");
  EXPECT_EQ(added(number, "{}"), "[3]");
  EXPECT_EQ(added(number, R"({"pk":5})"), "-");
  EXPECT_NE(added(number, R"({"pk":6})"), "-");
  EXPECT_NE(added(number, R"({"pk":1.5})"), "-");
}

TEST(SyntheticKey, IsWhatADocumentAloneDecidesAtBoundedCost) {
  for (const char* query : {"c.pk",
                            "CONCAT(c.pk.x, 'a')",
                            "c",
                            "ToString(c)",
                            "[c.a]",
                            "{'a': c.a}",
                            "c._ts",
                            "c._etag",
                            "c[0]",
                            "c.a[c.b]",
                            "REPLICATE(c.a, 100)",
                            "RegexMatch(c.a, '(a+)+')",
                            "UPPER(CONCAT(c.a, RAND()))",
                            "udf.f(c.a)",
                            "GetCurrentDateTime()",
                            "(SELECT VALUE 1)",
                            "ARRAY(SELECT VALUE t FROM t IN c.t)",
                            "COUNT(1)",
                            "RANDOM_BUCKET(0)",
                            "RANDOM_BUCKET(10001)",
                            "RANDOM_BUCKET(c.n)",
                            "HASH_BUCKET(c.a, c.n)",
                            "HASH_BUCKET(c.a, 1.5)",
                            "RANDOM_BUCKET(2) + RANDOM_BUCKET(2)",
                            "UPPER(ToString(RANDOM_BUCKET(3)))",
                            "CONCAT(c.a, RANDOM_BUCKET(3))",
                            "CONCAT(ToString(RANDOM_BUCKET(3)), ToString(RANDOM_BUCKET(3)))"}) {
    EXPECT_NE(refusal(query), "") << query;
  }
  EXPECT_NE(refusal("c.pk").find("refers to itself"), std::string::npos) << refusal("c.pk");
  EXPECT_NE(refusal("c._ts").find("made by the server"), std::string::npos) << refusal("c._ts");
  EXPECT_NE(refusal(fmt::format("CONCAT(c.a, '{}')", std::string(kSyntheticTextBytesMax, 'x'))).find("the limit is 1024"),
            std::string::npos);
  for (const char* query :
       {"c.a", "c.a.b ?? 'none'", "LOWER(LEFT(c.a, 2))", "c.n > 5 ? 'big' : 'small'", "DateTimePart('yyyy', c.at)", "c['a']",
        "HASH_BUCKET(c.vin, 400)", "c.a || '-' || ToString(HASH_BUCKET(c.vin, 400))"}) {
    EXPECT_EQ(refusal(query), "") << query;
  }
}

TEST(SyntheticKey, RefusesAValueThatIsTooLong) {
  const KeyPointer key = made("CONCAT(c.a, 'x')");
  EXPECT_EQ(added(key, fmt::format(R"({{"a":"{}"}})", std::string(kSyntheticValueBytesMax - 1, 'a'))).substr(0, 3), "[\"a");
  EXPECT_NE(added(key, fmt::format(R"({{"a":"{}"}})", std::string(kSyntheticValueBytesMax, 'a'))).find("too large"),
            std::string::npos);
  EXPECT_NE(added(key, fmt::format(R"({{"a":"{}"}})", std::string(1 << 20, 'a'))).find("too large"), std::string::npos);
}

TEST(SyntheticKey, IsThatOfComputedPropertiesThatPathsName) {
  EXPECT_EQ(made("c.a", paths({"/other"})), nullptr);
  EXPECT_EQ(made("c.a", paths({"/pk/x"})), nullptr);
  const KeyPointer key = made("c.a", paths({"/tenant", "/pk"}));
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(to_json(Value::view(key->other_properties())), R"({"computedProperties":[]})");
}

TEST(SyntheticKey, FollowsFromPropertiesWithoutADocument) {
  const auto key_of = [](const KeyPointer& key, std::string_view json) {
    const std::string stored = stored_from_json(json).value();
    const Result<PartitionKey> found = key->key_of(Value::view(stored), kKey);
    return found ? found->to_json() : found.error().message;
  };
  const KeyPointer key = made("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 400)))");
  EXPECT_EQ(key_of(key, R"({"date":"d","vin":"5YJ3E1EA7KF000001"})"),
            added(key, R"({"date":"d","vin":"5YJ3E1EA7KF000001","more":1})"));
  EXPECT_NE(key_of(key, R"({"date":"d"})").find("needs /date, /vin"), std::string::npos);
  EXPECT_NE(key_of(made("CONCAT(c.date, ToString(RANDOM_BUCKET(4)))"), R"({"date":"d"})").find("random"), std::string::npos);
}

TEST(SyntheticKey, IsWhereFiltersOnItsSourcesLead) {
  const KeyPointer key = made("CONCAT(c.deviceId, '-', ToString(c.date))");
  EXPECT_EQ(routed(key, "c.deviceId = 'a' AND c.date = 2018"), R"(["a-2018"])");
  EXPECT_EQ(routed(key, "c.date = 2018.0 AND c.deviceId IN ('a', 'b')"), R"(["a-2018"]["b-2018"])");
  EXPECT_EQ(routed(key, "c.deviceId = 'a'"), "all");
  EXPECT_EQ(routed(key, "c.deviceId = 'a' OR c.date = 2018"), "all");
  EXPECT_EQ(routed(key, "c.deviceId = 'a' AND c.date > 2018"), "all");
  EXPECT_EQ(routed(key, "c.pk = 'x' AND c.deviceId = 'a'"), R"(["x"])");
  EXPECT_EQ(routed(key, "c.deviceId = 'a' AND c.date = [1]"), "[{}]");
}

TEST(SyntheticKey, IsOneOfItsBucketsWhereTheirSourceIsOpen) {
  const KeyPointer random = made("CONCAT(c.date, '.', ToString(RANDOM_BUCKET(400)))");
  EXPECT_EQ(routed(random, "c.date = 'd' AND c.vin = 'v'"), "400 keys");
  EXPECT_EQ(routed(random, "c.date IN ('d', 'e')"), "800 keys");
  EXPECT_EQ(routed(random, "c.date IN ('d', 'e', 'f')"), "all");
  EXPECT_EQ(routed(made("CONCAT(c.date, '.', ToString(RANDOM_BUCKET(2)))"), "c.date = 'd'"), R"(["d.1"]["d.2"])");
  EXPECT_EQ(routed(made("RANDOM_BUCKET(2)"), "c.date = 'd'"), "[1][2]");
  const KeyPointer hash = made("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, 2)))");
  EXPECT_EQ(routed(hash, "c.date = 'd' AND c.vin = '5YJ3E1EA7KF000001'"),
            added(hash, R"({"date":"d","vin":"5YJ3E1EA7KF000001"})"));
  // A document of that date without a VIN has no key.
  EXPECT_EQ(routed(hash, "c.date = 'd'"), R"([{}]["d.1"]["d.2"])");
  EXPECT_EQ(routed(hash, "c.vin = 'v'"), "all");
}

TEST(SyntheticKey, CanBeALevelOfAHierarchicalKey) {
  const PartitionKeyDefinition definition = paths({"/tenant", "/pk"});
  const KeyPointer key = made("ToString(RANDOM_BUCKET(2))", definition);
  EXPECT_EQ(routed(key, "c.tenant = 't'", definition), R"(["t","1"]["t","2"])");
  const KeyPointer source = made("CONCAT(c.tenant, c.day)", definition);
  EXPECT_EQ(routed(source, "c.tenant = 't'", definition), R"(["t"])");
  EXPECT_EQ(routed(source, "c.tenant = 't' AND c.day = 'd'", definition), R"(["t","td"])");
}

// The promise on which queries rely: a document that a filter lets pass is where the filter leads.
TEST(SyntheticKey, LeadsToEveryDocumentThatPasses) {
  for (const char* query : {"CONCAT(c.a, '-', ToString(c.b))", "CONCAT(c.a, ToString(HASH_BUCKET(c.b, 7)))",
                            "CONCAT(c.a, '.', ToString(RANDOM_BUCKET(9)))", "c.b ?? c.a", "HASH_BUCKET(c.a, 5)"}) {
    const KeyPointer key = made(query);
    for (const char* a : {"\"x\"", "1", "1.0", "-0.0", "9007199254740993", "true", "null", "[1]", "{}"}) {
      for (const char* b : {"\"y\"", "2", "0", "false", "[2]", "null"}) {
        const std::string stored = stored_from_json(fmt::format(R"({{"a":{},"b":{}}})", a, b)).value();
        const auto additions = key->additions_to(Value::view(stored), kKey, nullptr, draw_three).value();
        const PartitionKey own{{additions.empty() ? PartitionKeyComponent(UndefinedKey{}) : additions.front().value}};
        for (const std::string& filter : {fmt::format("c.a = {}", a), fmt::format("c.a = {} AND c.b = {}", a, b)}) {
          const Plan plan = compile({fmt::format("SELECT * FROM c WHERE {}", filter), {}}).value();
          const KeyFilter found = key_filter_of(plan, kKey, key.get());
          EXPECT_TRUE(found.is_all || std::ranges::find(found.keys, own) != found.keys.end()) << query << ' ' << filter;
        }
      }
    }
  }
}

}  // namespace partita::query
