#include "document/path.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {

using Segments = std::vector<std::string>;

namespace {

std::string error_of(std::string_view text) {
  const auto path = DocumentPath::parse(text);
  return path ? "no error" : path.error().message;
}

}  // namespace

TEST(DocumentPath, ParsesPlainAndQuotedSegments) {
  EXPECT_EQ(DocumentPath::parse("/a")->segments, (Segments{"a"}));
  EXPECT_EQ(DocumentPath::parse("/a/b-c/d.e/_f/7")->segments, (Segments{"a", "b-c", "d.e", "_f", "7"}));
  EXPECT_EQ(DocumentPath::parse(R"(/"with space"/c)")->segments, (Segments{"with space", "c"}));
  EXPECT_EQ(DocumentPath::parse(R"~(/"level' 1*()"/"le/vel2")~")->segments, (Segments{"level' 1*()", "le/vel2"}));
  EXPECT_EQ(DocumentPath::parse(R"(/'sin"gle'/"*")")->segments, (Segments{"sin\"gle", "*"}));
  EXPECT_EQ(DocumentPath::parse(R"(/"a\"b\\c\u00e9\n"/'it\'s')")->segments, (Segments{"a\"b\\c\xC3\xA9\n", "it's"}));
  EXPECT_EQ(DocumentPath::parse("/\xC3\xA4")->segments, (Segments{"\xC3\xA4"}));
}

TEST(DocumentPath, HasOneCanonicalText) {
  EXPECT_EQ(DocumentPath::parse("/a/b-c")->text(), "/a/b-c");
  EXPECT_EQ(DocumentPath::parse(R"(/"plain"/'quoted one')")->text(), R"(/plain/"quoted one")");
  for (const char* text : {R"(/"a\"b\\c"/"d/e")", R"(/"it's"/x)", R"(/"*"/"?"/"[]")", "/\xC3\xA4/b", R"(/"\n")"}) {
    EXPECT_EQ(DocumentPath::parse(text)->text(), text);
  }
}

TEST(DocumentPath, RejectsWhatIsNotAPathOfProperties) {
  EXPECT_EQ(error_of(""), "The path '' is invalid at position 0: it must begin with '/'.");
  EXPECT_EQ(error_of("a/b"), "The path 'a/b' is invalid at position 0: it must begin with '/'.");
  EXPECT_EQ(error_of("/"), "The path '/' is invalid at position 1: a segment is empty.");
  EXPECT_EQ(error_of("/a//b"), "The path '/a//b' is invalid at position 3: a segment is empty.");
  EXPECT_EQ(error_of("/a/"), "The path '/a/' is invalid at position 3: a segment is empty.");
  EXPECT_EQ(error_of("/\"\"/a"), "The path '/\"\"/a' is invalid at position 1: a segment is empty.");
  EXPECT_EQ(error_of("/a/*"), "The path '/a/*' is invalid at position 3: wildcards are not allowed.");
  EXPECT_EQ(error_of("/a/?"), "The path '/a/?' is invalid at position 3: wildcards are not allowed.");
  EXPECT_EQ(error_of("/a/[]/b"), "The path '/a/[]/b' is invalid at position 3: array positions are not allowed.");
  EXPECT_EQ(error_of("/\"a"), "The path '/\"a' is invalid at position 1: a quoted segment is not closed.");
  EXPECT_EQ(error_of("/\"a\\\""), "The path '/\"a\\\"' is invalid at position 1: a quoted segment is not closed.");
  EXPECT_EQ(error_of("/\"a\"b"), "The path '/\"a\"b' is invalid at position 4: expected '/' after the closing quote.");
  EXPECT_EQ(error_of("/\"\\q\""), "The path '/\"\\q\"' is invalid at position 1: a quoted segment contains an unknown escape.");
  EXPECT_EQ(DocumentPath::parse("x").error().code, ErrorCode::kInvalidInput);
}

TEST(DocumentPath, ResolvesThroughObjectsOnly) {
  const std::string stored = *stored_from_json(R"({"a":{"b c":1,"list":[{"x":1}]},"n":null})");
  const Value root = Value::view(stored);
  EXPECT_EQ(DocumentPath::parse(R"(/a/"b c")")->resolve(root).integer(), 1);
  EXPECT_TRUE(DocumentPath::parse("/n")->resolve(root).is_null());
  for (const char* missing : {"/b", "/a/c", "/a/list/x", "/a/list/0", "/n/x", R"(/a/"b c"/d)"}) {
    EXPECT_TRUE(DocumentPath::parse(missing)->resolve(root).is_undefined()) << missing;
  }
}

}  // namespace partita
