#include "net/wire.h"

#include "net/test_client.h"
#include "net/test_server.h"
#include "net/test_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace partita::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 60s;
constexpr auto kPatience = 400ms;

// One port on which both HTTP and frames are spoken, and one for frames only.
struct TwoWires {
  explicit TwoWires(StreamLimits limits = {}, size_t threads = 2, FairMemory* memory = nullptr) {
    ServerOptions options{.threads = threads, .tls = test_identity(), .limits = limits, .memory = memory};
    auto started = Server::start(std::move(options), {{.port = 0, .wires = {&frames, &http}}, {.port = 0, .wires = {&frames}}});
    EXPECT_TRUE(started.has_value()) << started.error().message;
    server = std::move(*started);
  }
  uint16_t shared_port() const { return server->port(0); }
  uint16_t own_port() const { return server->port(1); }

  TestHandler handler;
  HttpWire http{handler};
  TestWire frames;
  std::unique_ptr<Server> server;
};

struct Answer {
  uint32_t id = 0;
  std::string payload;

  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer receive_frame(TestClient& client) {
  const std::string head = client.receive_bytes(kFrameHeadBytes);
  if (head.size() < kFrameHeadBytes) return {};
  EXPECT_EQ(head[8], 'a');
  return {load_little_endian<uint32_t>(head.data() + 4), client.receive_bytes(load_little_endian<uint32_t>(head.data()))};
}

void begin(TestClient& client) { ASSERT_TRUE(client.send(kFrameMagic)); }

bool is_echoed(TestClient& client, uint32_t id, const std::string& payload) {
  return client.send(frame('e', id, payload)) && receive_frame(client) == Answer{id, payload};
}

void expect_both_wires(TestClient& web, TestClient& framed, const std::string& security) {
  EXPECT_EQ(web.request(get("/a")).body, "GET /a? " + security + " ");
  begin(framed);
  for (uint32_t id = 0; id < 5; ++id) EXPECT_TRUE(is_echoed(framed, id, std::string(id * 1000, 'p')));
  EXPECT_EQ(web.request(get("/b")).body, "GET /b? " + security + " ");
}

}  // namespace

TEST(Wire, IsToldApartFromHttpByItsFirstBytes) {
  TwoWires test;
  {
    TestClient web(test.shared_port());
    TestClient framed(test.shared_port());
    expect_both_wires(web, framed, "plain");
    EXPECT_EQ(test.frames.connections_open(), 1U);
    EXPECT_EQ(test.http.connections_open(), 1U);
  }
  TestTlsClient web(test.shared_port());
  TestTlsClient framed(test.shared_port());
  expect_both_wires(web, framed, "tls");
  EXPECT_EQ(test.server->counters().requests, 14U);
}

TEST(Wire, HasAPortOfItsOwn) {
  TwoWires test;
  TestClient plain(test.own_port());
  begin(plain);
  EXPECT_TRUE(is_echoed(plain, 1, "payload"));
  TestTlsClient secure(test.own_port());
  begin(secure);
  EXPECT_TRUE(is_echoed(secure, 2, "payload"));
  TestClient web(test.own_port());
  ASSERT_TRUE(web.send(get("/a")));
  EXPECT_TRUE(web.is_closed_by_server());
}

TEST(Wire, IsToldApartWhereverTheBytesAreCut) {
  TwoWires test;
  TestClient framed(test.shared_port());
  const std::string text = std::string(kFrameMagic) + frame('e', 7, "seven");
  for (const char c : text) ASSERT_TRUE(framed.send({&c, 1}));
  EXPECT_EQ(receive_frame(framed), (Answer{7, "seven"}));
  // A method that begins like the other wire.
  TestClient web(test.shared_port());
  const std::string request = "FRM / HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const char c : request) ASSERT_TRUE(web.send({&c, 1}));
  EXPECT_EQ(web.receive().body, "FRM /? plain ");
}

TEST(Wire, TurnsAwayWhatNobodySpeaks) {
  TestWire first;
  TestWire second;
  auto server = Server::start({.tls = {}, .limits = {}}, {{.port = 0, .wires = {&first, &second}}});
  ASSERT_TRUE(server.has_value());
  TestClient client((*server)->port());
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ((*server)->counters().malformed_requests, 1U);
}

