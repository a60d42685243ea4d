#include "engine/unique_keys.h"

#include "base/encodings.h"
#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

Result<UniqueKeys> parse(std::string_view json) { return UniqueKeys::parse(Value::view(*stored_from_json(json))); }

std::string error_of(std::string_view json) {
  const Result<UniqueKeys> keys = parse(json);
  return keys ? "accepted" : keys.error().message;
}

std::vector<std::string> values(const UniqueKeys& keys, std::string_view json) {
  const std::string document = *stored_from_json(json);
  return keys.values_of(Value::view(document));
}

}  // namespace

TEST(UniqueKeys, AreCheckedWhenTheyAreDefined) {
  EXPECT_EQ(error_of("null"), "accepted");
  EXPECT_EQ(error_of("{}"), "accepted");
  EXPECT_EQ(error_of(R"({"uniqueKeys":[]})"), "accepted");
  EXPECT_EQ(error_of(R"({"uniqueKeys":7})"), "The unique key policy is not valid: 'uniqueKeys' must be an array.");
  EXPECT_EQ(error_of(R"({"uniqueKeys":[{}]})"), "The unique key policy is not valid: every key needs an array of 'paths'.");
  EXPECT_EQ(error_of(R"({"uniqueKeys":[{"paths":[]}]})"),
            "The unique key policy is not valid: every key needs an array of 'paths'.");
  EXPECT_EQ(error_of(R"({"uniqueKeys":[{"paths":["/a","/a"]}]})"),
            "The unique key policy is not valid: the path /a is given twice.");
  EXPECT_EQ(error_of(R"({"uniqueKeys":[{"paths":["/a"]},{"paths":["/a"]}]})"),
            "The unique key policy is not valid: a key is given twice.");
  EXPECT_NE(error_of(R"({"uniqueKeys":[{"paths":["a"]}]})"), "accepted");
  std::string many;
  for (size_t i = 0; i <= kUniqueKeyPathsMax; ++i) many += (i == 0 ? "\"/p" : ",\"/p") + std::to_string(i) + "\"";
  EXPECT_EQ(error_of(R"({"uniqueKeys":[{"paths":[)" + many + "]}]}"),
            "The unique key policy is not valid: a key has more than 16 paths.");
  std::string keys;
  for (size_t i = 0; i <= kUniqueKeysMax; ++i)
    keys += (i == 0 ? R"({"paths":["/p)" : R"(,{"paths":["/p)") + std::to_string(i) + "\"]}";
  EXPECT_EQ(error_of(R"({"uniqueKeys":[)" + keys + "]}"), "The unique key policy is not valid: it has more than 10 keys.");
}

// On disk: these bytes must not change.
TEST(UniqueKeys, ValuesArePinned) {
  const UniqueKeys keys = *parse(R"({"uniqueKeys":[{"paths":["/a"]},{"paths":["/a","/o/b"]}]})");
  const std::vector<std::string> found = values(keys, R"({"a":"x","o":{"b":true}})");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(hex_upper(found[0]), "0050780001");
  EXPECT_EQ(hex_upper(found[1]), "015078000138");
}

TEST(UniqueKeys, MissingIsNull) {
  const UniqueKeys keys = *parse(R"({"uniqueKeys":[{"paths":["/a","/b"]}]})");
  EXPECT_EQ(values(keys, R"({"a":1})"), values(keys, R"({"a":1,"b":null})"));
  EXPECT_NE(values(keys, R"({"a":1})"), values(keys, R"({"b":1})"));
}

TEST(UniqueKeys, LongAndStructuredValuesAreToldApart) {
  const UniqueKeys keys = *parse(R"({"uniqueKeys":[{"paths":["/a"]}]})");
  const std::string same(5000, 'x');
  EXPECT_NE(values(keys, R"({"a":")" + same + R"(1"})"), values(keys, R"({"a":")" + same + R"(2"})"));
  EXPECT_LT(values(keys, R"({"a":")" + same + R"(1"})")[0].size(), 32u);
  EXPECT_NE(values(keys, R"({"a":[1]})"), values(keys, R"({"a":[2]})"));
  EXPECT_NE(values(keys, R"({"a":{"b":1}})"), values(keys, R"({"a":{"b":2}})"));
  EXPECT_EQ(values(keys, R"({"a":{"b":1}})"), values(keys, R"({"a":{"b":1},"c":2})"));
}

}  // namespace partita
