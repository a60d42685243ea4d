#include "net/http/http_stream.h"

#include "net/test_client.h"
#include "net/test_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace partita::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 400ms;

// StreamHandler: takes what is sent to /up/... piece by piece and answers how many bytes and whether they are as sent; makes what
// is asked of /down/N in pieces. ?known: with a length. ?fail: fails after half of it. ?thread: pieces come from another thread.
// ?stop: answers after the first piece. What came whole is answered like that, too.
class StreamHandler final : public HttpHandler {
 public:
  explicit StreamHandler(FairMemory* memory) : memory_(memory) {}

  bool streams(const HttpRequest& head) const override { return head.path.starts_with("/up"); }
  HttpAdmission admit(const HttpRequest& head, HttpResponse& refusal) override {
    if (head.query != "refuse") return {.body_bytes_max = head.query == "small" ? 300'000 : SIZE_MAX};
    refusal.status = 401;
    return {.is_admitted = false};
  }
  void handle(const HttpRequest& request, HttpResponse& response, HttpDone done) override {
    if (request.path.starts_with("/down/")) {
      const size_t bytes = std::stoul(std::string(request.path.substr(6)));
      response.source = std::make_shared<Source>(*this, bytes, request.query);
      if (request.query.contains("known")) response.source_bytes = bytes;
      return done();
    }
    if (request.streamed_body == nullptr) {
      response.body = fmt::format("whole {} bytes", request.body.size());
      return done();
    }
    take_next(std::make_shared<Upload>(request, response, std::move(done)));
  }

  std::atomic<int> sources = 0;  // that live
  std::atomic<int> uploads = 0;
  std::atomic<size_t> memory_max = 0;
  std::string last_error() {
    std::lock_guard lock(mutex_);
    return last_error_;
  }
  void wait_for_errors(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return errors_ >= count; });
  }
  // Of uploads to ?hold: none asks for more until then.
  void go_on() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ != nullptr; });
    std::shared_ptr<Upload> upload = std::exchange(held_, nullptr);
    lock.unlock();
    take_next(std::move(upload));
  }

 private:
  struct Upload {
    Upload(const HttpRequest& given_request, HttpResponse& given_response, HttpDone given_done)
        : request(given_request), response(given_response), done(std::move(given_done)) {}
    const HttpRequest& request;
    HttpResponse& response;
    HttpDone done;
    size_t bytes = 0;
    bool is_as_sent = true;  // nothing but 'u'
  };

  class Source final : public ResponseSource {
   public:
    Source(StreamHandler& handler, size_t bytes, std::string_view query)
        : handler_(handler),
          rest_(bytes),
          fails_at_(query.contains("fail") ? bytes / 2 : SIZE_MAX),
          is_threaded_(query.contains("thread")) {
      ++handler_.sources;
    }
    ~Source() override { --handler_.sources; }
    void make(std::string& piece, OnMade on_made) override {
      if (!is_threaded_) return fill(piece, std::move(on_made));
      std::thread([this, &piece, made = std::move(on_made)]() mutable { fill(piece, std::move(made)); }).detach();
    }

   private:
    void fill(std::string& piece, OnMade on_made) {
      handler_.note_memory();
      const size_t bytes = std::min(rest_, 100'000UL);
      if (rest_ < fails_at_ && fails_at_ != SIZE_MAX) return on_made(Progress::kFailed);
      if (++makes_ % 3 == 0) return on_made(Progress::kMore);  // nothing, for once
      piece.assign(bytes, 'd');
      rest_ -= bytes;
      on_made(rest_ == 0 ? Progress::kEnd : Progress::kMore);
    }
    StreamHandler& handler_;
    size_t rest_;
    const size_t fails_at_;
    const bool is_threaded_;
    int makes_ = 0;
  };

  void note_memory() {
    if (memory_ != nullptr && memory_->taken() > memory_max) memory_max = memory_->taken();
  }

  void take_next(std::shared_ptr<Upload> upload) {
    RequestBody& body = *upload->request.streamed_body;
    body.next([this, upload = std::move(upload)](Result<std::string_view> piece) mutable { take(std::move(upload), piece); });
  }

  void take(std::shared_ptr<Upload> upload, const Result<std::string_view>& piece) {
    note_memory();
    if (!piece) {
      {
        std::lock_guard lock(mutex_);
        last_error_ = piece.error().message;
        ++errors_;
        changed_.notify_all();
      }
      upload->response.status = 400;
      return upload->done();
    }
    EXPECT_LE(piece->size(), kStreamedBytesMax);
    upload->bytes += piece->size();
    static const std::string kExpected(kStreamedBytesMax, 'u');
    upload->is_as_sent = upload->is_as_sent && kExpected.starts_with(*piece);
    if (piece->empty() || upload->request.query == "stop") {
      upload->response.body = fmt::format("{} {} streamed {} bytes, as sent {}", upload->request.method, upload->request.path,
                                          upload->bytes, upload->is_as_sent);
      ++uploads;
      return upload->done();
    }
    if (upload->request.query == "hold" && upload->bytes == piece->size()) {
      std::lock_guard lock(mutex_);
      held_ = std::move(upload);
      return changed_.notify_all();
    }
    if (upload->request.query != "thread") return take_next(std::move(upload));
    std::thread([this, upload = std::move(upload)]() mutable { take_next(std::move(upload)); }).detach();
  }

  FairMemory* memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string last_error_;
  int errors_ = 0;
  std::shared_ptr<Upload> held_;
};

