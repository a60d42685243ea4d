#include "auth/master_key.h"
#include "client/request_text.h"
#include "net/file_descriptor.h"
#include "net/test_server.h"
#include "observe/log.h"
#include "protocols/cosmos/codec/header_names.h"
#include "protocols/cosmos/direct/direct_client.h"
#include "server/world.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

// Direct mode as a running server speaks it: on which port, and what is told of it.
namespace partita::server {
namespace {

using namespace cosmos::direct;
using testing::HasSubstr;

class DirectModeTest : public testing::Test {
 protected:
  void start(bool serves_direct, uint16_t direct_port = 0) {
    auto started = try_start(serves_direct, direct_port);
    ASSERT_TRUE(started) << started.error().message;
    world_ = *std::move(started);
  }
  // Some port that nobody else has. Another program may take it before the server does: then another is tried.
  uint16_t start_with_direct_port() {
    for (int tries = 0; tries < 20; ++tries) {
      const uint16_t port = free_port();
      auto started = try_start(true, port);
      if (!started) continue;
      world_ = *std::move(started);
      return port;
    }
    ADD_FAILURE() << "no port was to be had";
    return 0;
  }

  static std::string now() { return client::http_date(SystemClock().unix_seconds()); }
  static std::string signature(std::string_view verb, std::string_view date, std::string_view type, std::string_view link) {
    return auth::master_token(*auth::sign(kWellKnownKey, {.verb = verb, .client_date = date, .date = {}}, {type, link}));
  }
  net::TestAnswer get(std::string_view target, std::string_view type = {}) const {
    const std::string date = now();
    const std::string headers = fmt::format("{}: {}\r\n{}: {}\r\n", cosmos::header::kClientDate, date,
                                            cosmos::header::kAuthorization, signature("GET", date, type, ""));
    return net::TestTlsClient(world_->port()).request(net::get(target, type.empty() ? "" : headers));
  }
  net::TestAnswer addresses() const { return get("/addresses/?$resolveFor=dbs&$filter=protocol%20eq%20rntbd", "dbs"); }
  std::string metrics() const { return get("/_metrics").body; }
  // Of a database that is not there.
  static std::string read_frame() {
    const std::string date = now();
    return FrameBuilder(kind::kDatabase, op::kRead)
        .text(in::kAuthorization, signature("GET", date, "dbs", "dbs/none"))
        .small_text(in::kDate, date)
        .text(in::kDatabase, "none")
        .number(in::kTransport, 1)
        .build();
  }
  static void expect_served(uint16_t port) {
    ASSERT_TRUE(net::TestClient(port).is_connected());
    DirectClient client(port);
    client.begin();
    EXPECT_EQ(client.exchange(read_frame()).status, 404);
  }
  static void expect_refused(uint16_t port) {
    DirectClient client(port);
    ASSERT_TRUE(client.connection().has_shaken_hands());
    EXPECT_TRUE(client.send(context_frame()));
    // An answer of HTTP, if any, and the end.
    const std::string answer = client.connection().receive_bytes(4096);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 400 ")) << answer;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<World> world_;

 private:
  Result<std::unique_ptr<World>> try_start(bool serves_direct, uint16_t direct_port) {
    ServeOptions options;
    options.data = directory_.path();
    options.port = 0;
    options.serves_direct = serves_direct;
    options.direct_port = direct_port;
    options.durability = Durability::kRelaxed;
    options.threads = 1;
    return World::start(options);
  }
  static uint16_t free_port() {
    const net::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), bytes), 0);
    EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    return ntohs(address.sin_port);
  }
};

// LogAtHand: what is logged, from the level debug on, while it lives.
class LogAtHand {
 public:
  LogAtHand() {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    logger->set_level(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
  }
  ~LogAtHand() { spdlog::set_default_logger(before_); }
  LogAtHand(const LogAtHand&) = delete;
  LogAtHand& operator=(const LogAtHand&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

}  // namespace

TEST_F(DirectModeTest, SharesThePortOfHttp) {
  start(true);
  expect_served(world_->port());
  const net::TestAnswer told = addresses();
  EXPECT_EQ(told.status, 200) << told.body;
  EXPECT_THAT(told.body, HasSubstr("\"physcialUri\":\"rntbd://localhost:443/"));  // as the client calls the server
}

TEST_F(DirectModeTest, HasAPortOfItsOwn) {
  const uint16_t port = start_with_direct_port();
  ASSERT_NE(world_, nullptr);
  expect_served(port);
  expect_refused(world_->port());
  EXPECT_EQ(addresses().status, 200);
  EXPECT_THAT(addresses().body, HasSubstr(fmt::format("\"physcialUri\":\"rntbd://localhost:{}/", port)));
  // Nothing else is spoken there.
  EXPECT_EQ(net::TestTlsClient(port).request(net::get("/")).status, 0);
}

TEST_F(DirectModeTest, IsNowhereWhenItIsSwitchedOff) {
  start(false);
  expect_refused(world_->port());
  const net::TestAnswer told = addresses();
  EXPECT_EQ(told.status, 404);
  EXPECT_THAT(told.body, HasSubstr("--direct off"));
  EXPECT_THAT(metrics(), HasSubstr("partita_wire_connections_open{wire=\"direct\"} 0"));
}

TEST_F(DirectModeTest, IsCountedAndLoggedAsHttpIs) {
  const LogAtHand log;  // set while no other thread may log
  start(true);
  constexpr std::string_view kCounted = "partita_requests_total{method=\"GET\",status=\"4xx\"}";
  EXPECT_THAT(metrics(), HasSubstr(fmt::format("{} 0", kCounted)));
  DirectClient client(world_->port());
  client.begin();
  EXPECT_EQ(client.exchange(read_frame()).status, 404);
  EXPECT_EQ(client.exchange(read_frame()).status, 404);
  const std::string told = metrics();
  EXPECT_THAT(told, HasSubstr("partita_wire_connections_open{wire=\"direct\"} 1"));
  EXPECT_THAT(told, HasSubstr(fmt::format("{} 2", kCounted)));
  EXPECT_THAT(told, HasSubstr("partita_request_duration_seconds_count{method=\"GET\"} 2"));
  world_.reset();
  EXPECT_THAT(log.text(), testing::ContainsRegex("127.0.0.1:[0-9]+ GET /dbs/none 404 "));
}

}  // namespace partita::server
