#include "protocols/cosmos/fidelity.h"

#include "document/json/json.h"
#include "protocols/cosmos/service_fixture.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// testdata/fidelity.txt, row by row, with an account of either mode and with requests that ask for the other one.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Row {
  std::string what;
  std::string request;
  std::string as_service;
  std::string extended;
};

std::vector<Row> rows() {
  std::ifstream file(TEST_DATA_DIR "/fidelity.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> cells;
    constexpr std::string_view kBetween = " | ";
    for (size_t at = 0; at <= line.size();) {
      const size_t end = std::min(line.find(kBetween, at), line.size());
      cells.push_back(line.substr(at, end - at));
      at = end + kBetween.size();
    }
    EXPECT_EQ(cells.size(), 4U) << line;
    if (cells.size() == 4) rows.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return rows;
}

// Of queries, by the verb of their request.
const std::map<std::string_view, InProcessService::Headers>& headers_of_verbs() {
  static const std::map<std::string_view, InProcessService::Headers> all{
      {"query", {}},
      {"single", {}},
      {"old", {{"x-ms-version", "2018-08-31"}}},
      {"parallel", {{"x-ms-documentdb-query-parallelizecrosspartitionquery", "true"}}},
      {"whole", {{"x-ms-documentdb-query-iscontinuationexpected", "False"}}},
      {"range", {{"x-ms-documentdb-partitionkeyrangeid", "0"}}},
      {"key", {{"x-ms-documentdb-partitionkey", R"(["a"])"}}},
      {"after", {}},
      {"plan", {{"x-ms-cosmos-is-query-plan-request", "True"}}},
  };
  return all;
}

class FidelityTest : public ServiceTest {
 protected:
  FidelityTest() {
    account_.make_container("c", {"/pk"}, 20'000);
    account_.make_container("single", {"/pk"}, 400);
    put("c", "a", "a", R"("n":1,"g":"x","v":[1,0],"tags":[3,1,2],"text":"cold rain")");
    put("c", "b", "b", R"("n":2,"g":"x")");
    put("c", "c", "c", R"("n":3,"g":"x")");
    put("single", "a", "a", R"("n":1,"g":"x","text":"cold rain")");
    for (const char* id : {"x ", "x%20y", "x/y", "x\\\\y", "x#y", "x\\ty", "x\\ny", "x\\u007fy", "x?y", "x%y"})
      put("c", id, "a", R"("g":"x")");
    EXPECT_EQ(send_signed("POST", "/dbs/db/users", {}, R"({"id":"ada"})").status, 201);
    EXPECT_EQ(send_signed("POST", "/dbs/db/users/ada/permissions", {},
                          R"({"id":"all","permissionMode":"All","resource":"dbs/db/colls/c"})")
                  .status,
              201);
  }

  Answer put(std::string_view container, std::string_view id, std::string_view key, std::string_view more,
             const Headers& mode = {}) {
    Headers headers = mode;
    headers.emplace_back("x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", key));
    headers.emplace_back("x-ms-documentdb-is-upsert", "True");
    Answer answer = send_signed("POST", fmt::format("/dbs/db/colls/{}/docs", container), headers,
                                fmt::format(R"({{"id":"{}","pk":"{}",{}}})", id, key, more));
    EXPECT_THAT(answer.status, testing::AnyOf(200, 201)) << answer.body;
    return answer;
  }

  // Of an item of key "a".
  Answer ask_for_item(std::string_view verb, std::string_view id, Headers headers) {
    if (verb == "put") return put("c", id, "a", R"("g":"x")", headers);
    headers.emplace_back("x-ms-documentdb-partitionkey", R"(["a"])");
    const std::string path = fmt::format("{}/{}", kDocuments, id);
    if (verb == "read") return send_signed("GET", path, headers);
    headers.emplace_back("authorization", token_of("/dbs/db/users/ada/permissions/all"));
    headers.emplace_back("x-ms-date", kNow);
    return send("GET", path, headers);
  }

  Answer ask(std::string_view request, const Headers& mode) {
    const std::string_view verb = request.substr(0, request.find_first_of(" ("));
    std::string_view rest = request.substr(std::min(request.find(' ') + 1, request.size()));
    Headers headers = mode;
    if (request == "feed") return send_signed("GET", kDocuments, headers);
    const auto own = headers_of_verbs().find(verb);
    if (own == headers_of_verbs().end()) return ask_for_item(verb, rest, headers);
    headers.insert(headers.end(), own->second.begin(), own->second.end());
    headers.insert(headers.end(), {{"x-ms-documentdb-isquery", "true"},
                                   {"content-type", "application/query+json"},
                                   {"x-ms-documentdb-query-enablecrosspartition", "true"}});
    if (verb != "old") headers.emplace_back("x-ms-version", "2020-07-15");
    if (verb == "after") {
      headers.emplace_back("x-ms-continuation", rest.substr(0, rest.find(' ')));
      rest.remove_prefix(rest.find(' ') + 1);
    }
    if (request.starts_with("plan(")) {
      const size_t end = request.find(") ");
      headers.emplace_back("x-ms-cosmos-supported-query-features", request.substr(5, end - 5));
      rest = request.substr(end + 2);
    }
    std::string body = R"({"query":)";
    append_json_string(body, rest);
    return send_signed("POST", verb == "single" ? "/dbs/db/colls/single/docs" : kDocuments, headers, body + "}");
  }

  void check(const Row& row, Fidelity mode, const Headers& asked) {
    const std::string& expected = mode == Fidelity::kService ? row.as_service : row.extended;
    const Answer answer = ask(row.request, asked);
    const auto sub_status = answer.headers.find("x-ms-substatus");
    const bool has_sub_status = sub_status != answer.headers.end() && sub_status->second != "0";
    const std::string status =
        has_sub_status ? fmt::format("{}/{}", answer.status, sub_status->second) : fmt::to_string(answer.status);
    EXPECT_EQ(status, expected.substr(0, expected.find(' '))) << row.what << ", " << name_of(mode) << ": " << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(expected.substr(expected.find(' ') + 1))) << row.what << ", " << name_of(mode);
  }

  void serve(Fidelity mode) {
    ServiceParts parts = served_.parts();
    parts.fidelity = mode;
    service_.emplace(std::move(parts));
    served_.serve_through(*service_);
  }

  static constexpr const char* kDocuments = "/dbs/db/colls/c/docs";
  std::optional<Service> service_;
};

}  // namespace

