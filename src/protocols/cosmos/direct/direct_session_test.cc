#include "protocols/cosmos/direct/direct_session.h"

#include "protocols/cosmos/direct/direct_fixture.h"

#include <thread>

// How frames come and go, whatever they ask for.
namespace partita::cosmos::direct {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using DirectSessionTest = DirectTest;

constexpr size_t kRecordBytes = 32 * 1024;  // more than a record of TLS has

// A client that is silent in the midst of a message is given up soon.
struct ImpatientDirectTest : DirectTest {
  ImpatientDirectTest() : DirectTest({.message_timeout = 300ms}) {}
};

// A client that nobody knows may be silent for less than one that was authorized.
struct BrieflyKnownDirectTest : DirectTest {
  BrieflyKnownDirectTest() : DirectTest({.idle_timeout = 1s}) {}
};

struct FewAtOnceDirectTest : DirectTest {
  FewAtOnceDirectTest() : DirectTest({}, nullptr, {.requests_at_once_max = 3, .skipped_payload_bytes_max = 4 << 20}) {}
};

}  // namespace

TEST_F(DirectSessionTest, SharesItsPortWithHttp) {
  auto direct = connect();
  net::TestTlsClient https(port());
  net::TestClient http(port());
  EXPECT_EQ(https.request(net::get("/")).status, 401);
  EXPECT_EQ(http.request(net::get("/")).status, 401);
  EXPECT_EQ(direct->exchange(create(R"({"id":"x","pk":"a"})")).status, 201);
  EXPECT_EQ(wire_.connections_open(), 1u);
  EXPECT_EQ(http_.connections_open(), 2u);
}

TEST_F(DirectSessionTest, TellsAContextWhoItIs) {
  DirectClient client(port());
  const ParsedAnswer answer = client.exchange(context_frame());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.activity_id, sample_activity_id());
  EXPECT_EQ(answer.number(0), 1);
  EXPECT_EQ(answer.text(1), "2020-07-15");
  EXPECT_EQ(answer.text(2), "Partita");
  EXPECT_THAT(answer.text(3), HasSubstr("version="));
}

TEST_F(DirectSessionTest, AnswersNothingWithoutTls) {
  net::TestClient client(port());
  ASSERT_TRUE(client.send(context_frame()));
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(DirectSessionTest, EndsWithWhoeverSpeaksAnotherVersion) {
  DirectClient client(port());
  const ParsedAnswer answer =
      client.exchange(FrameBuilder(0, 0).number(0, 9).small_text(1, "2020-07-15").build_without_payload_token());
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.number(0), 1);
  EXPECT_THAT(answer.payload, HasSubstr("version 1"));
  EXPECT_TRUE(client.connection().is_closed_by_server());
}

TEST_F(DirectSessionTest, EndsWhereFramesCannotBeRead) {
  const std::string request = create(R"({"id":"x","pk":"a"})");
  std::string too_long = request;
  store_little_endian(too_long.data(), static_cast<uint32_t>(kHeadBytesMax + 1));
  std::string too_short = request;
  store_little_endian(too_short.data(), uint32_t{23});
  for (const std::string& wrong : {too_long, too_short, FrameBuilder(3, 3).raw("no tokens").build(), context_frame()}) {
    auto client = connect();
    ASSERT_TRUE(client->send(wrong));
    EXPECT_TRUE(client->connection().is_closed_by_server());
  }
  DirectClient without_context(port());
  ASSERT_TRUE(without_context.send(std::string("\x80\0\0\0\0\0\0\0", 8) + std::string(500, '\xFF')));
  EXPECT_EQ(without_context.receive().status, 400);
  EXPECT_TRUE(without_context.connection().is_closed_by_server());
  EXPECT_EQ(server_->counters().malformed_requests, 5u);
}

TEST_F(ImpatientDirectTest, GivesUpWhoeverStopsInTheMiddle) {
  const std::string request = create(R"({"id":"x","pk":"a"})");
  for (const size_t bytes : {size_t{1}, size_t{8}, size_t{30}}) {
    DirectClient half_context(port());
    ASSERT_TRUE(half_context.send(context_frame().substr(0, bytes)));
    EXPECT_TRUE(half_context.connection().is_closed_by_server()) << bytes;
  }
  for (const size_t bytes : {size_t{10}, size_t{100}, request.size() - 1}) {
    auto half_frame = connect();
    ASSERT_TRUE(half_frame->send(std::string_view(request).substr(0, bytes)));
    EXPECT_TRUE(half_frame->connection().is_closed_by_server()) << bytes;
  }
  EXPECT_EQ(server_->counters().timeouts, 6u);
}

