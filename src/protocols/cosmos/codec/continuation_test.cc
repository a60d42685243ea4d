#include "protocols/cosmos/codec/continuation.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "document/key/key_form.h"
#include "query/query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

class ContinuationTest : public testing::Test {
 protected:
  bool is_refused(std::string_view text) const {
    const Result<FeedContinuation> continuation = decode_continuation(text, *container_);
    return !continuation && continuation.error().code == ErrorCode::kInvalidInput;
  }

  static query::Plan plan_of(std::string_view text) {
    return query::compile({.text = std::string(text), .parameters = {}}).value();
  }

  TestAccount account_;
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  std::shared_ptr<const Container> other_ = account_.make_container("d", {"/pk"});
};

}  // namespace

TEST_F(ContinuationTest, KnowsTokensOfTheServiceFromOtherContainers) {
  for (const char* text :
       {"+RID:~a0NPAOszCpOChB4AAAAAAA==#RT:1#TRC:2", "-RID:~a0NPAOszCpOChB4AAAAAAA==#RT:1#TRC:2#ISV:2#IEO:65567#QCF:8"}) {
    EXPECT_TRUE(is_foreign_continuation(text, *container_)) << text;
  }
  for (const char* text : {"", "+", "-RID:~", "RID:~a0NPAOszCpOChB4AAAAAAA==#RT:1", "+RID:~a0NPAOszCpOChB4AAAAAAA==",
                           "+RID:~a0NPAA==#RT:1", "+RID:~nonsense#RT:1", "+RID:~AAAAAYAAAAECAQAAAAAAAA==#RT:1#TRC:2", "{}"}) {
    EXPECT_FALSE(is_foreign_continuation(text, *container_)) << text;
  }
}

TEST_F(ContinuationTest, IsAsDocumented) {
  const FeedPosition position{{"", std::string("\x1F\xFF", 2)}, DocumentNumber{258}};
  EXPECT_EQ(encode_continuation({position, {}}, *container_),
            R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"","max":"1FFF"}})");
  EXPECT_EQ(
      encode_continuation({position, {"", std::string("\x3F", 1)}}, *container_),
      R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"","max":"1FFF"},"scope":{"min":"","max":"3F"}})");
}

TEST_F(ContinuationTest, ComesBack) {
  for (uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{1} << 40, (uint64_t{1} << 56) - 1}) {
    for (const EffectiveKeyRange& range :
         {EffectiveKeyRange{}, EffectiveKeyRange{std::string("\0\x10", 2), std::string("\x3F", 1)}}) {
      const FeedContinuation continuation{{range, DocumentNumber{number}}, range};
      const Result<FeedContinuation> again = decode_continuation(encode_continuation(continuation, *container_), *container_);
      ASSERT_TRUE(again) << number << again.error().message;
      EXPECT_EQ(again->position.after.value, number);
      EXPECT_EQ(again->position.range, range);
      EXPECT_EQ(again->scope, range);
    }
  }
}

TEST_F(ContinuationTest, TravelsInAHeaderAndInAJsonString) {
  const std::string token = encode_continuation({{{}, DocumentNumber{77}}, {}}, *container_);
  for (char c : token) EXPECT_TRUE(c >= ' ' && c < 0x7F);
}

TEST_F(ContinuationTest, OfAnotherContainerIsRefused) {
  EXPECT_TRUE(is_refused(encode_continuation({{{}, DocumentNumber{5}}, {}}, *other_)));
  EXPECT_TRUE(is_refused(encode_continuation({{{}, DocumentNumber{0}}, {}}, *other_)));
}

TEST_F(ContinuationTest, OfAnotherPartitionKeyIsRefused) {
  Container rekeyed = *container_;
  rekeyed.definition.partition_key.paths = {*DocumentPath::parse("/tenant")};
  Container rehashed = *container_;
  rehashed.definition.partition_key.version = 3 - rehashed.definition.partition_key.version;
  for (const Container* before : {&rekeyed, &rehashed}) {
    EXPECT_TRUE(is_refused(encode_continuation({{{}, DocumentNumber{5}}, {}}, *before)));
    EXPECT_FALSE(decode_query_continuation(encode_query_continuation({}, "SELECT 1", *before), "SELECT 1", plan_of("SELECT 1"),
                                           *container_));
  }
}

