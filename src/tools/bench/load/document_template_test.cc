#include "tools/bench/load/document_template.h"

#include "document/json/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace partita::tools::bench {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

DocumentTemplate::Terms terms(std::string_view key_path = "/pk", size_t bytes = 0) {
  return {.key_path = *DocumentPath::parse(key_path), .document_bytes = bytes};
}

DocumentTemplate made(std::string_view json, std::string_view key_path = "/pk", size_t bytes = 0) {
  Result<DocumentTemplate> parsed = DocumentTemplate::parse(json, terms(key_path, bytes));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : *DocumentTemplate::parse("{}", terms());
}

std::string document(const DocumentTemplate& made, const Subject& subject = {}) {
  std::string out;
  made.append_document(out, subject);
  return out;
}

// What one placeholder gives, as a member.
std::string value(std::string_view placeholder, uint64_t number = 0) {
  const std::string text = document(made(fmt::format(R"({{"v":"{{{{{}}}}}"}})", placeholder)), {.number = number});
  const size_t end = text.find(",\"id\"");
  return text.substr(5, end - 5);
}

std::string mistake(std::string_view json, std::string_view key_path = "/pk") {
  const Result<DocumentTemplate> parsed = DocumentTemplate::parse(json, terms(key_path));
  return parsed ? "accepted" : parsed.error().message;
}

}  // namespace

TEST(DocumentTemplate, AddsIdAndKeyWhereTheyAreMissing) {
  EXPECT_EQ(document(made("{}"), {.number = 7}), R"({"id":"item-0000000007","pk":"key-00000007"})");
  EXPECT_EQ(document(made(R"({"a":1})", "/id"), {.number = 7}), R"({"a":1,"id":"item-0000000007"})");
  EXPECT_EQ(made("{}", "/id").key({.number = 7}), R"("item-0000000007")");
}

TEST(DocumentTemplate, KeepsWhatIsNoPlaceholder) {
  EXPECT_EQ(document(made(R"({"id":"{{id}}","pk":true,"a":[1,null,{"b c":1.5,"d":"\"\\\n"}],"e":{}})")),
            R"({"id":"item-0000000000","pk":true,"a":[1,null,{"b c":1.5,"d":"\"\\\n"}],"e":{}})");
}

TEST(DocumentTemplate, NumbersStandWithoutQuotesWhereAPlaceholderIsTheWholeString) {
  EXPECT_EQ(value("number", 12), "12");
  EXPECT_EQ(document(made(R"({"v":"no. {{number}}!"})"), {.number = 12}),
            R"({"v":"no. 12!","id":"item-0000000012","pk":"key-00000012"})");
  EXPECT_EQ(made(R"({"id":"{{number}}"})").id({.number = 12}), "12");
}

TEST(DocumentTemplate, PlaceholdersGiveWhatTheySay) {
  EXPECT_EQ(value("sequence", 3), "3");
  EXPECT_EQ(value("sequence 100 -10", 3), "70");
  EXPECT_THAT(value("string 8"), MatchesRegex("\"[a-z0-5]{8}\""));
  EXPECT_THAT(value("string 0"), "\"\"");
  EXPECT_THAT(value("uuid"), MatchesRegex("\"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\""));
  EXPECT_THAT(value("date 2026-02-28 2026-03-01"), MatchesRegex("\"2026-02-28T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z\""));
  EXPECT_THAT(value("decimal -1 1 3"), MatchesRegex("-?0\\.[0-9]{3}"));
  EXPECT_THAT(value("integer 5 5"), "5");
  EXPECT_THAT(value("  choice   a  "), "\"a\"");
  std::set<std::string> booleans;
  std::set<std::string> choices;
  std::set<std::string> skewed;
  for (uint64_t number = 0; number < 200; ++number) {
    booleans.insert(value("boolean", number));
    choices.insert(value(R"(choice a\"b ü)", number));
    skewed.insert(value("zipf 3", number));
  }
  EXPECT_EQ(booleans, (std::set<std::string>{"false", "true"}));
  EXPECT_EQ(choices, (std::set<std::string>{R"("a\"b")", "\"ü\""}));
  EXPECT_EQ(skewed, (std::set<std::string>{"0", "1", "2"}));
}

TEST(DocumentTemplate, DocumentsFollowFromTheirNumberAndVersion) {
  const DocumentTemplate shape = made(R"({"pk":"{{choice a b c d e f g h}}","v":"{{uuid}}","w":"{{uuid}}"})");
  EXPECT_EQ(document(shape, {.number = 1}), document(shape, {.number = 1}));
  EXPECT_NE(document(shape, {.number = 1}), document(shape, {.number = 2}));
  EXPECT_NE(document(shape, {.number = 1}), document(shape, {.seed = 1, .number = 1}));
  for (uint64_t number = 0; number < 50; ++number) {
    const std::string first = document(shape, {.number = number});
    const std::string second = document(shape, {.number = number, .version = 9});
    EXPECT_NE(first, second);
    const std::string key = fmt::format("\"pk\":{},", shape.key({.number = number}));
    EXPECT_THAT(first, HasSubstr(key));
    EXPECT_THAT(second, HasSubstr(key));
  }
}

