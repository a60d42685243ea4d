#include "server/admin/statistics.h"

#include "cluster/tenants.h"
#include "cluster/test_account.h"
#include "gateway/items/items.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/admin/admin_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace partita::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey = "a2V5";
constexpr std::string_view kReadOnlyKey = "cmVhZCBvbmx5";
constexpr std::string_view kNow = "Tue, 14 Nov 2023 22:13:20 GMT";

class StatisticsTest : public testing::Test {
 protected:
  net::HttpResponse send(std::string_view method, std::string_view path, std::string_view key = kKey,
                         std::string_view query = {}) {
    const auth::SignedResource resource{.type = kAdminResourceType, .link = path.substr(kAdminPrefix.size())};
    const std::string token = auth::master_token(*auth::sign(key, {.verb = method, .client_date = kNow, .date = {}}, resource));
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.headers = {{"authorization", token}, {cosmos::header::kClientDate, kNow}};
    net::HttpResponse response;
    api_.handle(request, response, [] {});
    return response;
  }
  void create(const std::shared_ptr<const Container>& container, std::string_view json) {
    std::promise<bool> is_done;
    items_.create(container, json, std::nullopt, [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
    EXPECT_TRUE(is_done.get_future().get());
  }

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = true}};
  Items items_{account_.clock, account_.documents, account_.random};
  auth::MasterKeyVerifier keys_ = *auth::MasterKeyVerifier::create(
      {.primary = std::string(kKey), .primary_read_only = std::string(kReadOnlyKey)}, account_.clock);
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  observe::Metrics metrics_;
  StoreWatch watch_{*account_.store, account_.clock};
  AdminApi api_{{*account_.catalog, reshaper_, keys_, *account_.store, watch_, metrics_}, {}};
};

}  // namespace

TEST_F(StatisticsTest, AReadOnlyKeyCanOnlyLook) {
  EXPECT_EQ(send("GET", "/_partita/statistics", kReadOnlyKey).status, 200);
  EXPECT_EQ(send("POST", "/_partita/reset-budgets", kReadOnlyKey).status, 403);
  EXPECT_EQ(send("GET", "/_partita/statistics", "b3RoZXI=").status, 401);
}