TEST(Wire, AnswersInAnyOrderWhileItReceives) {
  TwoWires test;
  TestClient plain(test.shared_port());
  TestTlsClient secure(test.shared_port());
  for (TestClient* client : std::initializer_list<TestClient*>{&plain, &secure}) {
    begin(*client);
    ASSERT_TRUE(client->send(frame('h', 1, "one") + frame('h', 2, "two") + frame('e', 3, "three")));
    EXPECT_EQ(receive_frame(*client), (Answer{3, "three"}));
    test.frames.wait_for_held(2);
    EXPECT_TRUE(is_echoed(*client, 4, "four"));
    test.frames.release_held();
    EXPECT_EQ(receive_frame(*client), (Answer{2, "two"}));
    EXPECT_EQ(receive_frame(*client), (Answer{1, "one"}));
  }
}

TEST(Wire, SendsAndReceivesAtTheSameTime) {
  TwoWires test;
  TestTlsClient secure(test.shared_port());
  begin(secure);
  // More than sockets hold: both directions are full of bytes before the first is read.
  const std::string payload(8000, 'p');
  std::string many;
  for (uint32_t id = 0; id < 200; ++id) many += frame('e', id, payload);
  ASSERT_TRUE(secure.send(many));
  for (uint32_t id = 0; id < 200; ++id) ASSERT_EQ(receive_frame(secure), (Answer{id, payload})) << id;
}

TEST(Wire, SurvivesPeersThatLeaveInTheMiddleOfAMessage) {
  TwoWires test;
  const std::string text = std::string(kFrameMagic) + frame('e', 1, "payload");
  for (const uint16_t port : {test.shared_port(), test.own_port()}) {
    for (size_t cut = 0; cut < text.size(); ++cut) {
      TestClient client(port);
      ASSERT_TRUE(client.send(text.substr(0, cut)));
    }
  }
  test.server->stop(kLong);
  EXPECT_EQ(test.server->counters().connections_open, 0U);
  EXPECT_EQ(test.server->counters().requests, 0U);
  EXPECT_EQ(test.frames.connections_open(), 0U);
}

TEST(Wire, SlowPeersAreCutOff) {
  StreamLimits limits;
  limits.message_timeout = kPatience;
  TwoWires test(limits);
  TestClient half_magic(test.shared_port());
  ASSERT_TRUE(half_magic.send(kFrameMagic.substr(0, 2)));
  TestClient half_frame(test.shared_port());
  ASSERT_TRUE(half_frame.send(std::string(kFrameMagic) + frame('e', 1, "payload").substr(0, 11)));
  EXPECT_TRUE(half_magic.is_closed_by_server());
  EXPECT_TRUE(half_frame.is_closed_by_server());
  EXPECT_EQ(test.server->counters().timeouts, 2U);
  TestClient other(test.shared_port());
  begin(other);
  EXPECT_TRUE(is_echoed(other, 1, "payload"));
}

TEST(Wire, SilentPeersAreCutOffUnlessSomebodyWorksForThem) {
  StreamLimits limits;
  limits.idle_timeout = kPatience;
  TwoWires test(limits);
  TestClient waiting(test.shared_port());
  begin(waiting);
  ASSERT_TRUE(waiting.send(frame('h', 1, "one")));
  test.frames.wait_for_held(1);
  for (int round = 0; round < 2; ++round) {  // their ends show that time has passed
    TestClient silent(test.shared_port());
    begin(silent);
    EXPECT_TRUE(is_echoed(silent, 1, "payload"));
    EXPECT_TRUE(silent.is_closed_by_server());
  }
  test.frames.release_held();
  EXPECT_EQ(receive_frame(waiting), (Answer{1, "one"}));
  EXPECT_TRUE(waiting.is_closed_by_server());
}

TEST(Wire, APeerThatDoesNotReadHoldsNobodyUpAndIsCutOff) {
  StreamLimits limits;
  limits.send_timeout = kPatience;
  FairMemory memory(200'000'000);
  TwoWires test(limits, 1, &memory);
  TestClient unread(test.shared_port());
  begin(unread);
  ASSERT_TRUE(unread.send(frame('g', 1, "60000000")));
  TestClient other(test.shared_port());
  begin(other);
  while (memory.taken() == 0) ASSERT_TRUE(is_echoed(other, 1, "payload"));
  while (test.server->counters().timeouts == 0) ASSERT_TRUE(is_echoed(other, 1, "payload"));
  while (memory.taken() > 0) std::this_thread::yield();
  unread.wait_for_hangup();
}

TEST(Wire, AFloodIsReadNoFasterThanItsAnswersAre) {
  TwoWires test({}, 1);
  TestClient flood(test.shared_port());
  begin(flood);
  constexpr uint32_t kFrames = 5000;
  const std::string payload(10'000, 'p');
  std::thread sender([&] {
    for (uint32_t id = 0; id < kFrames; ++id) EXPECT_TRUE(flood.send(frame('e', id, payload)));
  });
  TestClient other(test.shared_port());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.request(get("/a")).status, 200);
  for (uint32_t id = 0; id < kFrames; ++id) ASSERT_EQ(receive_frame(flood), (Answer{id, payload})) << id;
  sender.join();
  EXPECT_LE(test.frames.output_bytes_max, 2 * kUncountedBytes);
}

