#include "document/json/json.h"

#include "document/json/json_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace partita {

namespace {

std::string round_trip(std::string_view json) {
  const auto stored = stored_from_json(json);
  return stored ? to_json(Value::view(*stored)) : "error: " + stored.error().message;
}

std::string error_of(std::string_view json) {
  const auto stored = stored_from_json(json);
  if (stored) return "no error";
  EXPECT_EQ(stored.error().code, ErrorCode::kInvalidInput);
  return stored.error().message;
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST(Json, KeepsOrderDuplicatesAndExactNumbers) {
  for (const char* json :
       {"null", "true", "false", "0", "-1", "\"\"", "[]", "{}", R"({"b":1,"a":2,"b":3})", "[[],{},[[]]]", "18446744073709551616",
        "9223372036854775807", "0.1000000000000000055", "1e-400", "-0", "1e+21", "1e-7", "123456789012", R"({"":{"":[""]}})"}) {
    EXPECT_EQ(round_trip(json), json);
  }
}

TEST(Json, WritesNumbersInOneWay) {
  EXPECT_EQ(round_trip("84.0"), "84");
  EXPECT_EQ(round_trip("-0.0"), "-0");
  EXPECT_EQ(round_trip("1E3"), "1000");
  EXPECT_EQ(round_trip("1.50"), "1.5");
  EXPECT_EQ(round_trip("1000000000000000000000"), "1e+21");
}

TEST(Json, SkipsWhiteSpaceAndAByteOrderMark) {
  EXPECT_EQ(round_trip(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : \" x \" } \n"), R"({"a":[1,2],"b":" x "})");
  EXPECT_EQ(round_trip("\xEF\xBB\xBF[1]"), "[1]");
  EXPECT_EQ(round_trip(" 7 "), "7");
  EXPECT_EQ(error_of("\xEF\xBB\xBF[1"),
            "Invalid JSON at byte 5: expected ',' or ']' after an array element, found the end of the text.");
}

TEST(Json, UnescapesAndEscapesStrings) {
  EXPECT_EQ(Value::view(*stored_from_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\u0000")")).string(),
            std::string("\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0", 19));
  EXPECT_EQ(round_trip(R"("\"\\\/\b\f\n\r\t\u0041\u0000\u001F\u007f")"), "\"\\\"\\\\/\\b\\f\\n\\r\\tA\\u0000\\u001f\x7F\"");
  EXPECT_EQ(round_trip("{\"a\\nb\":1}"), "{\"a\\nb\":1}");
  EXPECT_EQ(round_trip("\"\xED\x95\x9C\xEA\xB5\xAD\""), "\"\xED\x95\x9C\xEA\xB5\xAD\"");
}

TEST(Json, EscapesAtEveryPositionOfAString) {
  for (size_t length = 1; length < 80; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '\n';
      std::string expected(length, 'x');
      expected.replace(at, 1, "\\n");
      std::string written;
      append_json_string(written, text);
      ASSERT_EQ(written, "\"" + expected + "\"");
      ASSERT_EQ(Value::view(*stored_from_json(written)).string(), text);
    }
  }
}

TEST(Json, KeepsUnpairedSurrogates) {
  for (const char* json : {R"("\ud800")", R"("a\udc00b")", R"({"\udfff":"\ud800\ud800"})", R"("\udc00\ud800")"})
    EXPECT_EQ(round_trip(json), json);
  EXPECT_EQ(Value::view(*stored_from_json(R"("\ud800")")).string(), "\xED\xA0\x80");
  EXPECT_EQ(round_trip(R"("\ud83d\ud83d\ude00")"), "\"\\ud83d\xF0\x9F\x98\x80\"");
}