TEST_F(StatisticsTest, ShowsPartitionsTheirRangesAndWhoUsesThem) {
  const auto container = account_.make_container("c", {"/pk"}, 25'000);
  for (int i = 0; i < 50; ++i) create(container, R"({"id":")" + std::to_string(i) + R"(","pk":"hot"})");
  account_.clock.advance_ms(1000);
  const std::string body = send("GET", "/_partita/statistics").body;
  EXPECT_THAT(body, HasSubstr(R"("database":"db","container":"c","throughput":25000,"isAutoscale":false,"isShared":false)"));
  EXPECT_THAT(body, HasSubstr(R"({"id":"0","minInclusive":"","maxExclusive":"15)"));
  EXPECT_THAT(body, HasSubstr(R"("documents":50,)"));
  EXPECT_THAT(body, HasSubstr(R"("budget":8333.)"));
  EXPECT_THAT(body, HasSubstr(R"("hotKeys":[{"partitionKey":"[\"hot\"]","effectivePartitionKey":")"));
  EXPECT_THAT(body, AllOf(HasSubstr(R"("share":1,"requestUnitsPerSecond":)"), Not(HasSubstr("isWhole"))));
  EXPECT_THAT(body, Not(HasSubstr("minutes")));
  EXPECT_THAT(send("GET", "/_partita/statistics", kKey, "sizes=true").body,
              testing::ContainsRegex(R"re("requestUnitsPerSecond":[0-9.]+,"documents":50,"bytes":[0-9]+,"isWhole":true)re"));
  EXPECT_THAT(send("GET", "/_partita/statistics", kKey, "history=true").body, AllOf(HasSubstr("minutes"), HasSubstr("hours")));
}

TEST_F(StatisticsTest, CountsWritesWhoseComputedKeyIsUndefined) {
  const auto plain = account_.make_container("plain", {"/pk"});
  create(plain, R"({"id":"1"})");
  EXPECT_THAT(send("GET", "/_partita/statistics").body, Not(HasSubstr("undefinedKeyWrites")));
  const auto computed = account_.make_container(
      "c", {"/pk"}, 400, "{}", R"({"computedProperties":[{"name":"pk","query":"SELECT VALUE CONCAT(c.a, '-', c.b) FROM c"}]})");
  create(computed, R"({"id":"1","a":"x","b":"y"})");
  EXPECT_THAT(send("GET", "/_partita/statistics").body, HasSubstr(R"("undefinedKeyWrites":0,)"));
  create(computed, R"({"id":"2","a":"x"})");
  create(computed, R"({"id":"3","b":["y"]})");
  EXPECT_THAT(send("GET", "/_partita/statistics").body, HasSubstr(R"("undefinedKeyWrites":2,)"));
}

TEST_F(StatisticsTest, ShowsWhatFailsInTheBackground) {
  EXPECT_THAT(send("GET", "/_partita/statistics").body, HasSubstr(R"("backgroundFailures":[])"));
  for (int i = 0; i < 2; ++i) {
    account_.catalog->failures()->note(background::kBuildIndex, "dbs/db/colls/c/pkranges/0",
                                       fail(ErrorCode::kStorageFailure, "No space left on device"));
  }
  EXPECT_THAT(send("GET", "/_partita/statistics").body,
              HasSubstr(R"("backgroundFailures":[{"work":"building an index","subject":"dbs/db/colls/c/pkranges/0",)"
                        R"("message":"No space left on device","tries":2,"sinceUnixSeconds":1700000000,)"
                        R"("nextTryUnixSeconds":1700000002}])"));
  observe::Metrics metrics;
  add_partition_gauges(metrics, *account_.catalog);
  EXPECT_THAT(metrics.text(), HasSubstr("partita_background_failures 1"));
}

TEST_F(StatisticsTest, LetsBudgetsBeginAnew) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  Meter& meter = container->places[0].partition->local().meter();
  meter.charge(2000);
  EXPECT_FALSE(meter.admit(Priority::kHigh));
  EXPECT_EQ(send("POST", "/_partita/reset-budgets").status, 204);
  EXPECT_TRUE(meter.admit(Priority::kHigh));
}

TEST_F(StatisticsTest, TellsWhatWaitsForWorkersAndWhose) {
  const auto container = account_.make_container("c", {"/pk"});
  FairScheduler scheduler(
      {.limits = {.slots = 1, .places = 1, .waiting_max = 2, .waiting_per_database_max = 2, .waiting_per_container_max = 2}},
      account_.clock);
  observe::Metrics metrics;
  add_scheduler_gauges(metrics, {{"queries", &scheduler}}, *account_.catalog);
  std::promise<void> begun;
  std::promise<void> gate;
  scheduler.submit({.tenant = tenant_of(*container),
                    .run =
                        [&begun, opened = gate.get_future().share()](Turn&) {
                          begun.set_value();
                          opened.wait();
                        },
                    .refuse = [](const Error&) {}});
  begun.get_future().wait();
  for (int i = 0; i < 3; ++i) {
    scheduler.submit({.tenant = tenant_of(*container), .run = [](Turn&) {}, .refuse = [](const Error&) {}});
  }
  EXPECT_THAT(
      metrics.text(),
      AllOf(HasSubstr(R"(partita_jobs_waiting{workers="queries"} 2)"), HasSubstr(R"(partita_jobs_running{workers="queries"} 1)"),
            HasSubstr(R"(partita_jobs_refused{workers="queries"} 1)"),
            HasSubstr(R"(partita_tenant_jobs{container="c",database="db",state="waiting",workers="queries"} 2)")));
  gate.set_value();
}

}  // namespace partita::server