TEST(Wire, LargeMessagesAreBorrowedFor) {
  StreamLimits limits;
  limits.memory_timeout = 40ms;
  FairMemory memory(4'000'000);
  TwoWires test(limits, 2, &memory);
  const std::string large(1'000'000, 'p');
  TestClient slow(test.shared_port());
  begin(slow);
  ASSERT_TRUE(slow.send(frame('e', 1, large).substr(0, 100)));
  while (memory.taken() == 0) std::this_thread::yield();
  TestClient refused(test.shared_port());
  begin(refused);
  ASSERT_TRUE(refused.send(frame('e', 2, large).substr(0, 100)));
  EXPECT_TRUE(refused.is_closed_by_server());
  EXPECT_EQ(test.server->counters().refused_for_memory, 1U);
  ASSERT_TRUE(slow.send(std::string_view(large).substr(100 - kFrameHeadBytes)));
  EXPECT_EQ(receive_frame(slow), (Answer{1, large}));
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(Wire, ASessionThatBorrowsNothingIsCutOff) {
  TwoWires test;
  test.frames.is_careless = true;
  TestClient client(test.shared_port());
  begin(client);
  client.send(frame('e', 1, std::string(1'000'000, 'p')));
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_EQ(test.server->counters().requests, 0U);
}

TEST(Wire, IsClosedOverTheLimitOfConnections) {
  StreamLimits limits;
  limits.connections_max = 1;
  TwoWires test(limits);
  TestClient first(test.shared_port());
  begin(first);
  ASSERT_TRUE(first.send(frame('h', 1, "one")));
  test.frames.wait_for_held(1);  // so that it does not give way
  TestClient second(test.shared_port());
  begin(second);
  EXPECT_TRUE(second.is_closed_by_server());
  EXPECT_EQ(test.server->counters().connections_refused, 1U);
  test.frames.release_held();
  EXPECT_EQ(receive_frame(first), (Answer{1, "one"}));
}

TEST(Wire, AnEndOfTheServerLetsWorkFinish) {
  TwoWires test;
  TestClient busy(test.shared_port());
  begin(busy);
  ASSERT_TRUE(busy.send(frame('h', 1, "one")));
  TestClient idle(test.own_port());
  begin(idle);
  EXPECT_TRUE(is_echoed(idle, 1, "payload"));
  test.frames.wait_for_held(1);
  auto stopped = std::async(std::launch::async, [&] { test.server->stop(kLong); });
  EXPECT_TRUE(idle.is_closed_by_server());
  test.frames.release_held();
  EXPECT_EQ(receive_frame(busy), (Answer{1, "one"}));
  EXPECT_TRUE(busy.is_closed_by_server());
  stopped.get();
  EXPECT_EQ(test.server->counters().connections_open, 0U);
}

TEST(Wire, AnEndOfTheServerWaitsForNoPeer) {
  FairMemory memory(200'000'000);
  TwoWires test({}, 2, &memory);
  TestClient busy(test.shared_port());
  begin(busy);
  ASSERT_TRUE(busy.send(frame('h', 1, "one")));
  TestClient unread(test.shared_port());
  begin(unread);
  ASSERT_TRUE(unread.send(frame('g', 1, "60000000")));
  TestClient half(test.shared_port());
  ASSERT_TRUE(half.send(std::string(kFrameMagic) + "ab"));
  test.frames.wait_for_held(1);
  while (memory.taken() == 0) std::this_thread::yield();
  test.server->stop(1ms);
  EXPECT_TRUE(half.is_closed_by_server());
  test.frames.wait_for_abandonment();
  auto destroyed = std::async(std::launch::async, [&] { test.server.reset(); });
  EXPECT_EQ(destroyed.wait_for(0s), std::future_status::timeout) << "somebody is at work";
  test.frames.release_held();
  destroyed.get();
  EXPECT_EQ(memory.taken(), 0U);
}

TEST(Wire, StallsOfItsThreadAreCounted) {
  TwoWires test;
  TestClient client(test.own_port());
  begin(client);
  ASSERT_TRUE(client.send(frame('s', 1, "")));
  EXPECT_EQ(receive_frame(client), (Answer{1, ""}));
  EXPECT_TRUE(is_echoed(client, 2, ""));  // the callback before has ended
  EXPECT_GE(test.server->counters().callbacks_over_1_ms, 1U);
}

}  // namespace partita::net
