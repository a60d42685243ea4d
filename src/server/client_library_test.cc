#include "client/container.h"
#include "client/expression/expression.h"
#include "client/items/batch.h"
#include "client/query/query.h"
#include "client/resources/account.h"
#include "document/json/json.h"
#include "net/tls/certificate.h"
#include "server/world.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace partita::server {
namespace {

using client::Answer;
using client::key;
using testing::HasSubstr;

constexpr int kDocuments = 400;
constexpr int64_t kThroughput = 40'000;  // four partitions

// The client library against a running server, over its port.
class ClientLibraryTest : public testing::Test {
 protected:
  ClientLibraryTest() : world_(start()), client_(connect("http")), orders_(client_, {"shop", "all orders"}) {
    EXPECT_TRUE(create_database(client_, "shop"));
    client::ContainerDefinition definition{.id = "all orders", .default_ttl = -1};
    definition.indexing_policy =
        R"({"includedPaths":[{"path":"/*"}],"compositeIndexes":[[{"path":"/mixed"},{"path":"/n","order":"descending"}],)"
        R"([{"path":"/city"},{"path":"/n"}]]})";
    definition.partition_key = client::partition_key_definition(std::vector<std::string>{"/customer"}).value();
    EXPECT_TRUE(create_container(client_, "shop", definition, {.manual = kThroughput}));
  }

  std::unique_ptr<World> start() {
    ServeOptions options;
    options.data = directory_.path();
    options.port = 0;
    options.durability = Durability::kRelaxed;
    options.threads = 1;
    options.has_no_rate_limit = true;
    return World::start(options).value();
  }
  client::Client connect(std::string_view scheme) {
    return client::Client::create(
               {.endpoint = fmt::format("{}://127.0.0.1:{}/", scheme, world_->port()), .key = std::string(kWellKnownKey)})
        .value();
  }

  // Some lack `total`, some have one that is no number; `city` has few values.
  void fill() {
    for (int n = 0; n < kDocuments; ++n) {
      const std::string total = n % 7 == 0 ? "" : fmt::format(R"("total":{},)", (n * 37) % 101);
      const auto made =
          orders_.create(fmt::format(R"({{"id":"{0}","customer":"c{1}",{2}"city":"{3}","n":{0},"mixed":{4}}})", n, n % 50, total,
                                     n % 3 == 0   ? "Oslo"
                                     : n % 3 == 1 ? "Rome"
                                                  : "Bern",
                                     n % 2 == 0 ? "1" : "\"x\""));
      ASSERT_TRUE(made) << made.error().message;
    }
  }

  struct Outcome {
    std::vector<std::string> rows;
    std::string error;
  };
  Outcome rows_of(const client::Query& query, const client::QueryOptions& options) {
    auto cursor = client::QueryCursor::open(orders_, query, options);
    if (!cursor) return {{}, cursor.error().message};
    Outcome outcome;
    while (true) {
      auto row = cursor->next();
      if (!row) return {std::move(outcome.rows), row.error().message};
      if (!*row) return outcome;
      outcome.rows.push_back((*row)->json());
    }
  }
  // As the server merges it.
  std::vector<std::string> served(const client::Query& query) {
    std::vector<std::string> rows;
    std::string continuation;
    do {
      const auto page =
          client_.send_expecting_success(query_page(orders_.name(), {}, client::query_body(query.text, query.parameters),
                                                    {.continuation = continuation, .is_merged_by_server = true}));
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return rows;
      const auto feed = client::FeedPage::parse(*page, "Documents").value();
      for (size_t index = 0; index < feed.size(); ++index) rows.push_back(to_json(feed.at(index)));
      continuation = page->continuation();
    } while (!continuation.empty());
    return rows;
  }

  void split(const std::string& range) {
    const auto done = client_.send_expecting_success(
        {.method = "POST",
         .path = "/_partita/split",
         .resource_type = "partita",
         .resource_link = "split",
         .body = fmt::format(R"({{"database":"shop","container":"all orders","range":"{}"}})", range)});
    ASSERT_TRUE(done) << done.error().message;
  }

  std::string widest() {
    const auto width = [](const client::PartitionRange& range) {
      const auto edge = [](const std::string& hash) {
        return hash.empty() ? 0
                            : std::min<int>(static_cast<uint8_t>(hash[0]), 0x40) * 256 +
                                  (hash.size() > 1 ? static_cast<uint8_t>(hash[1]) : 0);
      };
      return edge(range.hashes.max) - edge(range.hashes.min);
    };
    return std::ranges::max(read_partition_ranges(client_, orders_.name()).value(), {}, width).id;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<World> world_;
  client::Client client_;
  client::Container orders_;
};

TEST_F(ClientLibraryTest, WritesAndReadsDocumentsOverHttpAndHttps) {
  for (const char* scheme : {"http", "https"}) {
    const client::Container orders(connect(scheme), orders_.name());
    const auto made = orders.create(fmt::format(R"({{"id":"a/b é {}","customer":"ada","total":12}})", scheme).replace(8, 1, "-"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->status(), 201);
    EXPECT_GT(made->charge(), 0);
    const std::string id = fmt::format("a-b é {}", scheme);
    const auto read = orders.read(key("ada"), id);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->etag(), made->etag());
    const auto patched = orders.patch(key("ada"), id, R"([{"op":"incr","path":"/total","value":3}])");
    ASSERT_TRUE(patched) << patched.error().message;
    EXPECT_THAT(patched->body(), HasSubstr(R"("total":15)"));
    const auto stale =
        orders.replace(fmt::format(R"({{"id":"{}","customer":"ada"}})", id), {.if_match = std::string(made->etag())});
    EXPECT_EQ(stale.error().code, ErrorCode::kPreconditionFailed);
    EXPECT_EQ(orders.create(fmt::format(R"({{"id":"{}","customer":"ada"}})", id)).error().code, ErrorCode::kAlreadyExists);
    EXPECT_EQ(orders.upsert(fmt::format(R"({{"id":"{}","customer":"ada"}})", id), {.wants_body = false}).value().body(), "");
    EXPECT_TRUE(orders.remove(key("ada"), id));
    EXPECT_EQ(orders.read(key("ada"), id).error().code, ErrorCode::kNotFound);
  }
}

TEST_F(ClientLibraryTest, ReadsAndChangesResources) {
  EXPECT_TRUE(read_account(client_).value().is_partita);
  EXPECT_EQ(read_account(client_).value().consistency, "Session");
  EXPECT_THAT(list_databases(client_).value(), testing::ElementsAre("shop"));
  const auto definition = read_container(client_, orders_.name()).value();
  EXPECT_EQ(definition.partition_key.paths.at(0).text(), "/customer");
  EXPECT_EQ(definition.default_ttl, -1);
  EXPECT_THAT(definition.indexing_policy, HasSubstr("includedPaths"));
  EXPECT_EQ(list_containers(client_, "shop").value().size(), 1);
  EXPECT_EQ(read_partition_ranges(client_, orders_.name()).value().size(), 4);
  const auto offer = read_offer(client_, definition).value();
  EXPECT_EQ(offer.throughput.manual, kThroughput);
  EXPECT_EQ(replace_offer(client_, offer, {.manual = kThroughput + 100}).value().throughput.manual, kThroughput + 100);
  EXPECT_TRUE(delete_container(client_, orders_.name()));
  EXPECT_EQ(read_container(client_, orders_.name()).error().code, ErrorCode::kNotFound);
}

TEST_F(ClientLibraryTest, WritesBatchesAndBulks) {
  using Kind = client::BatchOperation::Kind;
  const std::vector<client::BatchOperation> batch = {{.kind = Kind::kCreate, .document = R"({"id":"1","customer":"ada"})"},
                                                     {.kind = Kind::kRead, .id = "1"},
                                                     {.kind = Kind::kDelete, .id = "none"}};
  const auto answer = client_.send(batch_items(orders_.name(), key("ada"), batch)).value();
  std::vector<int> statuses;
  for (const auto& result : batch_results(answer).value()) statuses.push_back(result.status);
  EXPECT_THAT(statuses, testing::ElementsAre(424, 424, 404));

  const auto range = orders_.range_of(key("ada")).value();
  const std::vector<client::BatchOperation> bulk = {
      {.kind = Kind::kUpsert, .document = R"({"id":"1","customer":"ada"})", .key = key("ada")},
      {.kind = Kind::kRead, .id = "1", .key = key("ada")},
      {.kind = Kind::kDelete, .id = "none", .key = key("ada")}};
  statuses.clear();
  const auto results = batch_results(client_.send(bulk_items(orders_.name(), range.id, bulk)).value()).value();
  for (const auto& result : results) statuses.push_back(result.status);
  EXPECT_THAT(statuses, testing::ElementsAre(201, 200, 404));
  EXPECT_THAT(results[1].document, HasSubstr(R"("customer":"ada")"));
}

TEST_F(ClientLibraryTest, MergesAsOnePartitionAfterTheOtherWould) {
  fill();
  const client::QueryOptions parallel{.parallel = {.parallelism = 8, .buffered_items_max = 50, .page_items = 7}};
  const client::QueryOptions serial{.parallel = {.parallelism = 1, .buffered_items_max = 0}};
  for (const char* text : {
           "SELECT c.n FROM c",
           "SELECT VALUE c.n FROM c WHERE c.total > 50",
           "SELECT TOP 13 c.n FROM c",
           "SELECT c.n FROM c OFFSET 5 LIMIT 20",
           "SELECT c.n, c.total FROM c ORDER BY c.total",
           "SELECT c.n, c.total FROM c ORDER BY c.total DESC",
           "SELECT VALUE c.total FROM c ORDER BY c.total",
           "SELECT c.n FROM c ORDER BY c.mixed, c.n DESC",
           "SELECT TOP 9 c.n FROM c ORDER BY c.n DESC",
           "SELECT c.n FROM c ORDER BY c.n OFFSET 11 LIMIT 30",
           "SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city",
           "SELECT DISTINCT c.city FROM c",
           "SELECT DISTINCT TOP 2 c.city FROM c",
           "SELECT VALUE COUNT(1) FROM c",
           "SELECT VALUE COUNT(1) FROM c WHERE false",
           "SELECT VALUE COUNT(c.total) FROM c",
           "SELECT VALUE SUM(c.total) FROM c",
           "SELECT VALUE SUM(c.mixed) FROM c",
           "SELECT VALUE SUM(c.total) FROM c WHERE c.n = 8",
           "SELECT VALUE SUM(c.none) FROM c",
           "SELECT VALUE AVG(c.total) FROM c",
           "SELECT VALUE AVG(c.none) FROM c",
           "SELECT VALUE MIN(c.total) FROM c",
           "SELECT VALUE MAX(c.mixed) FROM c",
           "SELECT VALUE MAX(c.none) FROM c",
           "SELECT COUNT(1) AS k, MAX(c.n) AS m, AVG(c.total) AS a, SUM(c.mixed) AS s FROM c",
           "SELECT MIN(c.n) FROM c WHERE c.n = 17",
           "SELECT c.city, COUNT(1) AS k, SUM(c.n) AS s FROM c GROUP BY c.city",
           "SELECT VALUE COUNT(1) FROM c GROUP BY c.city",
           "SELECT VALUE c.city FROM c GROUP BY c.city",
           "SELECT c.city, c.mixed, MIN(c.total) AS low FROM c GROUP BY c.city, c.mixed",
           "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.city FROM c)",
       }) {
    const Outcome together = rows_of({text}, parallel);
    const Outcome alone = rows_of({text}, serial);
    EXPECT_EQ(together.error, "") << text;
    EXPECT_EQ(together.rows, alone.rows) << text;
    std::vector<std::string> wanted = served({text});
    std::vector<std::string> found = together.rows;
    // Rows that are equal by the order come in the order of their partitions here, and of their creation from the server. What
    // any rows satisfy is only counted.
    const std::string_view query = text;
    if (!query.contains("ORDER BY") || query.contains("c.n, c.total")) {
      std::ranges::sort(wanted);
      std::ranges::sort(found);
    }
    if (!query.contains("LIMIT 20") && !query.contains("TOP 13") && !query.contains("TOP 2")) {
      EXPECT_EQ(found, wanted) << text;
    }
    EXPECT_EQ(found.size(), wanted.size()) << text;
  }
}

TEST_F(ClientLibraryTest, AsksOnlyThePartitionsThatMayHaveRows) {
  fill();
  const client::Query query{"SELECT VALUE c.n FROM c WHERE c.customer = @customer ORDER BY c.n",
                            R"([{"name":"@customer","value":"c7"}])"};
  auto cursor = client::QueryCursor::open(orders_, query).value();
  std::vector<std::string> rows;
  for (auto row = cursor.next(); row.value(); row = cursor.next()) rows.push_back((*row)->json());
  EXPECT_THAT(rows, testing::ElementsAre("7", "57", "107", "157", "207", "257", "307", "357"));
  EXPECT_EQ(cursor.cost().requests, 2);  // the plan, and one partition
  EXPECT_EQ(rows_of(query, {.key = key("c7")}).rows, rows);
}

TEST_F(ClientLibraryTest, AsksInTypedExpressions) {
  using client::path;
  fill();
  const auto cheap = client::select(path("city"), client::count().as("k"), client::maximum(path("total")).as("most"))
                         .where(path("total") < 10 && path("city") != "Rome")
                         .group_by(path("city"))
                         .query();
  const client::Query text{
      R"(SELECT c.city, COUNT(1) AS k, MAX(c.total) AS most FROM c WHERE c.total < 10 AND c.city != "Rome" GROUP BY c.city)"};
  EXPECT_EQ(rows_of(cheap, {}).rows, rows_of(text, {}).rows);
  EXPECT_EQ(rows_of(cheap, {}).rows.size(), 2);
}

TEST_F(ClientLibraryTest, ChecksCertificatesWhenItCan) {
  const auto pem = client_.send({.path = "/_explorer/emulator.pem"}).value();
  ASSERT_EQ(pem.status(), 200);
  const std::string own = directory_.path() + "/own.pem";
  std::ofstream(own) << pem.body();
  const std::string others = directory_.path() + "/others.pem";
  std::ofstream(others) << net::make_self_signed_identity({}).value().certificate_pem;
  const auto read = [&](std::string_view host, client::TlsOptions tls) {
    const client::Client client = client::Client::create({.endpoint = fmt::format("https://{}:{}/", host, world_->port()),
                                                          .key = std::string(kWellKnownKey),
                                                          .tls = std::move(tls)})
                                      .value();
    const auto answer = client.send({});
    return answer ? "" : answer.error().message;
  };
  EXPECT_EQ(read("127.0.0.1", {}), "");  // a loopback address needs no proof
  EXPECT_EQ(read("localhost", {.authority_file = own}), "");
  EXPECT_THAT(read("localhost", {.authority_file = others}), HasSubstr("its certificate is not trusted: "));
  EXPECT_EQ(read("localhost", {.authority_file = others, .is_insecure = true}), "");
}

TEST_F(ClientLibraryTest, WorksWithAResourceToken) {
  ASSERT_TRUE(orders_.create(R"({"id":"1","customer":"ada"})"));
  ASSERT_TRUE(client_.send_expecting_success({.method = "POST",
                                              .path = "/dbs/shop/users",
                                              .resource_type = "users",
                                              .resource_link = "dbs/shop",
                                              .body = R"({"id":"reader"})"}));
  const auto permission =
      client_.send_expecting_success({.method = "POST",
                                      .path = "/dbs/shop/users/reader/permissions",
                                      .resource_type = "permissions",
                                      .resource_link = "dbs/shop/users/reader",
                                      .body = R"({"id":"p","permissionMode":"Read","resource":"dbs/shop/colls/all orders"})"});
  ASSERT_TRUE(permission) << permission.error().message;
  const std::string stored = stored_from_json(permission->body()).value();
  const client::Client guest =
      client::Client::create(
          {.endpoint = client_.endpoint().text(), .resource_token = std::string(Value::view(stored).find("_token").string())})
          .value();
  const client::Container orders(guest, orders_.name());
  EXPECT_TRUE(orders.read(key("ada"), "1"));
  const auto written = orders.create(R"({"id":"2","customer":"ada"})");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(client::Client::create({.endpoint = client_.endpoint().text()}).value().send_expecting_success({}).error().code,
            ErrorCode::kUnauthorized);
}

TEST_F(ClientLibraryTest, SaysWhereAQueryIsWrong) {
  const auto cursor = client::QueryCursor::open(orders_, {"SELECT * FORM c"});
  ASSERT_FALSE(cursor);
  EXPECT_EQ(cursor.error().code, ErrorCode::kInvalidQuery);
  ASSERT_FALSE(cursor.error().faults.empty());
  EXPECT_EQ(cursor.error().faults[0].start, 9);
}

TEST_F(ClientLibraryTest, LosesAndRepeatsNothingWhenPartitionsSplitMeanwhile) {
  fill();
  for (const char* text :
       {"SELECT VALUE c.n FROM c", "SELECT VALUE c.n FROM c ORDER BY c.n DESC", "SELECT VALUE c.n FROM c ORDER BY c.city, c.n"}) {
    const std::vector<std::string> wanted = served({text});
    auto cursor =
        client::QueryCursor::open(orders_, {text}, {.parallel = {.parallelism = 1, .buffered_items_max = 0, .page_items = 9}})
            .value();
    std::vector<std::string> rows;
    for (auto row = cursor.next(); row.value_or(std::nullopt); row = cursor.next()) {
      rows.push_back((*row)->json());
      if (rows.size() == 30 || rows.size() == 150) split(widest());
    }
    if (std::string_view(text).contains("ORDER BY")) {
      EXPECT_EQ(rows, wanted) << text;
    }
    EXPECT_EQ(rows.size(), kDocuments) << text;
    EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), kDocuments) << text;
  }
}

TEST_F(ClientLibraryTest, ReadsChangesUntilThereAreNone) {
  fill();
  std::set<std::string> seen;
  for (const client::PartitionRange& range : *orders_.ranges().value()) {
    std::string place;
    while (true) {
      const auto answer =
          client_.send(read_changes(orders_.name(), {.range_id = range.id}, {.items_max = 30, .continuation = place})).value();
      place = answer.etag();
      if (answer.status() == 304) break;
      const auto page = client::FeedPage::parse(answer, "Documents").value();
      for (size_t index = 0; index < page.size(); ++index) seen.emplace(page.at(index).find("id").string());
    }
  }
  EXPECT_EQ(seen.size(), kDocuments);
}

}  // namespace
}  // namespace partita::server