TEST(Json, NamesTheFaultAndItsPlace) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "Invalid JSON at byte 0: expected a value, found the end of the text."},
      {"  ", "Invalid JSON at byte 2: expected a value, found the end of the text."},
      {"{\"a\":1", "Invalid JSON at byte 6: expected ',' or '}' after an object member, found the end of the text."},
      {"{\"a\":1]", "Invalid JSON at byte 6: expected ',' or '}' after an object member."},
      {"{\"a\" 1}", "Invalid JSON at byte 5: expected ':' after a property name."},
      {"{\"a\":1,}", "Invalid JSON at byte 7: expected a property name in double quotes."},
      {"{a:1}", "Invalid JSON at byte 1: expected a property name in double quotes."},
      {"{\"a\":}", "Invalid JSON at byte 5: expected a value."},
      {"[1,]", "Invalid JSON at byte 3: expected a value."},
      {"[,1]", "Invalid JSON at byte 1: expected a value."},
      {"[1 2]", "Invalid JSON at byte 3: expected ',' or ']' after an array element."},
      {"[\"a\":1]", "Invalid JSON at byte 4: expected ',' or ']' after an array element."},
      {"[1] 2", "Invalid JSON at byte 4: expected the end of the text after its value."},
      {"1 2", "Invalid JSON at byte 2: expected the end of the text after its value."},
      {"{}}", "Invalid JSON at byte 2: expected the end of the text after its value."},
      {"]", "Invalid JSON at byte 0: expected a value."},
      {"nul", "Invalid JSON at byte 0: expected a value."},
      {"truee", "Invalid JSON at byte 0: expected a value."},
      {"[01]", "Invalid JSON at byte 1: expected a value."},
      {"[1\"a\"]", "Invalid JSON at byte 1: expected a value."},
      {"NaN", "Invalid JSON at byte 0: expected a value."},
      {"[1e400]", "Invalid JSON at byte 1: a number beyond the range of a double."},
      {"[\"a]", "Invalid JSON at byte 1: a string that is not closed."},
      {"[\"a\nb\"]", "Invalid JSON at byte 3: a control character (0x0A) inside a string must be escaped."},
      {"[\"\\x\"]", "Invalid JSON at byte 2: an escape that JSON does not have."},
      {"[\"ab\\u12g4\"]", "Invalid JSON at byte 4: an escape that JSON does not have."},
      {"[\"\\u123\"]", "Invalid JSON at byte 2: an escape that JSON does not have."},
      {"[\"a\xFF\"]", "Invalid JSON at byte 3: the text is not UTF-8."},
      {"[\"\xED\xA0\x80\"]", "Invalid JSON at byte 2: the text is not UTF-8."},
      {std::string("[1\0]", 4), "Invalid JSON at byte 1: expected a value."},
  };
  for (const auto& [json, message] : cases) EXPECT_EQ(error_of(json), message) << json;
}

TEST(Json, LimitsNesting) {
  EXPECT_EQ(round_trip(nested(kNestingMax)), nested(kNestingMax));
  EXPECT_EQ(error_of(nested(kNestingMax + 1)), "Invalid JSON at byte 128: more than 128 arrays and objects inside each other.");
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), ::testing::HasSubstr("more than 128"));
}

