#include "tools/transfer/import/service_destination.h"

#include "client/header_names.h"
#include "client/test_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace partita::tools::transfer {
namespace {

using client::http_answer;
using client::TestService;
using testing::ElementsAre;

bool is_bulk(const std::string& request) { return request.contains(client::header::kIsBatch); }

class ServiceDestinationTest : public testing::Test {
 protected:
  static PendingWrite pending(const std::string& id, bool is_alone = false) {
    return {.id = id, .document = R"({"id":")" + id + "\"}", .is_alone = is_alone};
  }
  static std::vector<int> write(ServiceDestination& destination, const std::vector<PendingWrite>& writes) {
    std::promise<std::vector<int>> statuses;
    destination.write("0", writes, [&](const std::vector<WriteAnswer>& answers) {
      std::vector<int> given;
      for (const WriteAnswer& answer : answers) given.push_back(answer.status);
      statuses.set_value(std::move(given));
    });
    return statuses.get_future().get();
  }
  static ReadAnswer read(ServiceDestination& destination, const PendingWrite& write) {
    std::promise<ReadAnswer> found;
    destination.read(write, [&](ReadAnswer answer) { found.set_value(std::move(answer)); });
    return found.get_future().get();
  }
  static ServiceDestination destination(const TestService& service, KeyOrigin keys) {
    return {client::Client::create({.endpoint = service.endpoint(), .retry = {.is_enabled = false}}).value(),
            {"d", "c"},
            WriteMode::kInsert,
            keys == KeyOrigin::kDocument,
            keys};
  }
};

TEST_F(ServiceDestinationTest, SendsNoMoreBulkRequestsToWhoDoesNotKnowThem) {
  TestService service(
      [](const std::string& request) { return is_bulk(request) ? http_answer(400, "{}") : http_answer(201, "{}"); });
  ServiceDestination to = destination(service, KeyOrigin::kDocument);
  EXPECT_THAT(write(to, {pending("a"), pending("b")}), ElementsAre(413, 413));
  EXPECT_THAT(write(to, {pending("c"), pending("d")}), ElementsAre(413, 413));
  EXPECT_THAT(write(to, {pending("a", true)}), ElementsAre(201));
  EXPECT_EQ(service.requests().size(), 2U);
}

TEST_F(ServiceDestinationTest, SendsEachDocumentOfAnOddBulkRequestByItself) {
  std::atomic<bool> is_odd = false;
  TestService service([&](const std::string& request) {
    if (!is_bulk(request)) return http_answer(400, R"({"message":"no"})");
    return is_odd ? http_answer(400, "{}") : http_answer(200, R"([{"statusCode":201}])");
  });
  ServiceDestination to = destination(service, KeyOrigin::kDocument);
  EXPECT_THAT(write(to, {pending("a")}), ElementsAre(201));
  is_odd = true;
  EXPECT_THAT(write(to, {pending("b")}), ElementsAre(413));
  EXPECT_THAT(write(to, {pending("b", true)}), ElementsAre(400));
  is_odd = false;
  EXPECT_THAT(write(to, {pending("c")}), ElementsAre(201));
}

TEST_F(ServiceDestinationTest, FindsEveryDocumentWithAnIdWhereItDoesNotKnowTheKey) {
  const std::string next = fmt::format("{}: more\r\n", client::header::kContinuation);
  TestService service([next](const std::string& request) {
    if (request.contains(next)) return http_answer(200, R"({"Documents":[{"id":"a","n":2}]})");
    return http_answer(200, R"({"Documents":[{"id":"a","n":1}]})", next);
  });
  ServiceDestination to = destination(service, KeyOrigin::kComputed);
  PendingWrite looked_for = pending("a");
  looked_for.search.emplace();
  ReadAnswer found = read(to, looked_for);
  EXPECT_THAT(found.documents, ElementsAre(R"({"id":"a","n":1})"));
  looked_for.search->continuation = found.continuation;
  found = read(to, looked_for);
  EXPECT_THAT(found.documents, ElementsAre(R"({"id":"a","n":2})"));
  EXPECT_EQ(found.continuation, "");
}

}  // namespace
}  // namespace partita::tools::transfer