TEST(DocumentTemplate, KeysAreSharedByNeighbours) {
  const DocumentTemplate shape = made("{}");
  EXPECT_EQ(shape.key({.number = 9, .documents_per_key = 5}), R"("key-00000001")");
  EXPECT_EQ(shape.key({.number = 10, .documents_per_key = 5}), R"("key-00000002")");
}

TEST(DocumentTemplate, FindsNestedKeys) {
  EXPECT_EQ(made(R"({"a":{"b":"x{{number}}"}})", "/a/b").key({.number = 4}), R"("x4")");
  EXPECT_THAT(mistake("{}", "/a/b"), HasSubstr("lacks the partition key /a/b"));
  EXPECT_THAT(mistake(R"({"a":[{"b":1}]})", "/a/b"), HasSubstr("lacks the partition key"));
}

TEST(DocumentTemplate, PaddingFillsDocumentsUp) {
  for (const char* json : {"{}", R"({"p":"<{{padding}}>","q":1})", R"({"ä":"{{string 3 30}}"})"}) {
    const std::string text = document(made(json, "/pk", 500), {.number = 3});
    EXPECT_EQ(text.size(), 500) << json;
    EXPECT_TRUE(stored_from_json(text)) << text;
  }
  EXPECT_EQ(document(made("{}", "/pk", 10)), R"({"id":"item-0000000000","pk":"key-00000000","padding":""})");
}

TEST(DocumentTemplate, TheDefaultHasTheSizeThatIsAskedFor) {
  const DocumentTemplate shape = made(kDefaultTemplate, "/pk", 1024);
  for (uint64_t number = 0; number < 100; ++number) {
    const std::string text = document(shape, {.number = number});
    EXPECT_EQ(text.size(), 1024);
    EXPECT_TRUE(stored_from_json(text)) << text;
  }
}

TEST(DocumentTemplate, SaysWhatIsWrong) {
  EXPECT_THAT(mistake("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(mistake("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(mistake(R"({"a":"{{fly}}"})"), HasSubstr("{{fly}} is unknown; there are id, key"));
  EXPECT_THAT(mistake(R"({"a":"{{}}"})"), HasSubstr("is unknown"));
  EXPECT_THAT(mistake(R"({"a":"{{number"})"), HasSubstr("is not closed"));
  EXPECT_THAT(mistake(R"({"a":"{{number 1}}"})"), HasSubstr("takes no arguments"));
  EXPECT_THAT(mistake(R"({"a":"{{string 9999999}}"})"), HasSubstr("up to 1000000"));
  EXPECT_THAT(mistake(R"({"a":"{{integer 9 1}}"})"), HasSubstr("{{integer 1 100}}"));
  EXPECT_THAT(mistake(R"({"a":"{{date 2026-02-30 2026-03-01}}"})"), HasSubstr("takes two days"));
  EXPECT_THAT(mistake(R"({"a":"{{zipf 10 1}}"})"), HasSubstr("exponent below 1"));
  EXPECT_THAT(mistake(R"({"a":"{{decimal 0 nan}}"})"), HasSubstr("such as {{decimal"));
  EXPECT_THAT(mistake(R"({"a":"{{choice}}"})"), HasSubstr("values to choose from"));
  EXPECT_THAT(mistake(R"({"id":"same"})"), HasSubstr("same id"));
  EXPECT_THAT(mistake(R"({"id":7})"), HasSubstr("a string as id"));
  EXPECT_THAT(mistake(R"({"pk":{}})"), HasSubstr("an object or an array as partition key"));
  EXPECT_THAT(mistake(R"({"a":"{{padding}}","b":"{{padding}}"})"), HasSubstr("more than once"));
  EXPECT_THAT(mistake(R"({"pk":"{{padding}}"})"), HasSubstr("in its id or partition key"));
}

TEST(TextTemplate, PlaceholdersBecomeLiterals) {
  const Result<TextTemplate> text = TextTemplate::parse("SELECT * FROM c WHERE c.id = {{id}} AND c.n < {{number}}");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text({.number = 3}), R"(SELECT * FROM c WHERE c.id = "item-0000000003" AND c.n < 3)");
  EXPECT_FALSE(TextTemplate::parse("{{"));
}

}  // namespace partita::tools::bench
