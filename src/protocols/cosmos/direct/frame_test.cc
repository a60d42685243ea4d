#include "protocols/cosmos/direct/frame.h"

#include "protocols/cosmos/direct/context.h"
#include "protocols/cosmos/direct/direct_request.h"
#include "protocols/cosmos/direct/frame_builder.h"
#include "protocols/cosmos/direct/response_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::cosmos::direct {
namespace {

const std::string kContextRequest = bytes_of(R"(
33 00 00 00 00 00 00 00 33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff 00 00 02 01 00 00 00 01
00 07 0a 32 30 32 30 2d 30 37 2d 31 35 02 00 07 02 75 61)");

const std::string kContextAnswer = bytes_of(R"(
50 00 00 00 c8 00 00 00 33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff 00 00 02 01 00 00 00 01
00 07 0a 32 30 32 30 2d 30 37 2d 31 35 02 00 07 07 50 61 72 74 69 74 61 03 00 07 06 32 2e 31 34
2e 30 04 00 02 08 07 00 00 05 00 02 19 00 00 00)");

const std::string kRead = bytes_of(R"(
5b 00 00 00 03 00 03 00 33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff 00 00 0b 08 00 00 00 00
01 80 00 00 01 02 00 00 00 13 00 08 07 00 2f 70 2f 30 2f 31 70 15 00 08 02 00 64 62 16 00 08 02
00 63 31 17 00 08 02 00 78 31 2b 00 08 05 00 5b 22 61 22 5d 4d 00 02 04 00 00 00)");

const std::string kReadAnswer = bytes_of(R"(
53 00 00 00 c8 00 00 00 33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff 00 00 00 01 35 00 02 04
00 00 00 13 00 05 05 00 00 00 00 00 00 00 3a 00 05 05 00 00 00 00 00 00 00 15 00 0e 00 00 00 00
00 00 f0 3f 21 00 08 01 00 30 3e 00 08 04 00 2d 31 23 35 0b 00 00 00 7b 22 69 64 22 3a 22 78 31
22 7d)");

std::string_view tokens_of(std::string_view frame) {
  const auto head = parse_request_head(frame);
  return frame.substr(kFixedHeadBytes, head->head_bytes - kFixedHeadBytes);
}

}  // namespace

TEST(DirectFrame, ReadsAContextRequest) {
  const auto head = parse_request_head(kContextRequest);
  ASSERT_TRUE(head);
  EXPECT_TRUE(head->is_context());
  EXPECT_EQ(head->head_bytes, kContextRequest.size());
  EXPECT_EQ(head->activity_id, sample_activity_id());
  const auto context = parse_context(tokens_of(kContextRequest));
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_EQ(context->version, "2020-07-15");
}

TEST(DirectFrame, WritesAContextAnswer) {
  std::string out;
  append_context_answer(out, sample_activity_id(),
                        {.version = "2020-07-15",
                         .server_agent = "Partita",
                         .server_version = "2.14.0",
                         .idle_timeout = std::chrono::seconds(1800),
                         .unauthenticated_timeout = std::chrono::seconds(25)});
  EXPECT_EQ(out, kContextAnswer);
}

TEST(DirectFrame, RefusesAContextWithWhatIsRequiredAndAReason) {
  EXPECT_FALSE(parse_context(tokens_of(context_frame(""))));
  const std::string other = FrameBuilder(0, 0).number(0, 2).small_text(1, "2020-07-15").build_without_payload_token();
  const auto refused = parse_context(tokens_of(other));
  ASSERT_FALSE(refused);
  std::string out;
  append_context_refusal(out, sample_activity_id(), refused.error());
  const size_t head_bytes = load_little_endian<uint32_t>(out.data());
  const ParsedAnswer answer = parse_answer_head(out.substr(0, head_bytes));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.number(0), 1);
  EXPECT_EQ(answer.text(1), "2020-07-15");
  EXPECT_EQ(load_little_endian<uint32_t>(out.data() + head_bytes), out.size() - head_bytes - kPayloadLengthBytes);
  EXPECT_THAT(out.substr(head_bytes + kPayloadLengthBytes), testing::StartsWith(R"({"code":"BadRequest","message":)"));
}