struct StreamServer {
  explicit StreamServer(StreamLimits limits = {}, FairMemory* memory = nullptr, size_t threads = 2) : handler(memory) {
    ServerOptions options{.threads = threads, .tls = test_identity(), .limits = limits, .memory = memory};
    auto started = Server::start(std::move(options), {{.port = 0, .wires = {&wire}}});
    EXPECT_TRUE(started.has_value());
    server = std::move(*started);
  }
  uint16_t port() const { return server->port(); }

  StreamHandler handler;
  HttpWire wire{handler};
  std::unique_ptr<Server> server;
};

std::string upload_head(size_t bytes, std::string_view query = "") {
  return fmt::format("POST /up/a?{} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", query, bytes);
}
std::string chunked_head(std::string_view query = "") {
  return fmt::format("POST /up/a?{} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", query);
}
std::string chunk(std::string_view data) { return fmt::format("{:x}\r\n{}\r\n", data.size(), data); }
std::string streamed(size_t bytes) { return fmt::format("POST /up/a streamed {} bytes, as sent true", bytes); }

// The status, then the body of a chunked answer; shorter when the connection ended before.
size_t receive_chunks(TestClient& client) {
  size_t bytes = 0;
  while (true) {
    std::string line;
    while (!line.ends_with("\r\n")) {
      const std::string next = client.receive_bytes(1);
      if (next.empty()) return bytes;
      line += next;
    }
    const size_t size = std::stoul(line, nullptr, 16);
    const std::string data = client.receive_bytes(size + 2);
    if (data.size() < size + 2) return bytes + data.size();
    bytes += size;
    if (size == 0) return bytes;
  }
}

}  // namespace

