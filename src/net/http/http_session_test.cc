#include "net/file_descriptor.h"
#include "net/test_client.h"
#include "net/test_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace partita::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 60s;

// Only tests in which nothing else has to be on time use less than kPatience.
constexpr auto kPatience = 400ms;

StreamLimits impatient(std::chrono::milliseconds StreamLimits::* which, std::chrono::milliseconds patience = 40ms) {
  StreamLimits limits;
  limits.*which = patience;
  return limits;
}

TEST(HttpSession, AnswersOnAKeptAliveConnection) {
  TestServer test;
  TestClient client(test.port());
  for (int round = 0; round < 3; ++round) {
    TestAnswer answer = client.request(post("/a/b?c=d", "body"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a/b?c=d plain body");
    EXPECT_EQ(answer.headers["Content-Type"], "text/plain");
    EXPECT_THAT(answer.headers["Date"], testing::MatchesRegex("[A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ [0-9:]+ GMT"));
    EXPECT_FALSE(answer.headers.contains("Connection"));
  }
  ServerCounters counters = test.server->counters();
  EXPECT_EQ(counters.requests, 3U);
  EXPECT_EQ(counters.connections_accepted, 1U);
  EXPECT_EQ(counters.connections_open, 1U);
}

TEST(HttpSession, AnswersRequestsThatArriveByteByByte) {
  TestServer test;
  TestClient client(test.port());
  std::string text =
      post("/a", "12345") +
      "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x\r\ndefg\r\n0\r\nT: t\r\n\r\n";
  for (char c : text) ASSERT_TRUE(client.send({&c, 1}));
  EXPECT_EQ(client.receive().body, "POST /a? plain 12345");
  EXPECT_EQ(client.receive().body, "POST /b? plain abcdefg");
}

TEST(HttpSession, AnswersPipelinedRequestsInOrderWhoeverCompletesThem) {
  TestServer test;
  TestClient client(test.port());
  std::string text;
  for (int i = 0; i < 60; ++i) text += get((i % 3 == 0 ? "/later?" : "/now?") + std::to_string(i));
  ASSERT_TRUE(client.send(text));
  for (int i = 0; i < 60; ++i) EXPECT_THAT(client.receive().body, testing::EndsWith("?" + std::to_string(i) + " plain ")) << i;
}

TEST(HttpSession, EarlierAnswersDoNotWaitForALaterHandler) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send(get("/first") + get("/hold")));
  EXPECT_EQ(client.receive().body, "GET /first? plain ");
  test.handler.wait_for_held(1);
  test.handler.release_held();
  EXPECT_EQ(client.receive().body, "GET /hold? plain ");
}

TEST(HttpSession, SendsNoBodyWhereNoneMayBe) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n"));
  TestAnswer answer = client.receive(false);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers["Content-Length"], std::to_string(std::string("HEAD /a? plain ").size()));
  answer = client.request(get("/status/204"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_FALSE(answer.headers.contains("Content-Length"));
  EXPECT_EQ(client.request(get("/status/304")).status, 304);
  EXPECT_EQ(client.request(get("/after")).body, "GET /after? plain ");
}

TEST(HttpSession, ClosesWhenTheClientAsksForIt) {
  TestServer test;
  TestClient client(test.port());
  TestAnswer answer = client.request(get("/a", "Connection: close\r\n"));
  EXPECT_EQ(answer.headers["Connection"], "close");
  EXPECT_TRUE(client.is_closed_by_server());

  TestClient old(test.port());
  EXPECT_EQ(old.request("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").headers["Connection"], "keep-alive");
  EXPECT_EQ(old.request("GET /a HTTP/1.0\r\n\r\n").headers["Connection"], "close");
  EXPECT_TRUE(old.is_closed_by_server());
}

TEST(HttpSession, AnswersAClientThatClosesItsHalf) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send(get("/later")));
  client.shutdown_send();
  EXPECT_EQ(client.receive().body, "GET /later? plain ");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpSession, PermitsABodyThatWaitsForPermission) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.receive().status, 100);
  EXPECT_EQ(client.request("body").body, "POST /a? plain body");
}

