#include "server/commands/explain.h"

#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/send_signed.h"
#include "server/world.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// A running server with one container, asked over its port.
class ExplainTest : public testing::Test {
 protected:
  ExplainTest() {
    ServeOptions options;
    options.data = directory_.path();
    options.port = 0;
    options.durability = Durability::kRelaxed;
    options.threads = 1;
    options.has_no_rate_limit = true;
    world_ = World::start(options).value();
    options_.server.endpoint = fmt::format("http://127.0.0.1:{}/", world_->port());
    options_.database = "shop";
    options_.container = "all orders";
    create("dbs", "", "/dbs", R"({"id":"shop"})");
    create("colls", "dbs/shop", "/dbs/shop/colls",
           R"({"id":"all orders","partitionKey":{"paths":["/customer"],"kind":"Hash","version":2},"indexingPolicy":)"
           R"({"includedPaths":[{"path":"/total/?"}],"excludedPaths":[{"path":"/*"}]}})");
    for (int n = 0; n < 200; ++n) {
      create("docs", "dbs/shop/colls/all orders", "/dbs/shop/colls/all%20orders/docs",
             fmt::format(R"({{"id":"{}","customer":"{}","total":{},"city":"Oslo"}})", n, n % 2 == 0 ? "ada" : "bob", n),
             {{std::string(cosmos::header::kPartitionKey), n % 2 == 0 ? R"(["ada"])" : R"(["bob"])"}});
    }
  }

  void create(std::string_view type, std::string_view link, std::string_view path, std::string_view body,
              std::vector<std::pair<std::string, std::string>> headers = {}) {
    const auto answer = send_signed(options_.server, {.method = "POST",
                                                      .path = std::string(path),
                                                      .resource_type = std::string(type),
                                                      .resource_link = std::string(link),
                                                      .headers = std::move(headers),
                                                      .body = std::string(body)});
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->status(), 201) << answer->body();
  }

  std::string explained(std::string_view query) {
    options_.query = query;
    const Result<std::string> text = explain(options_);
    return text ? *text : "error: " + text.error().message;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<World> world_;
  ExplainOptions options_;
};

}  // namespace

TEST_F(ExplainTest, SaysWhatTheIndexWasAskedForAndWhatThatCost) {
  options_.parameters = {"@least=197"};
  const std::string text = explained("SELECT VALUE c.id FROM c WHERE c.total > @least");
  EXPECT_THAT(text, HasSubstr("Documents come from\n  /total (197, ...)\n"));
  EXPECT_THAT(text, HasSubstr("Read\n  2 documents ("));
  EXPECT_THAT(text, HasSubstr("Gave\n  2 rows\n"));
  EXPECT_THAT(text, HasSubstr("Indexes used\n  /total/? for /total (197, ...)\n"));
  EXPECT_THAT(text, HasSubstr("RU: 1.00 page + 0."));
}

TEST_F(ExplainTest, SaysWhatTheIndexingPolicyLacks) {
  const std::string text = explained("SELECT * FROM c WHERE c.city = 'Oslo' ORDER BY c.city, c.total DESC");
  EXPECT_THAT(text, testing::StartsWith("Clients are refused this query (400)\n"));
  EXPECT_THAT(text, HasSubstr("Documents come from\n  scan\n"));
  EXPECT_THAT(text, HasSubstr("Read\n  200 documents ("));
  EXPECT_THAT(text, HasSubstr(R"(add to the indexing policy: {"includedPaths":[{"path":"/city/?"}]})"));
  EXPECT_THAT(
      text, HasSubstr(R"({"compositeIndexes":[[{"path":"/city","order":"ascending"},{"path":"/total","order":"descending"}]]})"));
}

TEST_F(ExplainTest, SaysWhatTheServiceRefusesAndWhoServesIt) {
  EXPECT_THAT(explained("SELECT VALUE t FROM c JOIN t IN [1, 2] ORDER BY t"),
              testing::AllOf(testing::StartsWith("Clients are refused this query (400)\n  Order-by over correlated collections"),
                             HasSubstr("'x-partita-fidelity:\n  extended'"), Not(HasSubstr("index that it needs"))));
  EXPECT_THAT(explained("SELECT TOP 3 * FROM c"),
              testing::AllOf(testing::StartsWith("Clients that merge no partitions are refused this query (400/1004)\n"),
                             HasSubstr("SDKs that ask for a query plan"), HasSubstr("Gave\n  3 rows\n")));
  options_.partition_key = R"("ada")";
  EXPECT_THAT(explained("SELECT TOP 3 * FROM c"), testing::StartsWith("Plan\n"));
}

TEST_F(ExplainTest, ReadsOnlyTheLogicalPartitionThatIsNamed) {
  options_.partition_key = R"("ada")";
  EXPECT_THAT(explained("SELECT * FROM c"), HasSubstr("Gave\n  100 rows\n"));
  options_.partition_key = R"(["bob"])";
  options_.is_json = true;
  EXPECT_THAT(explained("SELECT TOP 3 * FROM c"), HasSubstr(R"("rows":3,)"));
}

TEST_F(ExplainTest, SaysWhatIsWrong) {
  EXPECT_THAT(explained("SELECT * FORM c"), HasSubstr("error: the server answered 400: "));
  options_.parameters = {"@city=Oslo"};
  EXPECT_THAT(explained("SELECT * FROM c"), HasSubstr("error: the parameter '@city=Oslo' is not of the form @name=JSON: "));
  options_.parameters = {"city=1"};
  EXPECT_THAT(explained("SELECT * FROM c"), HasSubstr("@name=JSON"));
  options_.parameters = {};
  options_.container = "none";
  EXPECT_THAT(explained("SELECT * FROM c"), HasSubstr("error: the server answered 404: "));
}

}  // namespace partita::server