TEST_F(ContinuationTest, ForeignTextsAreRefused) {
  for (const char* text :
       {"", "x", "{}", "[]", "1", "null", R"({"token":"+RID:","key":"9da98883","range":{"min":"","max":"FF"}})",
        R"({"token":"AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"","max":"FF"}})",
        R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883"})",
        R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"","max":"F"}})",
        R"({"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"xx","max":"FF"}})",
        R"({"token":"+RID:AAAAAYAAAAE=","key":"9da98883","range":{"min":"","max":"FF"}})",
        R"({"token":7,"range":{"min":"","max":"FF"}})", R"([{"token":null,"range":{"min":"","max":"FF"}}])",
        R"({"compositeToken":{"token":"x"}})"}) {
    EXPECT_TRUE(is_refused(text)) << text;
  }
}

TEST_F(ContinuationTest, OfAQueryIsAsDocumented) {
  QueryContinuation continuation{{.progress = {}, .range = {"", std::string("\x1F", 1)}}, {"", std::string("\x3F", 1)}};
  continuation.position.progress.has_begun = true;
  continuation.position.progress.taken = 2;
  continuation.position.progress.origin.number = 258;
  EXPECT_EQ(
      encode_query_continuation(continuation, "SELECT 1", *container_),
      R"({"v":1,"query":"199e7bca63ea84f2","taken":2,"token":"+RID:AAAAAYAAAAECAQAAAAAAAA==","key":"9da98883","range":{"min":"","max":"1F"},"scope":{"min":"","max":"3F"}})");
}

TEST_F(ContinuationTest, OfAQueryComesBackWithThatQueryOnly) {
  constexpr std::string_view kQuery =
      "SELECT VALUE x FROM (SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) AS x ORDER BY x.a DESC OFFSET 4 LIMIT 5";
  constexpr std::string_view kOther =
      "SELECT VALUE x FROM (SELECT c.b, COUNT(1) AS n FROM c GROUP BY c.b) AS x ORDER BY x.b DESC OFFSET 4 LIMIT 5";
  QueryContinuation continuation;
  continuation.position.progress.has_begun = true;
  continuation.position.progress.origin = {.number = 9, .group = "g", .ordinal = 2};
  continuation.position.progress.is_open = true;
  continuation.position.progress.inner = std::make_shared<const query::Position>(continuation.position.progress);
  continuation.position.progress.skipped = 4;
  continuation.position.progress.taken = 5;
  continuation.position.progress.order = "\xDF";  // of null, descending
  continuation.position.progress.is_repeated = true;
  const query::Plan plan = plan_of(kQuery);
  const std::string token = encode_query_continuation(continuation, kQuery, *container_);
  const Result<QueryContinuation> again = decode_query_continuation(token, kQuery, plan, *container_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(encode_query_continuation(*again, kQuery, *container_), token);
  EXPECT_EQ(again->position.progress.order, continuation.position.progress.order);
  EXPECT_EQ(again->position.progress.origin, continuation.position.progress.origin);
  EXPECT_EQ(again->position.progress.inner->origin, continuation.position.progress.origin);
  EXPECT_TRUE(again->position.progress.is_repeated && again->position.progress.inner->is_open &&
              !again->position.progress.inner->is_repeated);
  EXPECT_FALSE(decode_query_continuation(token, kOther, plan_of(kOther), *container_));
  EXPECT_FALSE(decode_query_continuation(token, kQuery, plan, *other_));
}

TEST_F(ContinuationTest, OfAQueryIsAPositionThatItCanHaveComeTo) {
  constexpr std::string_view kQuery = "SELECT VALUE c.a FROM c ORDER BY c.a, c.b DESC OFFSET 4 LIMIT 5";
  const query::Plan plan = plan_of(kQuery);
  const auto is_accepted = [&](const query::Position& progress) {
    const std::string token = encode_query_continuation({{.progress = progress, .range = {}}, {}}, kQuery, *container_);
    return decode_query_continuation(token, kQuery, plan, *container_).has_value();
  };
  std::string order;
  append_key_form_string(order, std::string_view("a\0b", 3));
  std::string second;
  append_key_form_number(second, 7);
  for (const char byte : second) order += static_cast<char>(~byte);
  query::Position sound;
  sound.skipped = 4;
  sound.taken = 5;
  sound.has_begun = true;
  sound.order = order;
  sound.origin.number = 3;
  EXPECT_TRUE(is_accepted(sound));
  const auto is_accepted_with = [&](const auto& change) {
    query::Position changed = sound;
    change(changed);
    return is_accepted(changed);
  };
  EXPECT_TRUE(is_accepted_with([](query::Position& position) { position.order.clear(); }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.skipped = 5; }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.taken = 6; }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.order.pop_back(); }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.order += '\x20'; }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.order = "\x20"; }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.order[0] = '\0'; }));
  EXPECT_FALSE(is_accepted_with([](query::Position& position) { position.origin.group = "g"; }));
  EXPECT_FALSE(is_accepted_with(
      [&](query::Position& position) { position.inner = std::make_shared<const query::Position>(query::Position{}); }));
}

