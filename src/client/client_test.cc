#include "client/client.h"

#include "client/items/item_requests.h"
#include "client/test_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace partita::client {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const ContainerName kName{"shop", "all orders"};

Client client_of(const TestService& service, Options options = {}) {
  options.endpoint = service.endpoint();
  options.key = kKey;
  return Client::create(options).value();
}

Request create() { return create_item(kName, {.components = {std::string("a")}}, R"({"id":"1"})"); }
Request read() { return read_item(kName, {.components = {std::string("a")}}, "1"); }

TEST(Client, SendsASignedRequestAndGivesTheAnswer) {
  TestService service([](const std::string&) {
    return http_answer(201, R"({"id":"1"})", "x-ms-request-charge: 6.25\r\nETag: \"7\"\r\nX-Ms-SubStatus: 3\r\n");
  });
  const Answer<Response> answer = client_of(service).send(create());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status(), 201);
  EXPECT_EQ(answer->body(), R"({"id":"1"})");
  EXPECT_EQ(answer->charge(), 6.25);
  EXPECT_EQ(answer->etag(), "\"7\"");
  EXPECT_EQ(answer->sub_status(), 3);
  const std::string seen = service.requests().at(0);
  EXPECT_THAT(seen, HasSubstr("POST /dbs/shop/colls/all%20orders/docs HTTP/1.1\r\n"));
  EXPECT_THAT(seen, HasSubstr("authorization: type%3Dmaster%26ver%3D1.0%26sig%3D"));
  EXPECT_THAT(seen, HasSubstr("x-ms-documentdb-partitionkey: [\"a\"]\r\n"));
  EXPECT_THAT(seen, HasSubstr("\r\n\r\n{\"id\":\"1\"}"));
}

TEST(Client, ReadsChunkedAnswersAndKeepsTheConnection) {
  TestService service([](const std::string&) {
    return std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  });
  const Client client = client_of(service);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.send(read()).value().body(), "abcde");
  EXPECT_EQ(service.connection_count(), 1);
}

