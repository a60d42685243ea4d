#include "protocols/cosmos/authorization/authorization.h"

#include "protocols/cosmos/authorization_matrix/account.h"
#include "protocols/cosmos/authorization_matrix/credentials.h"
#include "protocols/cosmos/authorization_matrix/headers.h"
#include "protocols/cosmos/authorization_matrix/model.h"
#include "protocols/cosmos/authorization_matrix/rows.h"
#include "protocols/cosmos/router.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <span>
#include <tuple>
#include <utility>

// Every operation that the router serves, by every kind of credential, by names and by resource ids, with every header: who may
// do what.
namespace partita::cosmos::matrix {
namespace {

class AuthorizationMatrix : public testing::Test {
 protected:
  Request request_of(const Row& row, Addressing addressing) {
    Request request{.row = &row, .addressing = addressing, .path = account_.path_to(row, addressing), .headers = {}, .body = {}};
    request.set("x-ms-documentdb-partitionkey", R"(["a"])");
    if (row.action == Action::kQuery) request.set("x-ms-documentdb-isquery", "true");
    if (row.action == Action::kPlanQuery) request.set("x-ms-cosmos-is-query-plan-request", "true");
    if (row.action == Action::kListChanges) request.set("a-im", "Incremental feed");
    if (row.action == Action::kUpsert) request.set("x-ms-documentdb-is-upsert", "true");
    if (row.action == Action::kBatch || row.action == Action::kBulk) request.set("x-ms-cosmos-is-batch-request", "true");
    if (row.action == Action::kBatch) request.set("x-ms-cosmos-batch-atomic", "true");
    if (row.action == Action::kQuery || row.action == Action::kPlanQuery) request.body = R"({"query":"SELECT * FROM c"})";
    if (row.writes) request.body = R"({"id":"written","pk":"a"})";
    return request;
  }

  static net::HttpRequest request_with(std::string_view token, std::string_view method, const Request& request) {
    net::HttpRequest http;
    http.method = method;
    std::tie(http.path, http.query) = InProcessService::split(request.path);
    http.body = request.body;
    if (!token.empty()) http.headers.push_back({"authorization", token});
    http.headers.push_back({"x-ms-date", InProcessService::kNow});
    for (const auto& [name, value] : request.headers) http.headers.push_back({name, value});
    return http;
  }

  // Refused requests are sent. Of those that are not, only the verdict is asked for, so that nothing changes.
  void judge(const Request& request, const Credential& credential, const std::string& token) {
    const std::string_view method = method_of(request.row->action);
    const int expected = expected_refusal(credential, request);
    ++judged_;
    const net::HttpRequest http = request_with(token, method, request);
    net::HttpResponse response;
    if (expected != 0) {
      bool is_done = false;  // at once: whoever is refused waits for nobody
      account_.service().service().handle(http, response, [&] { is_done = true; });
      EXPECT_TRUE(is_done && response.status == expected)
          << describe(request, credential) << expected << " expected: " << response.status << " " << response.body;
      return;
    }
    ResourcePath path = *ResourcePath::parse(http.path, http.query);
    const Operation operation = operation_of(http, path);
    EXPECT_EQ(operation.action, expected_action(request)) << describe(request, credential);
    Exchange exchange(http, response, [] {}, "activity", std::move(path), operation);
    const Result<TokenLimits> verdict = authorize(exchange, account_.service().keys(), account_.catalog(), account_.clock());
    EXPECT_TRUE(verdict) << describe(request, credential) << verdict.error().message;
  }
  static std::string describe(const Request& request, const Credential& credential) {
    std::string text = fmt::format("{}: {} {}\n", credential.name, method_of(request.row->action), request.path);
    for (const auto& [name, value] : request.headers) text += fmt::format("  {}: {}\n", name, value);
    return text;
  }

  std::string token_for(const Credential& credential, const Request& request) const {
    if (!credential.token.empty()) return credential.token;
    if (credential.key.empty()) return "";
    const auto [path, query] = InProcessService::split(request.path);
    return InProcessService::signature(credential.key, method_of(request.row->action), path, query);
  }

