#include "cluster/reshape/reshaper.h"
#include "document/json/json.h"
#include "protocols/cosmos/service_fixture.h"

#include <fmt/format.h>

// Where clients in direct mode are sent.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;

class Addresses : public ServiceTest {
 protected:
  Addresses() {
    EXPECT_EQ(send_signed("POST", "/dbs", {}, R"({"id":"db"})").status, 201);
    EXPECT_EQ(send_signed("POST", "/dbs/db/colls", {{"x-ms-offer-throughput", "20000"}},
                          R"({"id":"c","partitionKey":{"paths":["/pk"]}})")
                  .status,
              201);
    rid_ = (*account_.catalog->container("db", "c"))->rid();
    database_rid_ = (*account_.catalog->database("db"))->rid();
  }

  Answer ask(const Service& service, std::string_view path, std::string_view query, std::string_view host = "localhost:8081",
             bool is_tls = true, std::string authorization = {}) {
    if (authorization.empty()) authorization = InProcessService::signature(kKey, "GET", path, query);
    net::HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    request.is_tls = is_tls;
    request.headers = {{"authorization", authorization}, {"x-ms-date", kNow}, {"host", host}};
    net::HttpResponse response;
    std::promise<void> is_done;
    const_cast<Service&>(service).handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return {response.status, parse(response.header_block()), response.body};
  }
  Answer ask(std::string_view query, std::string_view host = "localhost:8081", bool is_tls = true) {
    return ask(served_.service(), "/addresses/", query, host, is_tls);
  }
  std::string ranges_query(std::string_view ids) const {
    return fmt::format("$resolveFor=dbs%2F{}%2Fcolls%2F{}%2Fdocs&$filter=protocol%20eq%20rntbd&$partitionKeyRangeIds={}",
                       percent(database_rid_), percent(rid_), ids);
  }
  static std::string percent(std::string text) {
    for (size_t at = text.find('='); at != std::string::npos; at = text.find('=')) text.replace(at, 1, "%3d");
    return text;
  }

  // The members of all addresses, in their order.
  static std::vector<std::string> texts(const Answer& answer, std::string_view member) {
    std::vector<std::string> found;
    const Result<std::string> stored = stored_from_json(answer.body);
    EXPECT_TRUE(stored) << answer.body;
    if (!stored) return found;
    const Value list = Value::view(*stored).find("Addresss");
    for (size_t i = 0; i < list.size(); ++i) found.emplace_back(list.element(i).find(member).string());
    return found;
  }
  static size_t primaries(const Answer& answer) {
    size_t count = 0;
    for (size_t at = 0; (at = answer.body.find("\"isPrimary\":true", at)) != std::string::npos; ++at) ++count;
    return count;
  }

  std::string rid_;
  std::string database_rid_;
};

}  // namespace

TEST_F(Addresses, OfTheMetadataAreFourReplicasHere) {
  const Answer answer = ask("$resolveFor=dbs&$filter=protocol%20eq%20rntbd");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(texts(answer, "physcialUri"),
            (std::vector<std::string>{"rntbd://localhost:8081/apps/partita/services/master/partitions/M/replicas/1p/",
                                      "rntbd://localhost:8081/apps/partita/services/master/partitions/M/replicas/2s/",
                                      "rntbd://localhost:8081/apps/partita/services/master/partitions/M/replicas/3s/",
                                      "rntbd://localhost:8081/apps/partita/services/master/partitions/M/replicas/4s/"}));
  EXPECT_EQ(primaries(answer), 1u);
  EXPECT_THAT(texts(answer, "protocol"), testing::Each("rntbd"));
  EXPECT_THAT(answer.body, HasSubstr("\"_count\":4"));
}

TEST_F(Addresses, OfRangesAreThoseThatAreThere) {
  const Answer one = ask(ranges_query("1"));
  EXPECT_EQ(one.status, 200) << one.body;
  EXPECT_EQ(texts(one, "partitionKeyRangeId"), (std::vector<std::string>(4, "1")));
  const Answer both = ask(ranges_query("0%2C1,7"));
  EXPECT_EQ(texts(both, "partitionKeyRangeId"), (std::vector<std::string>{"0", "0", "0", "0", "1", "1", "1", "1"}));
  EXPECT_EQ(primaries(both), 2u);
  const Answer gone = ask(ranges_query("7"));
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(texts(gone, "protocol").size(), 0u);
}

// A client that is told of no address looks at the map once more, and gives up when the next range was split meanwhile.
TEST_F(Addresses, OfARangeThatWasSplitOrMergedAreStillTold) {
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.split("db", "c", "0", "\x05\xC1\x90"));
  ASSERT_TRUE(reshaper.merge("db", "c", "2"));
  const Answer answer = ask(ranges_query("0,2,4,9"));
  EXPECT_EQ(texts(answer, "partitionKeyRangeId"),
            (std::vector<std::string>{"0", "0", "0", "0", "2", "2", "2", "2", "4", "4", "4", "4"}));
  EXPECT_EQ(primaries(answer), 3u);
}

