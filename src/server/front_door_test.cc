#include "server/front_door.h"

#include "cluster/test_account.h"
#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace partita::server {
namespace {

using testing::HasSubstr;

constexpr std::string_view kKey = "a2V5";

class Account final : public net::HttpHandler {
 public:
  void handle(const net::HttpRequest&, net::HttpResponse& response, net::HttpDone done) override {
    response.status = 429;
    ++requests;
    done();
  }
  int requests = 0;
};

class FrontDoorTest : public testing::Test {
 protected:
  net::HttpResponse get(std::string_view path) { return get(door_, path); }
  static net::HttpResponse get(FrontDoor& door, std::string_view path, std::vector<net::HttpHeader> headers = {}) {
    net::HttpRequest request;
    request.headers = std::move(headers);
    request.method = "GET";
    request.path = path;
    net::HttpResponse response;
    bool is_done = false;
    door.handle(request, response, [&] { is_done = true; });
    EXPECT_TRUE(is_done);
    return response;
  }

  TestAccount stored_;
  Account account_;
  observe::Metrics metrics_;
  auth::MasterKeyVerifier keys_ = auth::MasterKeyVerifier::create({.primary = std::string(kKey)}, stored_.clock).value();
  Reshaper reshaper_{*stored_.store, *stored_.catalog, stored_.clock, {}};
  RequestGuard guard_{RequestGuard::Rules{}};
  StoreWatch watch_{*stored_.store, stored_.clock};
  AdminApi::Parts parts_{*stored_.catalog, reshaper_, keys_, *stored_.store, watch_, metrics_};
  AdminApi admin_{parts_, {.certificate_pem = "the certificate"}};
  FrontDoor door_{{account_, admin_, guard_, metrics_, stored_.clock}};

  // Another one, which belongs to a server on other terms.
  struct Beyond {
    Beyond(FrontDoorTest& test, std::string metrics_key)
        : admin(test.parts_,
                {.certificate_pem = "the certificate", .is_on_loopback = false, .metrics_key = std::move(metrics_key)}),
          door({test.account_, admin, test.guard_, test.metrics_, test.stored_.clock}) {}
    AdminApi admin;
    FrontDoor door;
  };
};

}  // namespace

TEST_F(FrontDoorTest, AnswersForTheServerItself) {
  EXPECT_EQ(get("/_health/alive").status, 200);
  EXPECT_EQ(get("/_health/ready").body, "{\"status\":\"ready\"}\n");
  EXPECT_EQ(get("/_health").status, 200);
  EXPECT_EQ(get("/_explorer/emulator.pem").body, "the certificate");
  EXPECT_EQ(get("/_nonsense").status, 404);
  EXPECT_EQ(account_.requests, 0);
}

TEST_F(FrontDoorTest, AnswersHealthHoweverManyConnectionsThereAre) {
  for (const char* path : {"/_health", "/_health/ready", "/_health/alive", "/_partita/health/ready", "/_partita/health/alive"}) {
    net::HttpRequest request;
    request.path = path;
    EXPECT_TRUE(door_.is_vital(request)) << path;
  }
  net::HttpRequest other;
  for (const char* path : {"/_metrics", "/_partita/statistics", "/_healthy", "/dbs", "/"}) {
    other.path = path;
    EXPECT_FALSE(door_.is_vital(other)) << path;
  }
}

TEST_F(FrontDoorTest, LetsOnlyThoseReshapeWhoHaveAKey) {
  EXPECT_EQ(get("/_partita/reshapes").status, 401);
  EXPECT_EQ(account_.requests, 0);
}

TEST_F(FrontDoorTest, HandsTheRestToTheAccountAndCountsIt) {
  EXPECT_EQ(get("/").status, 429);
  EXPECT_EQ(get("/dbs/x").status, 429);
  EXPECT_EQ(account_.requests, 2);
  const std::string metrics = get("/_metrics").body;
  EXPECT_THAT(metrics, HasSubstr(R"(partita_requests_total{method="GET",status="429"} 2)"));
  EXPECT_THAT(metrics, HasSubstr(R"(partita_request_duration_seconds_count{method="GET"} 2)"));
}