TEST(HttpSession, CarriesLargeBodiesBothWays) {
  TestServer test;
  TestClient client(test.port());
  std::string body(3'000'000, 'b');
  EXPECT_EQ(client.request(post("/a", body)).body, "POST /a? plain " + body);
  EXPECT_EQ(client.request(get("/large/5000000")).body.size(), 5'000'000U);
  EXPECT_EQ(client.request(get("/a")).status, 200);
}

TEST(HttpSession, ExplainsWhatIsWrongAndCloses) {
  TestServer test;
  TestClient client(test.port());
  TestAnswer answer = client.request("GET / HTTP/1.1\r\nHost: h\r\nName : x\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, R"({"code":"BadRequest","message":"white space before the colon of a header is refused"})");
  EXPECT_EQ(answer.headers["Content-Type"], "application/json");
  EXPECT_EQ(answer.headers["Connection"], "close");
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(test.server->counters().malformed_requests, 1U);
}

TEST(HttpSession, AnswersATooLargeBodyThatIsStillBeingSent) {
  HttpLimits limits;
  limits.body_bytes_max = 1000;
  TestServer test({}, 2, nullptr, limits);
  TestClient client(test.port());
  ASSERT_TRUE(client.send(post("/a", std::string(8'000'000, 'x'))));
  TestAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body, R"({"code":"RequestEntityTooLarge","message":"the body is larger than 1000 bytes"})");
}