TEST(HttpStream, TakesABodyPieceByPiece) {
  StreamServer test;
  TestClient plain(test.port());
  TestTlsClient secure(test.port());
  for (TestClient* client : std::initializer_list<TestClient*>{&plain, &secure}) {
    for (const char* query : {"", "thread"}) {
      ASSERT_TRUE(client->send(upload_head(1'000'000, query)));
      ASSERT_TRUE(client->send(std::string(1'000'000, 'u')));
      EXPECT_EQ(client->receive().body, streamed(1'000'000)) << query;
      // The first chunk comes with the head, the others do not.
      ASSERT_TRUE(client->send(chunked_head(query) + chunk("uuu")));
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(client->send(chunk(std::string(50'000, 'u'))));
      ASSERT_TRUE(client->send("0\r\nTrailer: t\r\n\r\n"));
      EXPECT_EQ(client->receive().body, streamed(500'003)) << query;
    }
    EXPECT_EQ(client->request(post("/up/a", "small")).body, "whole 5 bytes");
  }
}

TEST(HttpStream, IsTheSameWhereverTheBytesAreCut) {
  StreamServer test;
  const std::string text = chunked_head() + chunk("uu") + "1;x=y\r\nu\r\n" + "0\r\nT: t\r\n\r\n" + get("/after");
  for (size_t cut = chunked_head().size(); cut < text.size(); ++cut) {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(text.substr(0, cut)));
    ASSERT_TRUE(client.send(text.substr(cut)));
    EXPECT_THAT(client.receive().body, testing::AnyOf(streamed(3), "whole 3 bytes")) << cut;
    EXPECT_EQ(client.receive().body, "whole 0 bytes") << cut;
  }
}

TEST(HttpStream, CarriesMoreThanThereIsMemory) {
  FairMemory memory(4'000'000);
  StreamServer test({}, &memory);
  constexpr size_t kBytes = 300'000'000;
  const std::string million(1'000'000, 'u');
  TestClient client(test.port());
  std::thread sender([&] {
    EXPECT_TRUE(client.send(upload_head(kBytes)));  // more than body_bytes_max, too
    for (size_t sent = 0; sent < kBytes; sent += million.size()) EXPECT_TRUE(client.send(million));
  });
  EXPECT_EQ(client.receive().body, streamed(kBytes));
  sender.join();
  ASSERT_TRUE(client.send(get("/down/300000000")));
  EXPECT_EQ(client.receive().headers["Transfer-Encoding"], "chunked");
  EXPECT_EQ(receive_chunks(client), kBytes);
  ASSERT_TRUE(client.send(get("/down/100000000?known") + get("/down/0?known") + get("/down/0")));
  EXPECT_EQ(client.receive().body.size(), 100'000'000U);
  EXPECT_EQ(client.receive().headers["Content-Length"], "0");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(receive_chunks(client), 0U);
  EXPECT_LE(test.handler.memory_max, 4 * kStreamedBytesMax);
  EXPECT_GT(test.handler.memory_max, 0U);
  while (memory.taken() > 0) std::this_thread::yield();
  while (test.handler.sources > 0) std::this_thread::yield();
}

TEST(HttpStream, AnswersInPiecesOverTlsAndFromOtherThreads) {
  StreamServer test;
  TestTlsClient client(test.port());
  for (const char* query : {"", "thread"}) {
    ASSERT_TRUE(client.send(get(fmt::format("/down/1000000?{}", query)) + get("/after")));  // pipelined behind it
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(receive_chunks(client), 1'000'000U);
    EXPECT_EQ(client.receive().body, "whole 0 bytes");
  }
}

TEST(HttpStream, SendsNoBodyWhereNoneMayBe) {
  StreamServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send("HEAD /down/1000 HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(client.receive(false).headers["Transfer-Encoding"], "chunked");
  ASSERT_TRUE(client.send("HEAD /down/1000?known HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(client.receive(false).headers["Content-Length"], "1000");
  EXPECT_EQ(client.request(get("/after")).body, "whole 0 bytes");
  EXPECT_EQ(test.handler.sources, 0);
}

TEST(HttpStream, EndsTheConnectionOfAnOldClientWithTheBody) {
  StreamServer test;
  TestClient old(test.port());
  ASSERT_TRUE(old.send("GET /down/500000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  TestAnswer answer = old.receive();
  EXPECT_EQ(answer.headers["Connection"], "close");
  EXPECT_FALSE(answer.headers.contains("Transfer-Encoding"));
  EXPECT_EQ(old.receive_bytes(600'000).size(), 500'000U);
  TestClient known(test.port());
  answer = known.request("GET /down/500000?known HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(answer.headers["Connection"], "keep-alive");
  EXPECT_EQ(answer.body.size(), 500'000U);
}

TEST(HttpStream, AnAnswerThatFailsInTheMiddleDoesNotLookWhole) {
  StreamServer test;
  for (const char* query : {"fail", "fail-thread"}) {
    TestClient chunked(test.port());
    ASSERT_TRUE(chunked.send(get(fmt::format("/down/1000000?{}", query))));
    EXPECT_EQ(chunked.receive().status, 200);
    EXPECT_LT(receive_chunks(chunked), 1'000'000U);
    TestClient known(test.port());
    EXPECT_EQ(known.request(get(fmt::format("/down/1000000?known-{}", query))).status, 0);
  }
  while (test.handler.sources > 0) std::this_thread::yield();
}

TEST(HttpStream, TellsASourceThatItsClientIsGone) {
  FairMemory memory(4'000'000);
  StreamServer test({}, &memory);
  {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(get("/down/1000000000")));
    client.receive_bytes(1000);
  }
  while (test.handler.sources > 0) std::this_thread::yield();
  while (memory.taken() > 0) std::this_thread::yield();
}

TEST(HttpStream, ASlowReaderHoldsNobodyUpAndIsCutOff) {
  StreamLimits limits;
  limits.send_timeout = kPatience;
  FairMemory memory(4'000'000);
  StreamServer test(limits, &memory, 1);
  TestClient slow(test.port());
  ASSERT_TRUE(slow.send(get("/down/1000000000")));
  TestClient other(test.port());
  while (test.server->counters().timeouts == 0) ASSERT_EQ(other.request(get("/a")).status, 200);
  while (test.handler.sources > 0) std::this_thread::yield();
  EXPECT_LE(test.handler.memory_max, 2 * kStreamedBytesMax);
}

TEST(HttpStream, TellsAHandlerThatItsClientIsGone) {
  StreamServer test;
  {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(upload_head(1'000'000) + "uuu"));
  }
  test.handler.wait_for_errors(1);
  EXPECT_EQ(test.handler.last_error(), "the client is gone");
}

TEST(HttpStream, ASlowSenderIsCutOffButNotForASlowHandler) {
  StreamLimits limits;
  limits.slow_grace = kPatience;
  limits.bytes_per_second_min = 100'000;
  StreamServer test(limits);
  TestClient held(test.port());
  ASSERT_TRUE(held.send(upload_head(1'000'000, "hold")));
  ASSERT_TRUE(held.send(std::string(500'000, 'u')));
  for (int i = 1; i <= 2; ++i) {  // their ends show that time has passed
    TestClient slow(test.port());
    ASSERT_TRUE(slow.send(upload_head(1'000'000) + "uuu"));
    test.handler.wait_for_errors(i);
    EXPECT_EQ(test.handler.last_error(), "the body did not arrive in time");
  }
  test.handler.go_on();
  ASSERT_TRUE(held.send(std::string(500'000, 'u')));
  EXPECT_EQ(held.receive().status, 200);
}

TEST(HttpStream, ReceivesNothingThatNobodyAskedFor) {
  StreamServer test;
  TestClient held(test.port());
  ASSERT_TRUE(held.send(upload_head(200'000'000, "hold")));
  std::atomic<bool> is_sent = false;
  std::thread sender([&] {
    EXPECT_TRUE(held.send(std::string(200'000'000, 'u')));  // more than sockets hold
    is_sent = true;
  });
  TestClient other(test.port());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(other.request(get("/a")).status, 200);
  EXPECT_FALSE(is_sent);
  test.handler.go_on();
  EXPECT_EQ(held.receive().status, 200);
  sender.join();
}

TEST(HttpStream, RefusesABodyThatBreaksTheRules) {
  StreamServer test;
  const std::vector<std::string> broken = {
      chunk(std::string(100'000, 'u')) + "zz\r\n",         // no size
      chunk(std::string(100'000, 'u')) + "3\r\nuuuu\r\n",  // longer than its size
      chunk(std::string(100'000, 'u')) + "3\nuuu\r\n",     // LF alone
      chunk(std::string(100'000, 'u')) + "-3\r\nuuu\r\n",  //
      chunk(std::string(100'000, 'u')) + "0\r\nbad trailer\r\n\r\n",
      chunk(std::string(100'000, 'u')) + "FFFFFFFFFFFFFFFF1\r\nu",
  };
  for (const std::string& body : broken) {
    TestClient client(test.port());
    ASSERT_TRUE(client.send(chunked_head()));
    client.send(body + get("/smuggled"));
    EXPECT_EQ(client.receive().status, 400) << body.substr(100'000);
    EXPECT_TRUE(client.is_closed_by_server()) << body.substr(100'000);
  }
  TestClient both(test.port());
  EXPECT_EQ(
      both.request("POST /up/a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\nTransfer-Encoding: chunked\r\n\r\n").status,
      400);
  TestClient old(test.port());
  EXPECT_EQ(old.request("POST /up/a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").status, 400);
}

TEST(HttpStream, HoldsAStreamToWhatWasAdmitted) {
  StreamServer test;
  TestClient refused(test.port());
  EXPECT_EQ(refused.request(upload_head(100'000'000, "refuse")).status, 401);
  TestClient chunked(test.port());
  ASSERT_TRUE(chunked.send(chunked_head("small")));
  chunked.send(chunk(std::string(200'000, 'u')) + chunk(std::string(200'000, 'u')) + "0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 400);
  EXPECT_THAT(test.handler.last_error(), testing::HasSubstr("larger than 300000 bytes"));
  TestClient not_streamed(test.port());
  EXPECT_EQ(not_streamed.request("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n").status, 413);
}

TEST(HttpStream, PermitsABodyThatWaitsForPermission) {
  StreamServer test;
  for (const size_t bytes : {100'000UL, 20'000'000UL}) {
    TestClient client(test.port());
    ASSERT_TRUE(
        client.send(fmt::format("POST /up/a? HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n", bytes)));
    EXPECT_EQ(client.receive().status, 100);
    ASSERT_TRUE(client.send(std::string(bytes, 'u') + get("/after")));
    EXPECT_EQ(client.receive().body, streamed(bytes));
    EXPECT_EQ(client.receive().body, "whole 0 bytes");
  }
}

TEST(HttpStream, ClosesWhenAHandlerLeavesABodyInTheMiddle) {
  StreamServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send(upload_head(1'000'000, "stop")));
  ASSERT_TRUE(client.send(std::string(50'000, 'u')));
  TestAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers["Connection"], "close");
  client.send(std::string(950'000, 'u') + get("/smuggled"));
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpStream, EndsWithTheServer) {
  FairMemory memory(8'000'000);
  StreamServer test({}, &memory);
  TestClient unread(test.port());
  ASSERT_TRUE(unread.send(get("/down/1000000000?thread")));
  TestClient half(test.port());
  ASSERT_TRUE(half.send(upload_head(1'000'000) + "uuu"));
  while (test.handler.sources == 0 || memory.taken() < 2 * kStreamedBytesMax) std::this_thread::yield();
  test.server->stop(1ms);
  test.handler.wait_for_errors(1);
  test.server.reset();
  EXPECT_EQ(test.handler.sources, 0);
  EXPECT_EQ(memory.taken(), 0U);
}

}  // namespace partita::net
