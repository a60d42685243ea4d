#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/query/prepared_queries.h"
#include "server/admin/admin_api.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::server {
namespace {

using testing::HasSubstr;
using testing::Not;

class WorkloadTest : public testing::Test {
 protected:
  net::HttpResponse ask(std::string_view query) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = "/_partita/workload";
    request.query = query;
    net::HttpResponse response;
    answer_workload(api_, request, response, nullptr);
    return response;
  }

  TestAccount account_;
  observe::Metrics metrics_;
  auth::MasterKeyVerifier keys_ = auth::MasterKeyVerifier::create({.primary = "a2V5"}, account_.clock).value();
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  StoreWatch watch_{*account_.store, account_.clock};
  QueryShapes shapes_{true};
  AdminApi api_{{*account_.catalog, reshaper_, keys_, *account_.store, watch_, metrics_, nullptr, &shapes_}, {}};
};

}  // namespace

TEST_F(WorkloadTest, NamesDocumentsByRidAndQueriesWithoutValues) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  const query::QuerySpecification asked{.text = "SELECT TOP 7 * FROM c WHERE c.name = 'secret' AND c[\"a b\"] > 4711",
                                        .parameters = {}};
  shapes_.note(*container, query::shape_of(asked), 3);
  const DocumentNumber number{17};
  container->places[0].partition->local().meter().note_documents(DocumentSamples::Kind::kWrite, std::span(&number, 1), 5);
  const net::HttpResponse response = ask("database=db&container=c");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(container->identity.document_rid(number)));
  const int64_t minute = account_.clock.unix_ms() / 60'000;
  EXPECT_THAT(response.body, HasSubstr(fmt::format(R"("kind":"write","unixSeconds":{},"requestUnits":40)", minute * 60)));
  EXPECT_THAT(response.body, HasSubstr(R"x(WHERE ((c.name = \"?\") AND (c[\"a b\"] > 1))","pages":32,"requestUnits":96)x"));
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  EXPECT_THAT(response.body, Not(HasSubstr("4711")));
}

TEST_F(WorkloadTest, WantsAContainer) {
  EXPECT_EQ(ask("").status, 400);
  EXPECT_EQ(ask("database=db").status, 400);
  EXPECT_EQ(ask("database=db&container=none").status, 404);
}

}  // namespace partita::server