TEST_F(BrieflyKnownDirectTest, KeepsOnlyWhoeverWasAuthorized) {
  const std::string stranger = "c29tZWJvZHkgZWxzZSdzIGtleQ==";
  const std::vector<std::pair<int, std::string>> refused = {
      {405, FrameBuilder(99, 99).build()},
      {400, FrameBuilder(kind::kItem, op::kRead).text(in::kDatabase, "db").build()},
      {401, on_items(op::kRead, "GET", "x", R"(["a"])", stranger).build()},
      {401, on_items(op::kCreate, "POST", {}, R"(["a"])", stranger).build(std::string(100'000, 'x'))},
  };
  // Together with the first frame, so that however slow the test is, it is not idle before.
  const auto begin = [&](const std::string& frame, int status) {
    auto client = std::make_unique<DirectClient>(port());
    EXPECT_TRUE(client->send(context_frame() + frame));
    EXPECT_EQ(client->receive().status, 200);
    EXPECT_EQ(client->receive().status, status);
    return client;
  };
  const auto known = begin(read("none"), 404);
  std::vector<std::unique_ptr<DirectClient>> strangers;
  for (const auto& [status, frame] : refused) strangers.push_back(begin(frame, status));
  for (const auto& each : strangers) EXPECT_TRUE(each->connection().is_closed_by_server());
  EXPECT_EQ(wire_.connections_open(), 1u);  // that it was the server, and not the test that gave up
  // It has been silent for longer than they were.
  EXPECT_EQ(known->exchange(read("none")).status, 404);
}

TEST_F(DirectSessionTest, ReadsFramesHoweverTheyAreCut) {
  auto client = connect();
  std::string all;
  for (int i = 0; i < 5; ++i) all += create(fmt::format(R"({{"id":"x{}","pk":"a"}})", i));
  for (const char byte : all) ASSERT_TRUE(client->send({&byte, 1}));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client->receive().status, 201);
  ASSERT_TRUE(client->send(read("x0") + read("x1") + read("x2")));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->receive().status, 200);
}

TEST_F(DirectSessionTest, AnswersInTheOrderInWhichAnswersAreReady) {
  auto client = connect();
  ASSERT_TRUE(client->send(held(1) + held(2) + read("none")));
  EXPECT_EQ(client->receive().transport_id(), 7u);
  door_.wait_for_held(2);
  door_.release();
  const ParsedAnswer first = client->receive();
  EXPECT_EQ(first.transport_id(), 2u);
  EXPECT_EQ(first.payload, "{}");
  EXPECT_EQ(client->receive().transport_id(), 1u);
}

namespace {

// How many answers come in one record of TLS, which is what the server sends at once.
size_t answers_in_next_record(DirectClient& client) {
  std::string record(kRecordBytes, '\0');
  const int bytes = SSL_read(client.connection().ssl(), record.data(), static_cast<int>(record.size()));
  record.resize(static_cast<size_t>(std::max(bytes, 0)));
  size_t answers = 0;
  for (std::string_view rest = record; rest.size() >= kFixedHeadBytes; ++answers) {
    const size_t head_bytes = load_little_endian<uint32_t>(rest.data());
    const ParsedAnswer answer = parse_answer_head(std::string(rest.substr(0, head_bytes)));
    EXPECT_EQ(answer.status, 404);
    rest.remove_prefix(head_bytes);
    rest.remove_prefix(kPayloadLengthBytes + load_little_endian<uint32_t>(rest.data()));
  }
  return answers;
}

}  // namespace

// It would mix up what it reads at once.
TEST_F(DirectSessionTest, SendsTheClientForJavaOneAnswerAtATime) {
  constexpr size_t kRequests = 10;
  constexpr auto kWhileBehindEach = 2ms;
  std::string together;
  for (size_t i = 0; i < kRequests; ++i) together += read("none");
  DirectClient java(port());
  java.begin("Windows10/10.0 JRE/17 azsdk-java-cosmos/4.81.0");
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(java.send(together));
  for (size_t i = 0; i < kRequests; ++i) ASSERT_EQ(answers_in_next_record(java), 1u) << i;
  EXPECT_GE(std::chrono::steady_clock::now() - began, (kRequests - 1) * kWhileBehindEach);
  // Others read as much at once as there is.
  DirectClient other(port());
  other.begin("cosmos-netstandard-sdk/3.51.0");
  ASSERT_TRUE(other.send(together));
  size_t records = 0;
  for (size_t answers = 0; answers < kRequests; ++records) {
    const size_t more = answers_in_next_record(other);
    ASSERT_GT(more, 0u);
    answers += more;
  }
  EXPECT_LT(records, kRequests);
}

// However many wait for it to be read, none is lost when the client goes.
TEST_F(DirectSessionTest, EndsWithTheClientForJavaWhileAnswersWait) {
  auto java = std::make_unique<DirectClient>(port());
  java->begin("azsdk-java-cosmos/4.81.0");
  ASSERT_TRUE(java->send(held(1) + held(2) + held(3)));
  door_.wait_for_held(3);
  java->connection().close();
  door_.wait_for_abandonment();
  door_.release();
  EXPECT_EQ(connect()->exchange(read("none")).status, 404);
}

TEST_F(DirectSessionTest, AnswersWhatWasDropped) {
  auto client = connect();
  ASSERT_TRUE(client->send(held(1)));
  door_.wait_for_held(1);
  door_.drop();
  const ParsedAnswer answer = client->receive();
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.payload, HasSubstr("dropped"));
}

