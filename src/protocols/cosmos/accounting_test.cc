#include "protocols/cosmos/in_process_account.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

// On whose account memory and request units go.
namespace partita::cosmos {
namespace {

class AccountingTest : public testing::Test {
 protected:
  using Headers = InProcessAccount::Headers;
  using Answer = InProcessAccount::Answer;

  static std::string rid_of(const Answer& answer) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(answer.body, found, std::regex(R"re("_rid":"([^"]+)")re"))) << answer.body;
    return found[1];
  }
  Answer post(std::string_view path, std::string_view body, Headers headers = {}) {
    headers.emplace_back("x-ms-documentdb-partitionkey", R"(["p"])");
    return account_.send("POST", path, headers, body);
  }
  Answer query(std::string_view text) {
    return post("/dbs/db/colls/c/docs", fmt::format(R"({{"query":"{}"}})", text),
                {{"x-ms-documentdb-isquery", "True"}, {"content-type", "application/query+json"}});
  }
  // In whose name the memory for a request to this path is taken.
  uint64_t tenant_of(std::string_view path) {
    net::HttpRequest head;
    head.path = path;
    return account_.service().tenant_of(head);
  }

  static double charge_of(const Answer& answer) { return std::stod(answer.header("x-ms-request-charge")); }

  InProcessAccount account_{SCRIPT_HOST};
  const Answer database_ = post("/dbs", R"({"id":"db"})");
  const Answer container_ = post("/dbs/db/colls", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})");
};

}  // namespace

TEST_F(AccountingTest, ADatabaseIsOneTenantByWhateverNameItIsCalled) {
  const uint64_t tenant = tenant_of("/dbs/db/colls/c/docs");
  EXPECT_EQ(tenant_of("/dbs/db"), tenant);
  EXPECT_EQ(tenant_of("/dbs/%64b/colls/nothing/docs"), tenant);
  EXPECT_EQ(tenant_of(fmt::format("/dbs/{}/colls/{}/docs", rid_of(database_), rid_of(container_))), tenant);
  ASSERT_EQ(post("/dbs", R"({"id":"other"})").status, 201);
  EXPECT_NE(tenant_of("/dbs/other/colls/c/docs"), tenant);
}

TEST_F(AccountingTest, AllThatDoesNotExistIsOneTenant) {
  const uint64_t nobody = tenant_of("/");
  EXPECT_NE(tenant_of("/dbs/db"), nobody);
  for (const char* path :
       {"/dbs", "/dbs/a/colls/c/docs", "/dbs/b/colls/c/docs", "/offers/x", "/dbs/AAAAAA==/colls", "/%", "/x"}) {
    EXPECT_EQ(tenant_of(path), nobody) << path;
  }
}

TEST_F(AccountingTest, OnlyAnAnswerThatTellsOfAChangeMustBeGiven) {
  EXPECT_TRUE(container_.is_outcome);
  const Answer created = post("/dbs/db/colls/c/docs", R"({"id":"1","pk":"p"})");
  EXPECT_TRUE(created.is_outcome);
  EXPECT_FALSE(post("/dbs/db/colls/c/docs", R"({"id":"1","pk":"p"})").is_outcome);  // a conflict
  EXPECT_FALSE(query("SELECT * FROM c").is_outcome);
  EXPECT_FALSE(account_.send("GET", "/dbs/db/colls/c").is_outcome);
  ASSERT_EQ(post("/dbs/db/colls/c/sprocs", R"({"id":"s","body":"function () {}"})").status, 201);
  EXPECT_TRUE(post("/dbs/db/colls/c/sprocs/s", "[]").is_outcome);
  EXPECT_TRUE(account_.send("DELETE", "/dbs/db/colls/c/docs/1", {{"x-ms-documentdb-partitionkey", R"(["p"])"}}).is_outcome);
}

TEST_F(AccountingTest, WhatFailsSaysWhatItHasSpent) {
  ASSERT_EQ(post("/dbs/db/colls/c/docs", R"({"id":"1","pk":"p"})").status, 201);
  const Answer failed = query("SELECT VALUE udf.u(c.id) FROM c");
  EXPECT_EQ(failed.status, 400) << "it has not begun";
  EXPECT_EQ(charge_of(failed), 0);

  ASSERT_EQ(post("/dbs/db/colls/c/udfs", R"({"id":"u","body":"function () { throw 'no'; }"})").status, 201);
  const Answer thrown = query("SELECT VALUE udf.u(c.id) FROM c");
  EXPECT_EQ(thrown.status, 400) << thrown.body;
  EXPECT_GT(charge_of(thrown), 0) << "a document was read";

  const char* procedure =
      "function () {"
      "  const create = (n) => __.createDocument(__.getSelfLink(), {id: 'x' + n, pk: 'p'},"
      "                                          () => { if (n === 10) throw 'no'; create(n + 1); });"
      "  create(1);"
      "}";
  ASSERT_EQ(post("/dbs/db/colls/c/sprocs", fmt::format(R"({{"id":"s","body":"{}"}})", procedure)).status, 201);
  const Answer rolled_back = post("/dbs/db/colls/c/sprocs/s", "[]");
  EXPECT_EQ(rolled_back.status, 400) << rolled_back.body;
  EXPECT_GT(charge_of(rolled_back), 20) << "ten documents were written in vain";

  EXPECT_EQ(charge_of(account_.send("GET", "/dbs/db/colls/c/docs/none", {{"x-ms-documentdb-partitionkey", R"(["p"])"}})), 1);
}

}  // namespace partita::cosmos