TEST_F(Addresses, AreAskedForWithOneSlashOrTwo) {
  EXPECT_EQ(ask(served_.service(), "/addresses", "$resolveFor=dbs").status, 200);
  EXPECT_EQ(ask(served_.service(), "//addresses/", "$resolveFor=dbs").status, 200);
}

TEST_F(Addresses, AreWhereTheClientIs) {
  const auto authority = [&](std::string_view host, bool is_tls) {
    const std::string uri = texts(ask("$resolveFor=dbs", host, is_tls), "physcialUri").front();
    return uri.substr(0, uri.find("/apps"));
  };
  EXPECT_EQ(authority("db.example.org:1234", true), "rntbd://db.example.org:1234");
  EXPECT_EQ(authority("db.example.org:1234", false), "rntbd://db.example.org:1234");
  EXPECT_EQ(authority("db.example.org", true), "rntbd://db.example.org:443");
  EXPECT_EQ(authority("db.example.org", false), "rntbd://db.example.org:80");
  EXPECT_EQ(authority("[::1]:8081", true), "rntbd://[::1]:8081");
  EXPECT_EQ(authority("[::1]", true), "rntbd://[::1]:443");
}

TEST_F(Addresses, AreWhereTheServerWasToldThatItIs) {
  const auto authority = [&](std::string endpoint, uint16_t port) {
    ServiceParts parts = served_.parts();
    parts.public_endpoint = std::move(endpoint);
    parts.direct.port = port;
    const Service service(parts);
    const std::string uri = texts(ask(service, "/addresses", "$resolveFor=dbs"), "physcialUri").front();
    return uri.substr(0, uri.find("/apps"));
  };
  EXPECT_EQ(authority("https://db.example.org/", 0), "rntbd://db.example.org:443");
  EXPECT_EQ(authority("https://db.example.org:99/", 0), "rntbd://db.example.org:99");
  EXPECT_EQ(authority("https://db.example.org:99/", 10250), "rntbd://db.example.org:10250");
  EXPECT_EQ(authority("", 10250), "rntbd://localhost:10250");
}

TEST_F(Addresses, AreRefusedWhereDirectModeIsOff) {
  ServiceParts parts = served_.parts();
  parts.direct.is_served = false;
  const Service service(parts);
  const Answer answer = ask(service, "/addresses", "$resolveFor=dbs");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("--direct off"));
}

TEST_F(Addresses, OfNothingAreRefused) {
  EXPECT_EQ(ask("").status, 400);
  EXPECT_EQ(ask(ranges_query("")).status, 400);
  std::string many = "0";
  for (int i = 0; i < 100; ++i) many += ",0";
  EXPECT_EQ(ask(ranges_query(many)).status, 400);
  EXPECT_EQ(ask("$resolveFor=dbs%2Fdb%2Fcolls%2Fnone%2Fdocs&$partitionKeyRangeIds=0").status, 404);
  EXPECT_EQ(ask("$resolveFor=dbs%2Fdb%2Fcolls%2Fc%2Fdocs").status, 400);
  EXPECT_EQ(ask("$resolveFor=%2").status, 400);
  EXPECT_EQ(ask(served_.service(), "/addresses", "$resolveFor=dbs", "localhost", true, "type=master&ver=1.0&sig=AAAA").status,
            401);
}

// Each may know where its own container is, and where the server is.
TEST_F(Addresses, AreToldToBearersOfTokens) {
  ASSERT_EQ(send_signed("POST", "/dbs/db/colls", {}, R"({"id":"d","partitionKey":{"paths":["/pk"]}})").status, 201);
  ASSERT_EQ(send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})").status, 201);
  ASSERT_EQ(
      send_signed("POST", "/dbs/db/users/u/permissions", {}, R"({"id":"p","permissionMode":"Read","resource":"dbs/db/colls/c"})")
          .status,
      201);
  const std::string token = token_of("/dbs/db/users/u/permissions/p");
  const auto status = [&](std::string_view query) {
    return ask(served_.service(), "/addresses", query, "localhost", true, token).status;
  };
  EXPECT_EQ(status("$resolveFor=dbs"), 200);
  EXPECT_EQ(status("$resolveFor=dbs%2Fdb%2Fcolls%2Fc%2Fdocs&$partitionKeyRangeIds=0"), 200);
  EXPECT_EQ(status("$resolveFor=dbs%2Fdb%2Fcolls%2Fd%2Fdocs&$partitionKeyRangeIds=0"), 403);
}

}  // namespace partita::cosmos
