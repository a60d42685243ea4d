#include "server/admin/admin_api.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "protocols/cosmos/codec/header_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>

namespace partita::server {
namespace {

using testing::HasSubstr;

constexpr std::string_view kKey = "a2V5";
constexpr std::string_view kReadOnlyKey = "b25seSByZWFkcw==";
constexpr std::string_view kDate = "Tue, 14 Nov 2023 22:13:20 GMT";  // where the test account's clock stands still

class AdminReshapesTest : public testing::Test {
 protected:
  AdminReshapesTest() { reshaper_.start(); }

  net::HttpResponse send(std::string_view method, std::string_view path, std::string_view body, std::string_view key = kKey) {
    const std::string signature = auth::sign(key, {.verb = method, .client_date = kDate, .date = ""},
                                             {.type = kAdminResourceType, .link = path.substr(kAdminPrefix.size())})
                                      .value();
    const std::string token = auth::master_token(signature);
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.headers = {{cosmos::header::kAuthorization, token}, {cosmos::header::kClientDate, kDate}};
    request.is_abandoned = is_abandoned_;
    net::HttpResponse response;
    std::promise<void> is_done;
    api_.handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return response;
  }

  TestAccount account_;
  auth::MasterKeyVerifier keys_ =
      auth::MasterKeyVerifier::create({.primary = std::string(kKey), .primary_read_only = std::string(kReadOnlyKey)},
                                      account_.clock)
          .value();
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  observe::Metrics metrics_;
  StoreWatch watch_{*account_.store, account_.clock};
  const std::atomic<bool>* is_abandoned_ = nullptr;  // of what is sent
  AdminApi api_{{*account_.catalog, reshaper_, keys_, *account_.store, watch_, metrics_}, {}};
};

}  // namespace

TEST_F(AdminReshapesTest, SplitsMergesAndRekeysOnDemand) {
  account_.make_container("c", {"/pk"});
  const net::HttpResponse split = send("POST", "/_partita/split", R"({"database":"db","container":"c","range":"0"})");
  EXPECT_EQ(split.status, 200);
  EXPECT_THAT(split.body, HasSubstr(R"("parents":["0"],"children":["1","2"],"documents":0)"));
  const net::HttpResponse merge = send("POST", "/_partita/merge", R"({"database":"db","container":"c","range":"1"})");
  EXPECT_THAT(merge.body, HasSubstr(R"("parents":["1","2"],"children":["3"])"));
  const net::HttpResponse rekey =
      send("POST", "/_partita/rekey", R"({"database":"db","container":"c","partitionKey":{"paths":["/other"],"version":2}})");
  EXPECT_THAT(rekey.body, HasSubstr(R"("kind":"rekey","parents":["3"],"children":["4"])"));
  EXPECT_EQ(account_.catalog->container("db", "c").value()->definition.partition_key, key_definition({"/other"}));
}

TEST_F(AdminReshapesTest, CutsWhereItIsTold) {
  account_.make_container("c", {"/pk"});
  const net::HttpResponse split = send("POST", "/_partita/split", R"({"database":"db","container":"c","range":"0","at":"10"})");
  EXPECT_EQ(split.status, 200);
  EXPECT_EQ(account_.catalog->container("db", "c").value()->places[0].range().max, "\x10");
}

TEST_F(AdminReshapesTest, ClosesTheContainerMeanwhileWhenItIsToldTo) {
  const std::shared_ptr<const Container> container = account_.make_container("c", {"/pk"});
  const net::HttpResponse split =
      send("POST", "/_partita/split", R"({"database":"db","container":"c","range":"0","at":"10","mode":"offline"})");
  EXPECT_EQ(split.status, 200);
  EXPECT_EQ(container->lineage->mode(), ContainerMode::kOnline);
  const net::HttpResponse refused =
      send("POST", "/_partita/merge", R"({"database":"db","container":"c","range":"1","mode":"closed"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("online, readOnly and offline"));
}

TEST_F(AdminReshapesTest, SaysWhyItDoesNot) {
  account_.make_container("c", {"/pk"});
  EXPECT_EQ(send("POST", "/_partita/split", R"({"database":"db","container":"c","range":"7"})").status, 404);
  EXPECT_EQ(send("POST", "/_partita/split", R"({"database":"db","container":"none","range":"0"})").status, 404);
  EXPECT_EQ(send("POST", "/_partita/split", R"({"database":"db","container":"c"})").status, 400);
  EXPECT_EQ(send("POST", "/_partita/split", "nonsense").status, 400);
  EXPECT_THAT(send("POST", "/_partita/merge", R"({"database":"db","container":"c","range":"0"})").body,
              HasSubstr("right neighbour"));
  EXPECT_EQ(send("POST", "/_partita/nonsense", "{}").status, 404);
}

TEST_F(AdminReshapesTest, QuotesOnlyText) {
  const net::HttpResponse refusal = send("POST", "/_partita/re\xC1", "{}");
  EXPECT_EQ(refusal.status, 404);
  EXPECT_TRUE(stored_from_json(refusal.body)) << refusal.body;
}

TEST_F(AdminReshapesTest, TellsWhatAnotherThroughputOrKeyWouldDo) {
  const std::shared_ptr<const Container> container = account_.make_container("c", {"/pk"});
  const net::HttpResponse plan =
      send("POST", "/_partita/plan", R"({"database":"db","container":"c","throughput":20000,"partitionKeys":[["/tenant"]]})");
  EXPECT_EQ(plan.status, 200);
  EXPECT_THAT(plan.body, HasSubstr("Now, at 400 RU/s:\n"));
  EXPECT_THAT(plan.body, HasSubstr("With the partition key /tenant:\n"));
  EXPECT_THAT(plan.body, HasSubstr("Planned, at 20000 RU/s:\n"));
  EXPECT_EQ(account_.catalog->container("db", "c").value(), container) << "it changes nothing";
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"c","throughput":-1})").status, 400);
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"c","partitionKeys":[["tenant"]]})").status, 400);
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"c","partitionKeys":[[1]]})").status, 400);
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"c","partitionKeys":[[]]})").status, 400);
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"none"})").status, 404);
  const net::HttpResponse json = send("POST", "/_partita/plan", R"({"database":"db","container":"c","json":true})");
  EXPECT_THAT(json.body, testing::StartsWith(R"({"presentThroughput":400,"throughput":400,"present":{"paths":["/pk"],)"));
}

