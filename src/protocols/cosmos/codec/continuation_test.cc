#include "protocols/cosmos/codec/continuation.h"

#include "cluster/test_account.h"
#include "document/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

class ContinuationTest : public testing::Test {
 protected:
  bool is_refused(std::string_view text) const {
    const Result<FeedPosition> position = decode_continuation(text, *container_);
    return !position && position.error().code == ErrorCode::kInvalidInput;
  }

  TestAccount account_;
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  std::shared_ptr<const Container> other_ = account_.make_container("d", {"/pk"});
};

}  // namespace

TEST_F(ContinuationTest, IsAsDocumented) {
  const FeedPosition position{{"", std::string("\x1F\xFF", 2)}, DocumentNumber{258}};
  EXPECT_EQ(encode_continuation(position, *container_),
            R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","range":{"min":"","max":"1FFF"}})");
}

TEST_F(ContinuationTest, ComesBack) {
  for (uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{1} << 40, (uint64_t{1} << 56) - 1}) {
    for (const EffectiveKeyRange& range :
         {EffectiveKeyRange{}, EffectiveKeyRange{std::string("\0\x10", 2), std::string("\x3F", 1)}}) {
      const Result<FeedPosition> again =
          decode_continuation(encode_continuation({range, DocumentNumber{number}}, *container_), *container_);
      ASSERT_TRUE(again) << number << again.error().message;
      EXPECT_EQ(again->after.value, number);
      EXPECT_EQ(again->range, range);
    }
  }
}

TEST_F(ContinuationTest, TravelsInAHeaderAndInAJsonString) {
  const std::string token = encode_continuation({{}, DocumentNumber{77}}, *container_);
  for (char c : token) EXPECT_TRUE(c >= ' ' && c < 0x7F);
}

TEST_F(ContinuationTest, OfAnotherContainerIsRefused) {
  EXPECT_TRUE(is_refused(encode_continuation({{}, DocumentNumber{5}}, *other_)));
  EXPECT_TRUE(is_refused(encode_continuation({{}, DocumentNumber{0}}, *other_)));
}

TEST_F(ContinuationTest, ForeignTextsAreRefused) {
  for (const char* text :
       {"", "x", "{}", "[]", "1", "null", R"({"token":"+RID:","range":{"min":"","max":"FF"}})",
        R"({"token":"AAAAAYAAAAECAQAAAAAAAA==","range":{"min":"","max":"FF"}})", R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA=="})",
        R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","range":{"min":"","max":"F"}})",
        R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","range":{"min":"xx","max":"FF"}})",
        R"({"token":"+RID:AAAAAYAAAAE=","range":{"min":"","max":"FF"}})", R"({"token":7,"range":{"min":"","max":"FF"}})",
        R"([{"token":null,"range":{"min":"","max":"FF"}}])", R"({"compositeToken":{"token":"x"}})"}) {
    EXPECT_TRUE(is_refused(text)) << text;
  }
}

TEST_F(ContinuationTest, OfAQueryComesBackWithThatQueryOnly) {
  QueryPosition position;
  position.progress.results = 3;
  position.progress.position.results_of_row = 1;
  position.progress.position.skipped = 4;
  position.progress.position.taken = 5;
  for (const bool is_streaming : {false, true}) {
    if (is_streaming) position.from = FeedPosition{{}, DocumentNumber{9}};
    const std::string token = encode_query_continuation(position, "SELECT 1", *container_);
    const Result<QueryPosition> again = decode_query_continuation(token, "SELECT 1", *container_);
    ASSERT_TRUE(again);
    EXPECT_EQ(encode_query_continuation(*again, "SELECT 1", *container_), token);
    EXPECT_EQ(again->from.has_value(), is_streaming);
    EXPECT_FALSE(decode_query_continuation(token, "SELECT 2", *container_));
    if (is_streaming) EXPECT_FALSE(decode_query_continuation(token, "SELECT 1", *other_));
  }
}

TEST_F(ContinuationTest, OfAQueryRefusesForeignTexts) {
  for (const char* text : {"", "{}", R"({"query":7})", R"({"query":"x","results":1,"row":1,"skipped":1,"taken":1})"}) {
    EXPECT_FALSE(decode_query_continuation(text, "SELECT 1", *container_)) << text;
  }
  std::string token = encode_query_continuation({}, "SELECT 1", *container_);
  token.replace(token.find("\"row\":0"), 7, "\"row\":-1");
  EXPECT_FALSE(decode_query_continuation(token, "SELECT 1", *container_));
}

}  // namespace partita::cosmos
