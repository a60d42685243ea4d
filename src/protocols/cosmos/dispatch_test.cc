#include "protocols/cosmos/dispatch.h"

#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/in_process_account.h"
#include "protocols/cosmos/router.h"

#include <gtest/gtest.h>

// Which requests a connection's thread leaves to workers.
namespace partita::cosmos {
namespace {

class DispatchTest : public testing::Test {
 protected:
  using Headers = InProcessAccount::Headers;

  bool is_left(std::string_view method, std::string_view target, std::string_view body = {}, const Headers& headers = {}) {
    net::HttpRequest request;
    request.method = method;
    request.path = target;
    request.body = body;
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    Result<ResourcePath> path = ResourcePath::parse(target);
    EXPECT_TRUE(path) << target;
    net::HttpResponse response;
    const Operation operation = operation_of(request, *path);
    EXPECT_TRUE(operation.is_served()) << method << ' ' << target;
    const Exchange exchange(request, response, [] {}, {}, *std::move(path), operation);
    return belongs_to_workers(account_.service(), exchange);
  }

  InProcessAccount account_{SCRIPT_HOST};
};

const InProcessAccount::Headers kQuery = {{"x-ms-documentdb-isquery", "True"}, {"content-type", "application/query+json"}};

}  // namespace

TEST_F(DispatchTest, OperationsOnOneDocumentStayOnTheirConnection) {
  EXPECT_FALSE(is_left("GET", "/dbs/db/colls/c/docs/d"));
  EXPECT_FALSE(is_left("DELETE", "/dbs/db/colls/c/docs/d"));
  EXPECT_FALSE(is_left("POST", "/dbs/db/colls/c/docs", R"({"id":"d"})"));
  EXPECT_FALSE(is_left("PATCH", "/dbs/db/colls/c/docs/d", R"([{"op":"set","path":"/a","value":"b\\c"}])"));
}

TEST_F(DispatchTest, ListsAndQueriesOverTheCatalogueDoNot) {
  for (const char* list :
       {"/dbs", "/dbs/db/colls", "/dbs/db/colls/c/sprocs", "/dbs/db/colls/c/udfs", "/dbs/db/users", "/offers"}) {
    EXPECT_TRUE(is_left("GET", list)) << list;
    EXPECT_TRUE(is_left("POST", list, R"({"query":"SELECT * FROM c"})", kQuery)) << list;
  }
}

TEST_F(DispatchTest, NorDoChangesOfTheCatalogue) {
  EXPECT_TRUE(is_left("POST", "/dbs", R"({"id":"a"})"));
  EXPECT_TRUE(is_left("DELETE", "/dbs/db"));
  EXPECT_TRUE(is_left("PUT", "/dbs/db/colls/c", "{}"));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/sprocs", "{}"));
}

TEST_F(DispatchTest, NorFeedsLongTextsAndLargeDocuments) {
  EXPECT_TRUE(is_left("GET", "/dbs/db/colls/c/docs"));
  EXPECT_TRUE(is_left("GET", "/dbs/db/colls/c/docs", {}, {{"a-im", "Incremental feed"}}));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/docs", std::string(kQueryBytesAtOnceMax + 1, ' '), kQuery));
  EXPECT_TRUE(is_left("POST", "/dbs/db/colls/c/docs", std::string(kWriteBytesAtOnceMax + 1, ' ')));
}

// It is a query over a document that may be large.
TEST_F(DispatchTest, NorAConditionOfAPatchHoweverItIsSpelt) {
  for (const char* name : {"condition", R"(\u0063ondition)", R"(conditio\u006E)"}) {
    const std::string body = std::string(R"({")") + name + R"(":"FROM c","operations":[]})";
    EXPECT_TRUE(is_left("PATCH", "/dbs/db/colls/c/docs/d", body)) << body;
  }
}

}  // namespace partita::cosmos