// It may read all documents of a container: others' splits and merges do not wait for that.
TEST_F(AdminReshapesTest, MakesPlansBesideReshapes) {
  account_.make_container("c", {"/pk"});
  std::promise<void> is_over;
  std::move_only_function<void()> reshape = [&] { is_over.get_future().wait(); };
  ASSERT_TRUE(reshaper_.post(reshape));
  auto plan =
      std::async(std::launch::async, [this] { return send("POST", "/_partita/plan", R"({"database":"db","container":"c"})"); });
  const bool is_answered = plan.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  is_over.set_value();
  EXPECT_TRUE(is_answered);
  EXPECT_EQ(plan.get().status, 200);
}

TEST_F(AdminReshapesTest, DropsOrdersOfClientsThatHungUp) {
  account_.make_container("c", {"/pk"});
  std::promise<void> is_over;
  std::move_only_function<void()> reshape = [&] { is_over.get_future().wait(); };
  ASSERT_TRUE(reshaper_.post(reshape));
  const std::atomic<bool> is_abandoned = true;
  is_abandoned_ = &is_abandoned;
  auto split = std::async(std::launch::async, [this] {
    return send("POST", "/_partita/split", R"({"database":"db","container":"c","range":"0"})").status;
  });
  is_over.set_value();
  EXPECT_EQ(split.get(), 503);
  EXPECT_EQ(account_.catalog->container("db", "c").value()->places.size(), 1u);
}

TEST_F(AdminReshapesTest, MakesOnePlanAtATime) {
  account_.make_container("c", {"/pk"});
  {
    const auto planning = api_.begin_plan();
    ASSERT_TRUE(planning);
    const net::HttpResponse refused = send("POST", "/_partita/plan", R"({"database":"db","container":"c"})");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("Another plan is being made"));
  }
  EXPECT_EQ(send("POST", "/_partita/plan", R"({"database":"db","container":"c"})").status, 200);
}

TEST_F(AdminReshapesTest, LetsAReadOnlyKeyOnlyLook) {
  EXPECT_EQ(send("GET", "/_partita/reshapes", "", kReadOnlyKey).body, "{\"reshapes\":[]}\n");
  EXPECT_EQ(send("POST", "/_partita/split", "{}", kReadOnlyKey).status, 403);
}

}  // namespace partita::server