TEST_F(FidelityTest, AnswersEveryRowAsTheAccountIsSet) {
  ASSERT_GT(rows().size(), 50U);
  for (const Fidelity mode : {Fidelity::kService, Fidelity::kExtended}) {
    serve(mode);
    for (const Row& row : rows()) check(row, mode, {});
  }
}

TEST_F(FidelityTest, AnswersEveryRowAsTheRequestAsks) {
  for (const Fidelity mode : {Fidelity::kService, Fidelity::kExtended}) {
    serve(mode == Fidelity::kService ? Fidelity::kExtended : Fidelity::kService);
    for (const Row& row : rows()) check(row, mode, {{"x-partita-fidelity", std::string(name_of(mode))}});
  }
}

TEST_F(FidelityTest, RefusesAModeThatThereIsNot) {
  EXPECT_EQ(ask("read a", {{"x-partita-fidelity", "EXTENDED"}}).status, 200);
  const Answer answer = ask("read a", {{"x-partita-fidelity", "exact"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("'exact' is not a fidelity"));
}

// An explanation is of the whole query, whoever would merge it.
TEST_F(FidelityTest, ExplainsWhatIsRefusedAndWhoServesIt) {
  const auto explained = [this](std::string_view request, std::string_view mode) {
    const Answer answer = ask(request, {{"x-partita-explain", "true"}, {"x-partita-fidelity", std::string(mode)}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(R"("plan":[)"));
    return answer.body;
  };
  const std::vector<std::pair<const char*, const char*>> refused = {
      {"key SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY t", R"("refusalStatus":400,"refusalServedBy":["extended"])"},
      {"query SELECT VALUE COUNT(1) + 1 FROM c", R"("refusalStatus":400,"refusalServedBy":["extended"])"},
      {"query SELECT TOP 2147483648 * FROM c", R"("refusalStatus":400,"refusalServedBy":["extended"])"},
      {"query SELECT COUNT(1) FROM c", R"("refusalStatus":400,"refusalServedBy":["plan","extended"])"},
      {"query SELECT TOP 20 * FROM c", R"("refusalStatus":400,"refusalSubStatus":1004,"refusalServedBy":["plan","extended"])"}};
  for (const auto& [request, said] : refused) {
    EXPECT_THAT(explained(request, "service"), HasSubstr(said)) << request;
    EXPECT_THAT(explained(request, "extended"), Not(HasSubstr("refusal"))) << request;
  }
  constexpr const char* kRanked = "query SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.text, 'rain')";
  EXPECT_THAT(explained(kRanked, "extended"), HasSubstr(R"("refusalSubStatus":1004,"refusalServedBy":["plan"])"));
  const std::string served = explained("query SELECT * FROM c", "service");
  EXPECT_THAT(served, testing::AllOf(Not(HasSubstr("refusal")), HasSubstr(R"("partitions":2)"), HasSubstr(R"("rows":13)")));
}

// A page of one partition says which one it was read from.
TEST_F(FidelityTest, GoesThroughThePartitionsOnePageEach) {
  serve(Fidelity::kService);
  for (const char* request : {"query SELECT VALUE c.id FROM c WHERE c.n > 0", "feed"}) {
    std::vector<std::string> partitions;
    Headers more;
    do {
      const Answer page = ask(request, more);
      ASSERT_EQ(page.status, 200) << page.body;
      const std::string& token = page.headers.at("x-ms-session-token");
      partitions.push_back(token.substr(0, token.find(':')));
      const auto next = page.headers.find("x-ms-continuation");
      more.clear();
      if (next != page.headers.end()) more.emplace_back("x-ms-continuation", next->second);
    } while (!more.empty() && partitions.size() < 10);
    EXPECT_THAT(partitions, testing::ElementsAre("0", "1")) << request;
  }
}

// A document that the gateway does not reach by its name is there all the same.
TEST_F(FidelityTest, ReachesByResourceIdWhatItsGatewayDoesNotReachByName) {
  serve(Fidelity::kService);
  const Answer found = ask("key SELECT VALUE c._self FROM c WHERE c.id = 'x/y'", {});
  const size_t begin = found.body.find("dbs/");
  const std::string self = found.body.substr(begin, found.body.find("/\"", begin) - begin);
  EXPECT_EQ(send_signed("GET", "/" + self, {{"x-ms-documentdb-partitionkey", R"(["a"])"}}).status, 200) << self;
}

}  // namespace partita::cosmos