TEST_F(DirectSessionTest, TellsHandlersWhenTheClientIsGone) {
  auto client = connect();
  ASSERT_TRUE(client->send(held(1) + held(2)));
  door_.wait_for_held(2);
  client->connection().close();
  door_.wait_for_abandonment();
  door_.release();
  EXPECT_EQ(connect()->exchange(read("none")).status, 404);
}

TEST_F(FewAtOnceDirectTest, ReadsNoMoreThanItMayHaveAtHand) {
  auto client = connect();
  std::string many;
  for (uint32_t i = 1; i <= 9; ++i) many += held(i);
  ASSERT_TRUE(client->send(many));
  for (int round = 0; round < 3; ++round) {
    door_.wait_for_held(3);
    EXPECT_EQ(door_.held(), 3u);
    door_.release();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client->receive().status, 200);
  }
}

TEST_F(DirectSessionTest, TakesLargePayloadsAndGivesLargeAnswers) {
  FairMemory memory(64 << 20);
  auto client = connect();
  const std::string document = R"({"id":"large","pk":"a","text":")" + std::string(1'500'000, 'x') + "\"}";
  const ParsedAnswer created = client->exchange(create(document));
  EXPECT_EQ(created.status, 201);
  EXPECT_GT(created.payload.size(), document.size());
  EXPECT_EQ(client->exchange(read("large")).payload, created.payload);
  EXPECT_EQ(door_.admitted, 1);
}

TEST_F(FewAtOnceDirectTest, SkipsPayloadsThatAreRefusedAndGoesOn) {
  auto client = connect();
  const std::string too_large = R"({"id":"x","pk":"a","text":")" + std::string(3 << 20, 'x') + "\"}";
  const ParsedAnswer refused = client->exchange(create(too_large));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.number(out::kWrongEverywhere), 1);
  const ParsedAnswer unknown = client->exchange(
      on_items(op::kCreate, "POST", {}, R"(["a"])", "c29tZWJvZHkgZWxzZSdzIGtleQ==").build(std::string(100'000, 'x')));
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(client->exchange(create(R"({"id":"x","pk":"a"})")).status, 201);
  EXPECT_EQ(client->exchange(FrameBuilder(99, 99).number(in::kTransport, 1).build(std::string(50'000, 'x'))).status, 405);
  EXPECT_EQ(client->exchange(read("x")).status, 200);
}

TEST_F(FewAtOnceDirectTest, EndsBehindTheAnswerToAPayloadThatIsTooLargeToSkip) {
  auto client = connect();
  std::string frame = create("{}");
  frame.resize(frame.size() - 2);
  store_little_endian(frame.data() + frame.size() - kPayloadLengthBytes, uint32_t{0xFFFF'FFFF});
  ASSERT_TRUE(client->send(frame));
  EXPECT_EQ(client->receive().status, 413);
  EXPECT_TRUE(client->connection().is_closed_by_server());
}

TEST_F(DirectSessionTest, EndsCleanlyWithTheServer) {
  auto idle = connect();
  auto busy = connect();
  ASSERT_TRUE(busy->send(held(1)));
  door_.wait_for_held(1);
  server_->begin_stop();
  EXPECT_TRUE(idle->connection().is_closed_by_server());
  door_.release();
  EXPECT_EQ(busy->receive().status, 200);
  EXPECT_TRUE(busy->connection().is_closed_by_server());
}

namespace {

struct LittleMemory {
  FairMemory memory{4 << 20};
};
struct LittleMemoryDirectTest : LittleMemory, DirectTest {
  LittleMemoryDirectTest() : DirectTest({.memory_timeout = 200ms}, &memory) {}
};

}  // namespace

TEST_F(LittleMemoryDirectTest, BorrowsWhatIsLargeAndGivesItBack) {
  auto client = connect();
  const std::string document = R"({"id":"x","pk":"a","text":")" + std::string(1'000'000, 'x') + "\"}";
  EXPECT_EQ(client->exchange(create(document)).status, 201);
  EXPECT_EQ(client->exchange(read("x")).status, 200);
  EXPECT_EQ(client->exchange(read("none")).status, 404);
  EXPECT_EQ(memory.taken(), 0u);
}

TEST_F(LittleMemoryDirectTest, ASlowReaderHoldsNoMoreThanItMay) {
  auto slow = connect();
  std::string many;
  for (uint32_t i = 1; i <= 8; ++i) many += held(i);
  ASSERT_TRUE(slow->send(many));
  door_.wait_for_held(8);
  door_.release(1 << 20);  // of each: eight megabytes in all, of four
  int sent = 0;
  int refused = 0;
  for (int i = 0; i < 8; ++i) {
    const ParsedAnswer answer = slow->receive();
    if (answer.status == 200) EXPECT_EQ(answer.payload.size(), size_t{1} << 20);
    answer.status == 200 ? ++sent : ++refused;
    if (answer.status != 200) EXPECT_EQ(answer.status, 429) << answer.payload;
  }
  EXPECT_GE(sent, 1);
  EXPECT_GE(refused, 1);
  EXPECT_EQ(connect()->exchange(read("none")).status, 404);
  EXPECT_EQ(memory.taken(), 0u);
}

}  // namespace partita::cosmos::direct