TEST(Client, TakesLongHeadersButNotEndlessOnes) {
  TestService service([](const std::string& request) {
    const size_t bytes = request.contains("/docs/1 ") ? 100'000 : 300'000;
    return http_answer(200, "{}", fmt::format("x-ms-continuation: {}\r\n", std::string(bytes, 'c')));
  });
  const Client client = client_of(service);
  EXPECT_EQ(client.send(read()).value().continuation().size(), 100'000);
  const Answer<Response> refused = client.send(read_item(kName, {.components = {std::string("a")}}, "2"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot be read"));
}

TEST(Client, IsToldToWaitForAMinuteAtMost) {
  TestService service([](const std::string&) { return http_answer(429, "{}", "x-ms-retry-after-ms: 9223372036854775807\r\n"); });
  EXPECT_EQ(client_of(service).send(create()).value().retry_after_ms(), kRetryAfterMsMax);
}

TEST(Client, WaitsAsLongAsAThrottledRequestIsTold) {
  std::atomic<int> asked = 0;
  TestService service([&](const std::string&) {
    return ++asked <= 2 ? http_answer(429, "{}", "x-ms-retry-after-ms: 1\r\n") : http_answer(201, "{}");
  });
  const Client client = client_of(service);
  const Answer<Response> answer = client.send(create());
  EXPECT_EQ(answer.value().status(), 201);
  EXPECT_EQ(answer->throttles, 2);
  EXPECT_EQ(client.counters().throttles, 2);
  EXPECT_EQ(client.counters().sent, 3);
}

TEST(Client, GivesTheRefusalWhereRetriesAreOffOrUsedUp) {
  std::atomic<int> asked = 0;
  TestService service([&](const std::string&) {
    ++asked;
    return http_answer(429, R"({"code":"429","message":"slow down"})", "x-ms-retry-after-ms: 1\r\n");
  });
  EXPECT_EQ(client_of(service, {.retry = {.is_enabled = false}}).send(create()).value().status(), 429);
  EXPECT_EQ(asked, 1);
  const Answer<Response> answer = client_of(service, {.retry = {.throttled_max = 2}}).send_expecting_success(create());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(answer.error().message, "slow down");
  EXPECT_EQ(answer.error().number, 1);
  EXPECT_EQ(asked, 1 + 3);
}

TEST(Client, RepeatsAfterALostConnectionOnlyWhatDoesNoHarmTwice) {
  std::atomic<int> asked = 0;
  TestService service([&](const std::string&) -> std::optional<std::string> {
    if (++asked % 2 == 1) return std::nullopt;
    return http_answer(200, "{}");
  });
  const Client client = client_of(service);
  EXPECT_EQ(client.send(read()).value().retries, 1);
  EXPECT_EQ(asked, 2);
  const Answer<Response> lost = client.send(create());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(lost.error().message, HasSubstr("the connection was lost before the answer came"));
  EXPECT_EQ(asked, 3);
}

TEST(Client, LeavesItToTheSenderThatAPartitionIsGone) {
  std::atomic<int> asked = 0;
  TestService service([&](const std::string&) {
    ++asked;
    return http_answer(410, "{}", "x-ms-substatus: 1002\r\n");
  });
  const Answer<Response> answer = client_of(service).send_expecting_success(read_items(kName, {.range_id = "7"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(asked, 1);
}

TEST(Client, EndsARequestThatTakesTooLong) {
  std::latch is_over(1);
  TestService service([&](const std::string&) {
    is_over.wait();
    return http_answer(200, "{}");
  });
  const Client client = client_of(service, {.request_timeout = std::chrono::milliseconds(1)});
  const Answer<Response> late = client.send(read());
  is_over.count_down();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
}

TEST(Client, RefusesAnAnswerThatIsTooLargeOrNoHttp) {
  TestService service([&](const std::string& request) {
    return request.contains("big") ? http_answer(200, std::string(2000, 'x')) : std::string("220 mail.example.org ready\r\n\r\n");
  });
  const Client client = client_of(service, {.answer_bytes_max = 1000});
  EXPECT_THAT(client.send({.path = "/big"}).error().message, HasSubstr("its answer cannot be read"));
  EXPECT_THAT(client.send({.path = "/"}).error().message, HasSubstr("its answer cannot be read"));
}

TEST(Client, HasNoMoreConnectionsThanItMay) {
  constexpr int kRequests = 200;
  TestService service([](const std::string&) { return http_answer(200, "{}"); });
  const Client client = client_of(service, {.connections_max = 3});
  std::latch open(kRequests);
  std::atomic<int> successes = 0;
  for (int i = 0; i < kRequests; ++i) {
    client.send(read(), [&](Answer<Response> answer) {
      successes += answer && answer->is_success() ? 1 : 0;
      open.count_down();
    });
  }
  open.wait();
  EXPECT_EQ(successes, kRequests);
  EXPECT_LE(service.connection_count(), 3);
}

TEST(Client, SendsFromCallbacks) {
  TestService service([](const std::string&) { return http_answer(200, "{}"); });
  const Client client = client_of(service, {.connections_max = 1});
  std::latch is_done(1);
  std::function<void(int)> chain = [&](int left) {
    client.send(read(), [&, left](Answer<Response>) { left == 0 ? is_done.count_down() : chain(left - 1); });
  };
  chain(100);
  is_done.wait();
  EXPECT_EQ(client.counters().sent, 101);
}

TEST(Client, FailsWhatIsUnansweredWhenItIsClosed) {
  std::latch is_over(1);
  std::latch is_asked(1);
  TestService service([&](const std::string&) -> std::optional<std::string> {
    is_asked.count_down();
    is_over.wait();
    return std::nullopt;
  });
  std::vector<std::string> messages;
  {
    const Client client = client_of(service, {.connections_max = 1});
    client.send(read(), [&](Answer<Response> answer) { messages.push_back(answer.error().message); });
    is_asked.wait();
    client.send(read(), [&](Answer<Response> answer) { messages.push_back(answer.error().message); });
  }
  is_over.count_down();
  EXPECT_THAT(messages, testing::ElementsAre("the client is closed", "the client is closed"));
}

TEST(Client, ReadsWhatItWrote) {
  std::atomic<int> asked = 0;
  TestService service([&](const std::string&) {
    return http_answer(200, "{}", fmt::format("x-ms-session-token: 0:-1#{}\r\n", ++asked == 2 ? 3 : 5));
  });
  const Client client = client_of(service);
  ASSERT_TRUE(client.send(create()));
  ASSERT_TRUE(client.send(read()));
  ASSERT_TRUE(client.send(read()));
  const std::vector<std::string> seen = service.requests();
  EXPECT_THAT(seen[0], Not(HasSubstr("x-ms-session-token")));
  EXPECT_THAT(seen[1], HasSubstr("x-ms-session-token: 0:-1#5\r\n"));
  EXPECT_THAT(seen[2], HasSubstr("x-ms-session-token: 0:-1#5\r\n"));
  client.forget_session(kName);
  EXPECT_EQ(client.session_tokens(kName), "");
}

TEST(Client, SaysWhoDoesNotAnswer) {
  const Client client = Client::create({.endpoint = "http://127.0.0.1:1/", .retry = {.is_enabled = false}}).value();
  const Answer<Response> answer = client.send(read());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().message, "http://127.0.0.1:1/ does not answer: Connection refused");
}

TEST(Client, RefusesWhatCannotStandInARequest) {
  TestService service([](const std::string&) { return http_answer(200, "{}"); });
  const Client client = client_of(service);
  EXPECT_EQ(client.send({.path = "/a b"}).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(client.send(Request{}.with("x-a", "b\r\nc: d")).error().code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(Client::create({.key = "not base64"}));
  EXPECT_FALSE(Client::create({.endpoint = "https://localhost/", .tls = {.authority_file = "/nowhere.pem"}}));
}

}  // namespace
}  // namespace partita::client
