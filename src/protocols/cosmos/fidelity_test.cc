#include "protocols/cosmos/fidelity.h"

#include "document/json/json.h"
#include "protocols/cosmos/service_fixture.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

// testdata/fidelity.txt, row by row, with an account of either mode and with requests that ask for the other one.
namespace partita::cosmos {
namespace {

using testing::HasSubstr;

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

class FidelityTest : public ServiceTest {
 protected:
  FidelityTest() {
    account_.make_container("c", {"/pk"}, 20'000);
    put("a", "a", R"("n":1,"g":"x","v":[1,0],"tags":[3,1,2])");
    put("b", "b", R"("n":2,"g":"x")");
    put("c", "c", R"("n":3,"g":"x")");
    for (const char* id : {"x ", "x%20y", "x/y", "x\\\\y", "x#y", "x\\ty", "x?y", "x%y"}) put(id, "a", R"("g":"x")");
  }

  void put(std::string_view id, std::string_view key, std::string_view more) {
    const Answer answer = send_signed("POST", kDocuments, {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", key)}},
                                      fmt::format(R"({{"id":"{}","pk":"{}",{}}})", id, key, more));
    ASSERT_EQ(answer.status, 201) << answer.body;
  }

  Answer ask(std::string_view request, const Headers& mode) {
    const std::string_view verb = request.substr(0, request.find_first_of(" ("));
    std::string_view rest = request.substr(request.find(' ') + 1);
    Headers headers = mode;
    if (verb == "read") {
      headers.emplace_back("x-ms-documentdb-partitionkey", R"(["a"])");
      return send_signed("GET", fmt::format("{}/{}", kDocuments, rest), headers);
    }
    headers.insert(headers.end(), {{"x-ms-documentdb-isquery", "true"},
                                   {"content-type", "application/query+json"},
                                   {"x-ms-version", "2020-07-15"},
                                   {"x-ms-documentdb-query-enablecrosspartition", "true"}});
    if (verb == "parallel") headers.emplace_back("x-ms-documentdb-query-parallelizecrosspartitionquery", "true");
    if (verb == "whole") headers.emplace_back("x-ms-documentdb-query-iscontinuationexpected", "False");
    if (verb == "range") headers.emplace_back("x-ms-documentdb-partitionkeyrangeid", "0");
    if (verb == "key") headers.emplace_back("x-ms-documentdb-partitionkey", R"(["a"])");
    if (verb == "after") {
      headers.emplace_back("x-ms-continuation", rest.substr(0, rest.find(' ')));
      rest.remove_prefix(rest.find(' ') + 1);
    }
    if (verb == "plan") {
      headers.emplace_back("x-ms-cosmos-is-query-plan-request", "True");
      const size_t end = request.find(") ");
      if (request.starts_with("plan(")) {
        headers.emplace_back("x-ms-cosmos-supported-query-features", request.substr(5, end - 5));
        rest = request.substr(end + 2);
      }
    }
    std::string body = R"({"query":)";
    append_json_string(body, rest);
    return send_signed("POST", kDocuments, headers, body + "}");
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
  ASSERT_GT(rows().size(), 30U);
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

// A document that the gateway does not reach by its name is there all the same.
TEST_F(FidelityTest, ReachesByResourceIdWhatItsGatewayDoesNotReachByName) {
  serve(Fidelity::kService);
  const Answer found = ask("key SELECT VALUE c._self FROM c WHERE c.id = 'x/y'", {});
  const size_t begin = found.body.find("dbs/");
  const std::string self = found.body.substr(begin, found.body.find("/\"", begin) - begin);
  EXPECT_EQ(send_signed("GET", "/" + self, {{"x-ms-documentdb-partitionkey", R"(["a"])"}}).status, 200) << self;
}

}  // namespace partita::cosmos
