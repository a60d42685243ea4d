#include "document/key/partition_key.h"

#include "base/encodings.h"
#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace partita {

namespace {

using ::testing::HasSubstr;

PartitionKeyDefinition definition_of(std::initializer_list<const char*> paths) {
  PartitionKeyDefinition definition;
  for (const char* path : paths) definition.paths.push_back(*DocumentPath::parse(path));
  return definition;
}

std::string extracted(const char* document, std::initializer_list<const char*> paths) {
  const std::string stored = *stored_from_json(document);
  return PartitionKey::of(Value::view(stored), definition_of(paths)).to_json();
}

}  // namespace

TEST(PartitionKey, ParsesEveryKindOfComponent) {
  const auto key = PartitionKey::parse(R"(["a", 1.5, {}])");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->components, (std::vector<PartitionKeyComponent>{"a", 1.5, UndefinedKey{}}));
  EXPECT_EQ(PartitionKey::parse("[true,null]")->components, (std::vector<PartitionKeyComponent>{true, NullKey{}}));
  EXPECT_TRUE(PartitionKey::parse("[]")->components.empty());
}

TEST(PartitionKey, RejectsWhatIsNotAKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "Invalid JSON at byte 0"},
      {"a", "The partition key is not a JSON array such as [\"value\"]. Invalid JSON at byte 0: expected a value."},
      {"\"a\"", "must be a JSON array"},
      {"{}", "must be a JSON array"},
      {"[\"a\"", "Invalid JSON at byte 4"},
      {"[\"a\"]]", "Invalid JSON at byte 5"},
      {"[[1]]", "cannot be an array"},
      {"[{\"a\":1}]", "cannot be an object other than {}"},
      {"[1,2,3,4]", "at most 3 components, not 4"},
      {"[1e999]", "beyond the range"},
  };
  for (const auto& [header, message] : cases) {
    const auto key = PartitionKey::parse(header);
    ASSERT_FALSE(key) << header;
    EXPECT_EQ(key.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(key.error().message, HasSubstr(message)) << header;
  }
}

TEST(PartitionKey, WritesAnAsciiHeaderThatReadsBackTheSame) {
  EXPECT_EQ(PartitionKey::parse("[\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\",{},-0.0]")->to_json(),
            R"(["\u00e4\u20ac\ud83d\ude00\u007f",{},0])");
  for (const char* header : {R"(["a\"\\\n\u0000","\ud800",null])", "[true,false,1e-7]", "[123456789012,0.1,1e+21]", "[]"}) {
    const auto key = PartitionKey::parse(header);
    ASSERT_TRUE(key);
    EXPECT_EQ(key->to_json(), header);
  }
}

TEST(PartitionKey, IsExtractedFromADocument) {
  EXPECT_EQ(extracted(R"({"a":{"b":"x"},"n":7})", {"/a/b"}), R"(["x"])");
  EXPECT_EQ(extracted(R"({"a":{"b":"x"},"n":7})", {"/n", "/a/b", "/missing"}), R"([7,"x",{}])");
  EXPECT_EQ(extracted(R"({"a":[1],"o":{},"z":null})", {"/a", "/o", "/z"}), R"([{},{},null])");
  EXPECT_EQ(extracted(R"({"a":-0.0,"b":true})", {"/a", "/b"}), R"([0,true])");
  EXPECT_EQ(extracted(R"({"a":"x"})", {"/a/b"}), R"([{}])");
  EXPECT_EQ(extracted(R"({"a":1})", {}), "[]");
}

// These bytes are on disks: a change of them is a new format version.
TEST(PartitionKey, KeyFormIsPinned) {
  const auto key_form_hex = [](const char* header) {
    std::string out;
    PartitionKey::parse(header)->append_key_form(out);
    return hex_upper(out);
  };
  EXPECT_EQ(key_form_hex(R"(["a",5])"),
            "50610001"
            "40C014000000000000"
            "00");
  EXPECT_EQ(key_form_hex("[{},null,true]"),
            "10"
            "20"
            "38"
            "00");
  EXPECT_EQ(key_form_hex("[]"), "00");
}

TEST(PartitionKey, KeyFormsAreDistinctAndPrefixFree) {
  const char* headers[] = {"[]",
                           "[{}]",
                           "[null]",
                           "[true]",
                           "[false]",
                           "[0]",
                           "[1]",
                           R"([""])",
                           R"(["a"])",
                           R"(["a\u0000"])",
                           R"(["ab"])",
                           R"(["a","b"])",
                           R"(["a",{}])",
                           "[1,1]",
                           R"(["a",1])",
                           "[null,null]",
                           "[null,null,null]",
                           R"(["\u0000"])",
                           R"(["\u0001"])",
                           R"(["\u0000\u0001"])"};
  std::vector<std::string> forms;
  for (const char* header : headers) PartitionKey::parse(header)->append_key_form(forms.emplace_back());
  EXPECT_EQ(std::set<std::string>(forms.begin(), forms.end()).size(), std::size(headers));
  for (const auto& left : forms) {
    for (const auto& right : forms) EXPECT_TRUE(&left == &right || !right.starts_with(left));
  }
}

TEST(PartitionKey, KeyFormKeepsLongStringsApart) {
  std::string left;
  std::string right;
  PartitionKey{{std::string(5000, 'a')}}.append_key_form(left);
  PartitionKey{{std::string(5001, 'a')}}.append_key_form(right);
  EXPECT_NE(left, right);
}

}  // namespace partita