TEST(HttpSession, AnswersTooLongHeads) {
  TestServer test;
  TestClient long_target(test.port());
  EXPECT_EQ(long_target.request(get("/" + std::string(20'000, 'x'))).status, 414);
  TestClient long_headers(test.port());
  EXPECT_EQ(long_headers.request(get("/", "A: " + std::string(70'000, 'x') + "\r\n")).status, 431);
  TestClient good(test.port());
  EXPECT_EQ(good.request(get("/", "A: " + std::string(60'000, 'x') + "\r\n")).status, 200);
}

TEST(HttpSession, CutsOffARequestThatDoesNotEnd) {
  TestServer test(impatient(&StreamLimits::message_timeout));
  TestClient other(test.port());
  EXPECT_EQ(other.request(get("/a")).status, 200);
  TestClient slow(test.port());
  TestAnswer answer = slow.request("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, R"({"code":"RequestTimeout","message":"the request did not arrive in time"})");
  EXPECT_TRUE(slow.is_closed_by_server());
  EXPECT_EQ(test.server->counters().timeouts, 1U);
  EXPECT_EQ(other.request(get("/a")).status, 200);
}

TEST(HttpSession, PermissionToSendABodyDoesNotStopTheTime) {
  TestServer test(impatient(&StreamLimits::message_timeout, kPatience));
  TestClient client(test.port());
  EXPECT_EQ(client.request(get("/a") + "POST /b HTTP/1.1\r\nHost: h\r\n").status, 200);  // the second request has begun
  EXPECT_EQ(client.request("Content-Length: 4\r\nExpect: 100-continue\r\n\r\n").status, 100);
  EXPECT_EQ(client.receive().status, 408);
}

TEST(HttpSession, CutsOffAClientThatNeverSpeaks) {
  TestServer test(impatient(&StreamLimits::idle_timeout));
  TestClient silent(test.port());
  EXPECT_TRUE(silent.is_closed_by_server());
}

TEST(HttpSession, CutsOffAHandshakeThatDoesNotEnd) {
  TestServer test(impatient(&StreamLimits::message_timeout));
  TestClient slow(test.port());
  ASSERT_TRUE(slow.send("\x16\x03\x01\x02"));
  EXPECT_TRUE(slow.is_closed_by_server());
  EXPECT_EQ(test.server->counters().timeouts, 1U);
}

TEST(HttpSession, ClosesIdleConnections) {
  TestServer test(impatient(&StreamLimits::idle_timeout, kPatience));
  TestClient client(test.port());
  EXPECT_EQ(client.request(get("/a")).status, 200);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpSession, AHandlerMayTakeLongerThanEveryTimeout) {
  StreamLimits limits;
  limits.idle_timeout = limits.message_timeout = limits.send_timeout = kPatience;
  TestServer test(limits);
  TestClient waiting(test.port());
  ASSERT_TRUE(waiting.send(get("/hold")));
  test.handler.wait_for_held(1);
  TestClient idle(test.port());  // its end shows that time has passed
  EXPECT_EQ(idle.request(get("/a")).status, 200);
  EXPECT_TRUE(idle.is_closed_by_server());
  test.handler.release_held();
  EXPECT_EQ(waiting.receive().status, 200);
}

TEST(HttpSession, CutsOffAClientThatDoesNotReadItsAnswer) {
  TestServer test(impatient(&StreamLimits::send_timeout));
  TestClient client(test.port());
  ASSERT_TRUE(client.send(get("/large/100000000")));
  while (test.server->counters().timeouts == 0) std::this_thread::yield();
  EXPECT_EQ(client.receive().status, 0);
}

TEST(HttpSession, RefusesConnectionsOverItsLimit) {
  StreamLimits limits;
  limits.connections_max = 2;
  TestServer test(limits);
  TestClient first(test.port());
  TestClient second(test.port());
  ASSERT_TRUE(first.send(get("/hold")));
  ASSERT_TRUE(second.send(get("/hold")));
  test.handler.wait_for_held(2);
  TestClient third(test.port());
  TestAnswer answer = third.request(get("/a"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, testing::StartsWith(R"({"code":"ServiceUnavailable")"));
  EXPECT_EQ(test.server->counters().connections_refused, 1U);
  TestClient fourth(test.port());
  EXPECT_EQ(fourth.request(get("/vital")).body, "GET /vital? plain ");
  EXPECT_TRUE(fourth.is_closed_by_server());
  test.handler.release_held();
  EXPECT_EQ(first.receive().status, 200);
  first.close();
  // The server learns of its end in its own time.
  while (TestClient(test.port()).request(get("/a")).status != 200) std::this_thread::yield();
  EXPECT_EQ(second.receive().status, 200);
}

TEST(HttpSession, ClosesOneThatWaitsForItsClientWhenThereAreTooMany) {
  StreamLimits limits;
  limits.connections_max = 20;
  TestServer test(limits);
  std::vector<std::unique_ptr<TestClient>> silent;  // idle, in the middle of a head, and of a handshake
  for (int i = 0; i < 20; ++i) {
    silent.push_back(std::make_unique<TestClient>(test.port()));
    if (i % 3 == 1) ASSERT_TRUE(silent.back()->send("GET / HTTP/1.1\r\nHo"));
    if (i % 3 == 2) ASSERT_TRUE(silent.back()->send("\x16\x03\x01\x02"));
  }
  while (test.server->counters().connections_open < 20) std::this_thread::yield();
  // Each of these finds room, though none of the others ends by itself.
  std::vector<std::unique_ptr<TestClient>> served;
  while (served.size() < 10) {
    auto client = std::make_unique<TestClient>(test.port());
    if (client->request(get("/hold-not")).status == 200) served.push_back(std::move(client));
  }
}

TEST(HttpSession, AsksForABodyBeforeItReadsIt) {
  TestServer test;
  TestClient client(test.port());
  const std::string large(2'000'000, 'b');
  ASSERT_TRUE(client.send("POST /a HTTP/1.1\r\nHost: h\r\nRefuse: yes\r\nContent-Length: 2000000\r\n\r\n"));
  TestAnswer answer = client.receive();  // before anything of the body is sent
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "refused 2000000");
  EXPECT_EQ(answer.headers["Connection"], "close");
  client.send(large);  // is taken, so that clients which do not look see their answer, and dropped
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(test.server->counters().requests, 0U);

  TestClient waiting(test.port());
  ASSERT_TRUE(waiting.send("POST /a HTTP/1.1\r\nHost: h\r\nRefuse: yes\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(waiting.receive().status, 401);  // not 100

  TestClient chunked(test.port());
  ASSERT_TRUE(chunked.send("POST /a HTTP/1.1\r\nHost: h\r\nRefuse: yes\r\nTransfer-Encoding: chunked\r\n\r\n"));
  answer = chunked.receive();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "refused unknown");
}

TEST(HttpSession, LimitsAChunkedBodyToWhatWasAdmitted) {
  TestServer test;
  TestClient client(test.port());
  const std::string chunk = "186A0\r\n" + std::string(100'000, 'x') + "\r\n";
  const std::string head = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nBody-Max: 250000\r\n\r\n";
  ASSERT_TRUE(client.send(head));
  ASSERT_TRUE(client.send(chunk + chunk + "0\r\n\r\n"));
  EXPECT_EQ(client.receive().body.size(), std::string("POST /a? plain ").size() + 200'000);
  ASSERT_TRUE(client.send(head));
  ASSERT_TRUE(client.send(chunk + chunk + chunk));
  EXPECT_EQ(client.receive().status, 413);
}

TEST(HttpSession, BodiesOfOneTenantLeaveMemoryToOthers) {
  StreamLimits limits;
  limits.memory_timeout = 40ms;
  FairMemory memory(8'000'000);
  TestServer test(limits, 2, &memory);
  const std::string head = "POST /t1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n";
  std::vector<std::unique_ptr<TestClient>> greedy;
  for (int i = 0; i < 2; ++i) {
    greedy.push_back(std::make_unique<TestClient>(test.port()));
    ASSERT_TRUE(greedy.back()->send(head + "x"));
  }
  while (memory.taken() < 4'000'000) std::this_thread::yield();
  TestClient one_more(test.port());
  // Its body is taken and dropped, so that it can read the answer.
  ASSERT_TRUE(one_more.send(head + std::string(1'000'000, 'x')));
  TestAnswer refused = one_more.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers["Retry-After"], "1");
  EXPECT_TRUE(one_more.is_closed_by_server());
  EXPECT_EQ(test.server->counters().refused_for_memory, 1U);

  TestClient other(test.port());
  EXPECT_EQ(other.request(post("/t2/a", std::string(1'000'000, 'y'))).status, 200);
  ASSERT_TRUE(greedy[0]->send(std::string(999'999, 'x')));
  EXPECT_EQ(greedy[0]->receive().body.size(), std::string("POST /t1/a? plain ").size() + 1'000'000);
  EXPECT_EQ(greedy[0]->request(get("/t1/small")).status, 200);
  greedy.clear();
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(HttpSession, ABodyWaitsForMemoryOfOthers) {
  FairMemory memory(8'000'000);
  TestServer test({}, 2, &memory);
  const std::string head = "POST /t1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n";
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<TestClient>(test.port()));
    ASSERT_TRUE(clients.back()->send(head));
  }
  while (memory.taken() < 4'000'000) std::this_thread::yield();
  TestClient pipelining(test.port());
  ASSERT_TRUE(pipelining.send(get("/t1/b") + head));
  EXPECT_EQ(pipelining.receive().status, 200);  // does not wait for the body after it
  std::vector<std::thread> senders;
  for (const auto& client : clients) {
    senders.emplace_back([&client] {
      EXPECT_TRUE(client->send(std::string(1'000'000, 'x')));
      EXPECT_EQ(client->receive().status, 200);
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(test.server->counters().refused_for_memory, 0U);
  ASSERT_TRUE(pipelining.send(std::string(1'000'000, 'x')));
  EXPECT_EQ(pipelining.receive().status, 200);
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(HttpSession, StopsWhileABodyWaitsForMemory) {
  StreamLimits limits;
  limits.memory_timeout = std::chrono::hours(1);
  FairMemory memory(8'000'000);
  TestServer test(limits, 2, &memory);
  const std::string head = "POST /t1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n";
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<TestClient>(test.port()));
    ASSERT_TRUE(clients.back()->send(head));
  }
  while (memory.taken() < 4'000'000) std::this_thread::yield();
  test.server.reset();
  EXPECT_EQ(memory.taken(), 0U);
}

TEST(HttpSession, AnswersThatNobodyReadsLeaveMemoryToOthers) {
  FairMemory memory(100'000'000);
  TestServer test({}, 2, &memory);
  TestClient unread(test.port());
  ASSERT_TRUE(unread.send(get("/large/60000000")));  // more than any socket's buffer
  while (memory.taken() == 0) std::this_thread::yield();
  TestClient second(test.port());
  EXPECT_EQ(second.request(get("/large/40000000")).status, 503);
  TestAnswer after = second.request(get("/a"));
  EXPECT_EQ(after.status, 200) << after.body;  // the connection goes on
  TestClient other(test.port());
  EXPECT_EQ(other.request(get("/t2/large/25000000")).body.size(), 25'000'000U);
  unread.close();
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(HttpSession, TellsWhatWasDoneWhateverMemoryThereIs) {
  FairMemory memory(100'000'000);
  TestServer test({}, 2, &memory);
  TestClient unread(test.port());
  ASSERT_TRUE(unread.send(get("/large/70000000")));
  while (memory.taken() == 0) std::this_thread::yield();
  const auto put = [](std::string_view path) {
    return std::string("PUT ").append(path).append(" HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  };
  TestClient client(test.port());
  EXPECT_EQ(client.request(get("/large/10000000")).status, 503);
  TestAnswer whole = client.request(put("/large/10000000"));
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body.size(), 10'000'000U);
  TestAnswer short_one = client.request(put("/large/20000000"));  // would leave too little to others
  EXPECT_EQ(short_one.status, 200);
  EXPECT_EQ(short_one.body, "");
  EXPECT_EQ(client.request(get("/a")).status, 200);
}

TEST(HttpSession, CutsOffABodyThatComesTooSlowly) {
  StreamLimits limits;
  limits.slow_grace = 40ms;
  limits.bytes_per_second_min = 1 << 30;
  FairMemory memory(10'000'000);
  TestServer test(limits, 2, &memory);
  TestClient slow(test.port());
  TestAnswer answer = slow.request("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nabc");
  EXPECT_EQ(answer.status, 408);
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(HttpSession, CutsOffASlowReaderWhenItsTenantWantsMore) {
  StreamLimits limits;
  limits.slow_grace_when_short = 40ms;
  limits.bytes_per_second_min_when_short = 1UL << 40;
  FairMemory memory(100'000'000);
  TestServer test(limits, 2, &memory);
  TestClient unread(test.port());
  ASSERT_TRUE(unread.send(get("/large/60000000")));
  while (memory.taken() == 0) std::this_thread::yield();
  while (TestClient(test.port()).request(get("/large/60000000")).status != 200) std::this_thread::yield();
  unread.wait_for_hangup();
}

TEST(HttpSession, CountsLargeBodiesAndAnswersOverTls) {
  FairMemory memory(20'000'000);
  TestServer test({}, 2, &memory);
  TestTlsClient client(test.port());
  const std::string body(1'000'000, 'b');
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(client.request(post("/a", body)).body, "POST /a? tls " + body);
    EXPECT_EQ(client.request(get("/large/5000000")).body.size(), 5'000'000U);
  }
  EXPECT_EQ(client.request(get("/a")).status, 200);
  EXPECT_EQ(memory.taken(), 0U);
}

TEST(HttpSession, TurnsClientsAwayWhileNoFileDescriptorIsLeft) {
  TestServer test;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few{.rlim_cur = 256, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<FileDescriptor> taken;
  for (FileDescriptor one(dup(0)); one.is_open(); one = FileDescriptor(dup(0))) taken.push_back(std::move(one));
  taken.pop_back();  // what is left is for the client
  TestClient unlucky(test.port());
  EXPECT_TRUE(unlucky.is_connected());
  EXPECT_TRUE(unlucky.is_closed_by_server());
  taken.clear();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  TestClient lucky(test.port());
  EXPECT_EQ(lucky.request(get("/a")).status, 200);
}

TEST(HttpSession, AFloodOnOneConnectionDoesNotStopTheOthers) {
  TestServer test({}, 1);
  TestClient flood(test.port());
  std::atomic<bool> is_over = false;
  std::string many;
  for (int i = 0; i < 2000; ++i) many += get("/a");
  std::thread sender([&] {
    while (!is_over && flood.send(many)) {
    }
  });
  std::thread reader([&] {
    char discarded[64 * 1024];
    while (::recv(flood.socket(), discarded, sizeof discarded, 0) > 0) {
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(TestClient(test.port()).request(get("/b")).status, 200);
  is_over = true;
  sender.join();
  flood.shutdown_send();
  reader.join();
}

TEST(HttpSession, RequestsThatAreAtHandGiveWayToOtherConnections) {
  TestServer test({}, 1);
  TestClient many(test.port());
  TestClient one(test.port());
  EXPECT_EQ(one.request(get("/a")).status, 200);
  std::string requests = get("/block");
  for (int i = 0; i < 20; ++i) requests += get("/busy?m");
  ASSERT_TRUE(many.send(requests));
  test.handler.wait_for_block();
  ASSERT_TRUE(one.send(get("/busy?o")));
  test.handler.unblock();
  EXPECT_EQ(one.receive().status, 200);
  for (int i = 0; i < 21; ++i) EXPECT_EQ(many.receive().status, 200);
  test.server->stop(kLong);
  EXPECT_LT(test.handler.order.find('o'), 10U) << test.handler.order;
}

TEST(HttpSession, ADroppedRequestIsAnswered) {
  TestServer test;
  TestClient client(test.port());
  TestAnswer answer = client.request(get("/drop"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_FALSE(answer.headers.contains("Half"));
  EXPECT_EQ(client.request(get("/a")).status, 200);
}

TEST(HttpSession, SurvivesClientsThatLeaveBeforeTheirAnswer) {
  TestServer test;
  for (int i = 0; i < 20; ++i) {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(get("/hold") + get("/large/1000000")));
  }
  test.handler.wait_for_held(20);
  test.handler.release_held();
  test.server->stop(kLong);
  EXPECT_EQ(test.server->counters().connections_open, 0U);
}

TEST(HttpSession, AHandlerLearnsThatItsClientIsGone) {
  TestServer test;
  {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(get("/hold")));
    test.handler.wait_for_held(1);
  }
  test.handler.wait_for_abandonment();
  test.handler.release_held();
}

TEST(HttpSession, SurvivesClientsThatLeaveInTheMiddleOfARequest) {
  TestServer test;
  std::string text = post("/a", "body");
  for (size_t cut = 0; cut < text.size(); ++cut) {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(text.substr(0, cut)));
  }
  test.server->stop(kLong);
  EXPECT_EQ(test.server->counters().connections_open, 0U);
  EXPECT_EQ(test.server->counters().requests, 0U);
}

TEST(HttpSession, StopLetsRequestsFinish) {
  TestServer test;
  TestClient busy(test.port());
  TestClient idle(test.port());
  EXPECT_EQ(idle.request(get("/a")).status, 200);
  ASSERT_TRUE(busy.send(get("/hold")));
  test.handler.wait_for_held(1);
  auto stopped = std::async(std::launch::async, [&] { test.server->stop(kLong); });
  EXPECT_TRUE(idle.is_closed_by_server());
  EXPECT_FALSE(TestClient(test.port()).is_connected());
  test.handler.release_held();
  TestAnswer answer = busy.receive();
  EXPECT_EQ(answer.body, "GET /hold? plain ");
  EXPECT_EQ(answer.headers["Connection"], "close");
  busy.close();
  stopped.get();
  EXPECT_EQ(test.server->counters().connections_open, 0U);
  test.server->stop(kLong);
}

TEST(HttpSession, StopDoesNotWaitBeyondItsGrace) {
  TestServer test;
  TestClient half(test.port());
  ASSERT_TRUE(half.send("GET / HTTP/1.1\r\n"));
  TestClient busy(test.port());
  ASSERT_TRUE(busy.send(get("/hold")));
  test.handler.wait_for_held(1);
  test.server->stop(1ms);
  EXPECT_TRUE(half.is_closed_by_server());
  while (test.server->counters().connections_open != 1) std::this_thread::yield();
  test.handler.release_held();
  EXPECT_TRUE(busy.is_closed_by_server());
}

TEST(HttpSession, StopTellsHandlersThatNobodyWaits) {
  TestServer test;
  TestClient busy(test.port());
  ASSERT_TRUE(busy.send(get("/hold")));
  test.handler.wait_for_held(1);
  test.server->stop(1ms);
  test.handler.wait_for_abandonment();
  test.handler.release_held();
}

TEST(HttpSession, TheDestructorWaitsForHandlers) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send(get("/hold")));
  test.handler.wait_for_held(1);
  uint16_t port = test.port();
  auto destroyed = std::async(std::launch::async, [&] { test.server.reset(); });
  while (TestClient(port).is_connected()) std::this_thread::yield();
  EXPECT_EQ(destroyed.wait_for(0s), std::future_status::timeout);
  test.handler.release_held();
  destroyed.get();
  client.receive();  // sent or not: the handler and the end of the grace raced
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpSession, ServesManyConnectionsAtOnce) {
  TestServer test;
  constexpr size_t kClients = 300;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (size_t i = 0; i < kClients; ++i) clients.push_back(std::make_unique<TestClient>(test.port()));
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < kClients; ++i)
      ASSERT_TRUE(clients[i]->send(get((i % 50 == 0 ? "/later?" : "/now?") + std::to_string(i))));
    for (size_t i = 0; i < kClients; ++i)
      EXPECT_THAT(clients[i]->receive().body, testing::EndsWith("?" + std::to_string(i) + " plain "));
  }
  EXPECT_EQ(test.server->counters().requests, 3 * kClients);
  EXPECT_EQ(test.server->counters().connections_open, kClients);
}

TEST(HttpSession, ConcurrentClientsAndCompletionsDoNotDisturbEachOther) {
  TestServer test;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        TestClient client(test.port());
        std::string number = std::to_string(thread * 1000 + i);
        EXPECT_EQ(client.request(post("/later?" + number, number)).body, "POST /later?" + number + " plain " + number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpSession, SaysThatAPortIsInUse) {
  TestServer test;
  auto second = Server::start({}, {{.port = test.port(), .wires = {&test.wire}}});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message,
              testing::HasSubstr("port " + std::to_string(test.port()) + " on 127.0.0.1 is already in use; "));
}

TEST(HttpSession, SaysWhatIsWrongWithItsOptions) {
  TestHandler handler;
  HttpWire wire(handler);
  const auto start = [&](const std::string& address, const TlsIdentity& identity) {
    return Server::start({.tls = identity, .limits = {}}, {{.bind_address = address, .port = 0, .wires = {&wire}}});
  };
  EXPECT_THAT(start("nowhere", {}).error().message, testing::HasSubstr("'nowhere' is not an IP address"));
  const TlsIdentity nonsense{.certificate_pem = "nonsense", .private_key_pem = "nonsense"};
  EXPECT_THAT(start("127.0.0.1", nonsense).error().message, testing::HasSubstr("the TLS certificate cannot be used"));
}

}  // namespace
}  // namespace partita::net