TEST(DirectFrame, ReadsAReadOfADocument) {
  DirectRequest request;
  ASSERT_TRUE(request.read(*parse_request_head(kRead), tokens_of(kRead), "2018-12-31"));
  ASSERT_FALSE(request.mistake()) << request.mistake()->message;
  EXPECT_EQ(request.request().method, "GET");
  EXPECT_EQ(request.request().path, "/dbs/db/colls/c1/docs/x1");
  EXPECT_EQ(request.request().header("x-ms-documentdb-partitionkey"), R"(["a"])");
  EXPECT_EQ(request.request().header("x-ms-cosmos-intended-collection-rid"), "AAAAAYAAAAE=");
  EXPECT_EQ(request.request().header("x-ms-version"), "2018-12-31");
  EXPECT_EQ(request.request().header("x-ms-activity-id"), "00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(request.transport_id(), 4u);
  EXPECT_TRUE(request.is_at_primary());
  EXPECT_FALSE(request.has_payload());
}

TEST(DirectFrame, WritesTokensAsClientsReadThem) {
  std::string out;
  const size_t begin = begin_response_head(out, 200, sample_activity_id());
  append_token(out, response_token::kPayloadPresent, uint8_t{1});
  append_token(out, response_token::kTransportId, uint32_t{4});
  append_token(out, response_token::kLsn, int64_t{5});
  append_token(out, response_token::kLocalLsn, int64_t{5});
  append_token(out, response_token::kRequestCharge, 1.0);
  append_string(out, response_token::kPartitionKeyRangeId, "0");
  append_string(out, response_token::kSessionToken, "-1#5");
  finish_response_head(out, begin);
  const std::string payload = R"({"id":"x1"})";
  append_little_endian(out, static_cast<uint32_t>(payload.size()));
  EXPECT_EQ(out + payload, kReadAnswer);
}

TEST(DirectFrame, RefusesLengthsThatNoHeadCanHave) {
  std::string head = kRead.substr(0, kFixedHeadBytes);
  for (const uint32_t bytes : {0u, 1u, 23u, static_cast<uint32_t>(kHeadBytesMax) + 1, 0xFFFF'FFFFu}) {
    store_little_endian(head.data(), bytes);
    EXPECT_FALSE(parse_request_head(head)) << bytes;
  }
  for (const uint32_t bytes : {24u, static_cast<uint32_t>(kHeadBytesMax)}) {
    store_little_endian(head.data(), bytes);
    EXPECT_TRUE(parse_request_head(head)) << bytes;
  }
}

TEST(DirectTokens, OfEveryTypeAreReadOrSkipped) {
  const std::string bytes = bytes_of(R"(
    01 00 00 ff              02 00 01 34 12           03 00 02 78 56 34 12     04 00 03 ff ff ff ff
    05 00 04 ff ff ff ff ff ff ff ff                  06 00 05 fe ff ff ff ff ff ff ff
    07 00 06 33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff
    08 00 07 02 61 62        09 00 08 02 00 61 62     0a 00 09 02 00 00 00 61 62
    0b 00 0a 01 00           0c 00 0b 01 00 01        0d 00 0c 01 00 00 00 02
    0e 00 0d 00 00 80 3f     0f 00 0e 00 00 00 00 00 00 f0 3f)");
  TokenReader reader(bytes);
  std::vector<Token> tokens;
  for (Token token; reader.next(token);) tokens.push_back(token);
  EXPECT_FALSE(reader.is_broken());
  ASSERT_EQ(tokens.size(), 15u);
  const std::vector<std::optional<int64_t>> numbers = {255, 0x1234, 0x12345678, -1, -1, -2};
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(tokens[i].number(), numbers[i]) << i;
  for (size_t i = 7; i < 10; ++i) EXPECT_EQ(tokens[i].text(), "ab") << i;
  for (size_t i = 10; i < 13; ++i) EXPECT_EQ(tokens[i].text()->size(), 1u) << i;
  for (const size_t i : {6u, 13u, 14u}) EXPECT_TRUE(!tokens[i].text() && !tokens[i].number()) << i;
}

TEST(DirectTokens, AreBrokenWhenCutAnywhereOrOfNoType) {
  const std::string whole = std::string(tokens_of(kRead));
  std::vector<size_t> ends = {0};
  TokenReader reader(whole);
  for (Token token; reader.next(token);) ends.push_back(static_cast<size_t>(token.value.end() - whole.data()));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    TokenReader cut(std::string_view(whole).substr(0, bytes));
    for (Token token; cut.next(token);) {
    }
    EXPECT_EQ(cut.is_broken(), std::ranges::find(ends, bytes) == ends.end()) << bytes;
  }
  for (const char type : {'\x0F', '\x10', '\x7F', '\xFF'}) {
    const std::string of_type = std::string("\x01\x00", 2) + type + std::string(16, '\0');
    TokenReader unknown(of_type);
    Token token;
    EXPECT_FALSE(unknown.next(token));
    EXPECT_TRUE(unknown.is_broken());
  }
}

TEST(DirectTokens, CutTextsThatAreTooLongBetweenCharacters) {
  std::string out;
  append_string(out, 1, std::string(kStringBytesMax - 1, 'a') + "é" + "b");
  TokenReader reader(out);
  Token token;
  ASSERT_TRUE(reader.next(token));
  EXPECT_EQ(token.text(), std::string(kStringBytesMax - 1, 'a'));
  EXPECT_FALSE(reader.is_broken());
}

}  // namespace partita::cosmos::direct