  MatrixAccount account_;
  const std::vector<Credential> credentials_ = CredentialMaker(account_).make();
  size_t judged_ = 0;
};

}  // namespace

TEST_F(AuthorizationMatrix, HasARowForEveryOperation) {
  for (const Operation& operation : operations()) {
    const Row* row = find_row(operation.kind, operation.is_feed, operation.action);
    EXPECT_NE(row, nullptr) << name_of(operation.action) << ", kind " << static_cast<int>(operation.kind)
                            << ": say here who may do it";
    if (row != nullptr) EXPECT_EQ(operation.is_write(), row->writes) << account_.path_to(*row, Addressing::kNames);
  }
  EXPECT_EQ(operations().size(), std::size(kRows));
}

TEST_F(AuthorizationMatrix, HasValuesForEveryHeader) {
  std::ifstream file(TEST_DATA_DIR "/../codec/header_names.h");
  ASSERT_TRUE(file);
  std::string line;
  size_t headers = 0;
  while (std::getline(file, line) && line != "// Responses.") {
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("= \"([^\"]+)\";"))) continue;
    const std::string name = match[1];
    ++headers;
    const bool is_tried = kHeaderValues.contains(name) || std::ranges::find(kNotTried, name) != kNotTried.end();
    // Pages are turned away before: server/request_guard.h.
    EXPECT_TRUE(is_tried || name == "origin") << name << ": give values that switch it on";
  }
  EXPECT_GT(headers, 40u);
}

TEST_F(AuthorizationMatrix, EveryRequestIsJudgedByItsOperation) {
  for (const Row& row : kRows) {
    const std::string before = account_.state();
    for (const Addressing addressing : {Addressing::kNames, Addressing::kResourceIds}) {
      const Request plain = request_of(row, addressing);
      for (const Credential& credential : credentials_) {
        const std::string token = token_for(credential, plain);
        judge(plain, credential, token);
        for (const auto& [name, values] : kHeaderValues) {
          Request request = plain;
          const size_t count = addressing == Addressing::kNames ? values.size() : 1;
          for (const std::string& value : std::span(values).first(count)) {
            request.set(name, value);
            judge(request, credential, token);
          }
        }
      }
    }
    EXPECT_EQ(account_.state(), before) << "changed by a refused request: " << account_.path_to(row, Addressing::kNames);
    if (HasFailure()) break;  // one kind of mistake is shown often enough
  }
  RecordProperty("judged", static_cast<int>(judged_));
}

TEST_F(AuthorizationMatrix, NamesAndResourceIdsCanBeMixed) {
  for (const Row& row : kRows) {
    for (const Addressing addressing : {Addressing::kDatabaseById, Addressing::kContainerById}) {
      const Request request = request_of(row, addressing);
      for (const Credential& credential : credentials_) judge(request, credential, token_for(credential, request));
    }
  }
}

// A read that is permitted is answered; so the paths above lead to what they are meant to.
TEST_F(AuthorizationMatrix, WhatMayBeReadIsThere) {
  for (const Row& row : kRows) {
    if (row.writes || row.kind == ResourceKind::kConflict || row.kind == ResourceKind::kMedia) continue;
    for (const Addressing addressing :
         {Addressing::kNames, Addressing::kResourceIds, Addressing::kDatabaseById, Addressing::kContainerById}) {
      const Request request = request_of(row, addressing);
      const std::string_view method = method_of(row.action);
      const InProcessService::Answer answer = account_.send(method, request.path, request.headers, request.body);
      EXPECT_EQ(answer.status, 200) << method << " " << request.path << " " << answer.body;
    }
  }
}

// A method or kind that nobody serves tells those who may not write nothing but that.
TEST_F(AuthorizationMatrix, WhatIsNotServedIsRefusedBeforeThatIsSaid) {
  for (const auto& [method, path] : std::vector<std::pair<std::string, std::string>>{{"PATCH", "/dbs/db/colls/c"},
                                                                                     {"PUT", "/dbs/db"},
                                                                                     {"POST", "/dbs/db/colls/c/docs/i"},
                                                                                     {"POST", "/dbs/db/colls/c/pkranges"},
                                                                                     {"TRACE", "/"},
                                                                                     {"PROPFIND", "/dbs/db/colls/c/docs"},
                                                                                     {"GET", "/dbs/db/colls/c/schemas"},
                                                                                     {"POST", "/addresses"}}) {
    for (const Credential& credential : credentials_) {
      const std::string token = !credential.token.empty() ? credential.token
                                : credential.key.empty()  ? ""
                                                          : InProcessService::signature(credential.key, method, path);
      const int expected = credential.holder == Holder::kKey                                               ? 405
                           : credential.holder == Holder::kNobody || credential.holder == Holder::kUnknown ? 401
                                                                                                           : 403;
      const Request request{.row = nullptr, .path = path, .headers = {}, .body = {}};
      EXPECT_EQ(account_.service().handle(request_with(token, method, request)).status, expected)
          << credential.name << " " << method << " " << path;
    }
  }
}

}  // namespace partita::cosmos::matrix