// A range that ended before it began made a feed read partitions that it had not asked to be charged for.
TEST_F(ContinuationTest, HasARangeOfHashesThatThereAre) {
  const std::string token = encode_continuation({{{}, DocumentNumber{258}}, {}}, *container_);
  const auto with_range = [&](std::string_view name, std::string_view min, std::string_view max) {
    const std::string range = fmt::format(R"("{}":{{"min":"{}","max":"{}"}})", name, min, max);
    std::string changed = token;
    if (name == "scope") return changed.insert(changed.size() - 1, "," + range);
    constexpr std::string_view kWhole = R"("range":{"min":"","max":"FF"})";
    return changed.replace(changed.find(kWhole), kWhole.size(), range);
  };
  for (const std::string_view name : {"range", "scope"}) {
    EXPECT_FALSE(is_refused(with_range(name, "05", "15")));
    EXPECT_FALSE(is_refused(with_range(name, "15", "15")));
    EXPECT_FALSE(is_refused(with_range(name, "", "FF")));
    EXPECT_TRUE(is_refused(with_range(name, "FF", "15")));
    EXPECT_TRUE(is_refused(with_range(name, "15", "05")));
    EXPECT_TRUE(is_refused(with_range(name, "15", "")));
    EXPECT_TRUE(is_refused(with_range(name, "FF00", "FFFF")));
    EXPECT_TRUE(is_refused(with_range(name, "", "FF00")));
  }
}

TEST_F(ContinuationTest, NamesADocumentThatCanBe) {
  const auto token = [&](uint64_t number) { return encode_continuation({{{}, DocumentNumber{number}}, {}}, *container_); };
  EXPECT_FALSE(is_refused(token(DocumentNumber::kEnd - 1)));
  EXPECT_TRUE(is_refused(token(DocumentNumber::kEnd)));
  EXPECT_TRUE(is_refused(token(UINT64_MAX)));
}

TEST_F(ContinuationTest, OfAQueryRefusesForeignTexts) {
  constexpr std::string_view kQuery = "SELECT * FROM c OFFSET 0 LIMIT 5";
  const query::Plan plan = plan_of(kQuery);
  for (const char* text : {"", "{}", R"({"query":7})", R"({"v":1,"query":"x","range":{"min":"","max":""}})"}) {
    EXPECT_FALSE(decode_query_continuation(text, kQuery, plan, *container_)) << text;
  }
  QueryContinuation continuation;
  continuation.position.progress.taken = 1;
  const std::string token = encode_query_continuation(continuation, kQuery, *container_);
  ASSERT_TRUE(decode_query_continuation(token, kQuery, plan, *container_));
  for (const auto& [part, changed] : std::vector<std::pair<std::string, std::string>>{{"\"v\":1", "\"v\":2"},
                                                                                      {"\"taken\":1", "\"taken\":-1"},
                                                                                      {"\"taken\":1", "\"inner\":7"},
                                                                                      {"\"taken\":1", "\"order\":\"?\""},
                                                                                      {"\"key\"", "\"kex\""},
                                                                                      {"\"range\"", "\"rang\""}}) {
    std::string wrong = token;
    wrong.replace(wrong.find(part), part.size(), changed);
    EXPECT_FALSE(decode_query_continuation(wrong, kQuery, plan, *container_)) << wrong;
  }
}

}  // namespace partita::cosmos