TEST(Json, ReadsAndWritesLargeTexts) {
  std::string json = "{\"long\":\"" + std::string(1'500'000, 'y') + "\",\"many\":[0";
  for (int i = 1; i < 70'000; ++i) json += "," + std::to_string(i);
  json += "]}";
  EXPECT_EQ(round_trip(json), json);
  EXPECT_TRUE(validate_stored_form(*stored_from_json(json)));
}

TEST(Json, ReadsMembersIntoAnOpenObject) {
  StoredWriter writer;
  writer.begin_object();
  const std::string_view skipped[] = {"_ts", "_etag"};
  ASSERT_TRUE(read_json_members(R"({"id":"x","_ts":{"deep":[1]},"a":{"_ts":1},"_etag":"e"})", skipped, writer));
  writer.key("_ts");
  writer.integer(7);
  writer.end_object();
  EXPECT_EQ(to_json(writer.view()), R"({"id":"x","a":{"_ts":1},"_ts":7})");
}

TEST(Json, PutsOthersInThePlaceOfMembersThatItSkips) {
  StoredWriter writer;
  writer.begin_object();
  const std::string_view skipped[] = {"_ts", "_etag"};
  const auto put_instead = [&](std::string_view key) {
    if (key != "_ts") return;
    writer.key("time");
    writer.integer(7);
  };
  ASSERT_TRUE(read_json_members(R"({"a":{"_ts":1},"_\u0074s":{"_ts":[1]},"_etag":"e","b":2})", skipped, writer, put_instead));
  writer.end_object();
  EXPECT_EQ(to_json(writer.view()), R"({"a":{"_ts":1},"time":7,"b":2})");
}

TEST(Json, ReadsMembersOnlyOfAnObjectAndChecksWhatItSkips) {
  const std::string_view skipped[] = {"_ts"};
  for (const char* json : {"[1]", "1", "{\"_ts\":@}", "{\"_ts\":[1,}", "{\"_ts\":1} {}", "{\"_ts\":\"\\q\"}", ""}) {
    StoredWriter writer;
    writer.begin_object();
    EXPECT_FALSE(read_json_members(json, skipped, writer)) << json;
  }
  StoredWriter writer;
  writer.begin_object();
  EXPECT_EQ(read_json_members("[1]", {}, writer).error().message, "Invalid JSON at byte 0: expected an object.");
}

TEST(Json, AppendsToWhatIsThere) {
  std::string out = "a";
  append_json(out, Value::view(*stored_from_json("[1]")));
  append_json(out, Value());
  append_json_number(out, 2.5);
  append_json_string(out, "x");
  EXPECT_EQ(out, "a[1]2.5\"x\"");
}

TEST(Json, RandomDocumentsComeBackUnchanged) {
  std::mt19937_64 random(5);
  const auto write = [&](auto& self, StoredWriter& out, int depth) -> void {
    switch (random() % (depth < 5 ? 7 : 5)) {
      case 0: return out.null();
      case 1: return out.boolean(random() % 2 == 0);
      case 2: return out.integer(static_cast<int64_t>(random()) >> random() % 64);
      case 3: return out.number(static_cast<double>(static_cast<int64_t>(random())) / 1024.0 / 4096.0);
      case 4: return out.string(std::string(random() % 60, static_cast<char>(random() % 128)));
      case 5:
        out.begin_array();
        for (size_t i = random() % 20; i > 0; --i) self(self, out, depth + 1);
        return out.end_array();
      default:
        out.begin_object();
        for (size_t i = random() % 20; i > 0; --i) {
          out.key(std::string(random() % 10, static_cast<char>(random() % 128)));
          self(self, out, depth + 1);
        }
        return out.end_object();
    }
  };
  for (int round = 0; round < 300; ++round) {
    StoredWriter writer;
    write(write, writer, 0);
    const std::string json = to_json(writer.view());
    ASSERT_EQ(*stored_from_json(json), writer.bytes()) << json;
  }
}

TEST(Json, WritesAStringOfAnyBytes) {
  const auto written = [](std::string_view bytes) {
    std::string out;
    append_json_string(out, bytes);
    return out;
  };
  EXPECT_EQ(written("a\xFF"
                    "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(written("\xED"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xED\""), "\"\xEF\xBF\xBD\\\"\"");
  EXPECT_EQ(written("\xED\xA0\x80"), "\"\\ud800\"");
}

TEST(Json, KnowsWhichKeysAreRepeated) {
  const std::string few = *stored_from_json(R"({"a":1,"b":2,"a":{"c":1},"ab":1})");
  EXPECT_TRUE(Value::view(few).is_repeated("a"));
  EXPECT_FALSE(Value::view(few).is_repeated("b"));
  EXPECT_FALSE(Value::view(few).is_repeated("c"));
  EXPECT_FALSE(Value::view(few).find("a").is_repeated("c"));
  EXPECT_FALSE(Value::view(few).find("b").is_repeated("c"));
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  const std::string many = *stored_from_json(text + R"("k500":1})");
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Value::view(many).is_repeated("k" + std::to_string(i)), i == 500);
  EXPECT_FALSE(Value::view(many).is_repeated(""));
  EXPECT_FALSE(Value::view(many).is_repeated("z"));
}

}  // namespace partita