TEST_F(FrontDoorTest, ShowsMetricsBeyondLoopbackToHoldersOfAKey) {
  Beyond beyond(*this, "bWV0cmljcw==");
  FrontDoor& door = beyond.door;
  for (const char* given : {"", "Bearer", "Bearer ", "Bearer wrong", "Basic a2V5", "a2V5", "type=master&ver=1.0&sig=a2V5"}) {
    const net::HttpResponse refused = get(door, "/_metrics", {{"authorization", given}});
    EXPECT_EQ(refused.status, 401) << given;
    EXPECT_THAT(refused.body, testing::Not(HasSubstr("partita_requests_total"))) << given;
  }
  for (const char* given : {"Bearer bWV0cmljcw==", "bearer a2V5"}) {
    EXPECT_EQ(get(door, "/_metrics", {{"authorization", given}}).status, 200) << given;
  }
  Beyond without(*this, "");
  EXPECT_EQ(get(without.door, "/_metrics", {{"authorization", "Bearer "}}).status, 401);
  EXPECT_EQ(get(without.door, "/_metrics").status, 401);
}

TEST_F(FrontDoorTest, TurnsAwayWhatComesFromElsewhere) {
  for (const char* path : {"/dbs", "/_explorer/", "/_metrics", "/_partita/statistics", "/_health"}) {
    const net::HttpResponse page = get(door_, path, {{"Host", "localhost:8081"}, {"Origin", "https://evil.example"}});
    EXPECT_EQ(page.status, 403) << path;
    EXPECT_THAT(page.body, HasSubstr(R"("code":"Forbidden")"));
    EXPECT_EQ(get(door_, path, {{"Host", "evil.example:8081"}}).status, 403) << path;
  }
  EXPECT_EQ(account_.requests, 0);
}

TEST_F(FrontDoorTest, QuotesOnlyText) {
  const net::HttpResponse host = get(door_, "/dbs", {{"Host", "evil\xC1"}});
  const net::HttpResponse origin = get(door_, "/dbs", {{"Host", "localhost"}, {"Origin", "http://\xFF"}});
  for (const net::HttpResponse& refusal : {host, origin}) {
    EXPECT_EQ(refusal.status, 403);
    EXPECT_TRUE(stored_from_json(refusal.body)) << refusal.body;
  }
}

TEST_F(FrontDoorTest, IsNotReadyWhileWritesAreRefused) {
  TestAccount synced(Durability::kSynced);
  const StoreWatch watch(*synced.store, synced.clock);
  const AdminApi admin({*synced.catalog, reshaper_, keys_, *synced.store, watch, metrics_}, {});
  FrontDoor door({account_, admin, guard_, metrics_, synced.clock});
  EXPECT_EQ(get(door, "/_health/ready").status, 200);
  const FailingDisk failing;
  WriteBatch batch(*synced.store);
  batch.put(Family::kItems, "large", std::string(3 * FailingDisk::kFileBytesMax, 'x'));
  ASSERT_FALSE(synced.store->apply_durably(batch));
  const net::HttpResponse refused = get(door, "/_health/ready");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("writes refused"));
  EXPECT_EQ(get(door, "/_health/alive").status, 200);
}

TEST_F(FrontDoorTest, ShowsAnOverviewOnlyWhereItMay) {
  stored_.make_container("<script>", {"/pk"}, 25'000);
  const net::HttpResponse page = get("/_explorer/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page.body, testing::Not(HasSubstr("<script>")));
  for (const char* header : {"Content-Security-Policy: default-src 'none'", "frame-ancestors 'none'", "nosniff"}) {
    EXPECT_THAT(page.header_block(), HasSubstr(header));
  }
  Beyond beyond(*this, "");
  EXPECT_EQ(get(beyond.door, "/_explorer/").status, 404);
  EXPECT_EQ(get(beyond.door, "/_explorer/emulator.pem").status, 200);
}

}  // namespace partita::server
