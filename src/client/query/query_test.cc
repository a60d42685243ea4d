#include "client/query/query.h"

#include "client/test_service.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>

namespace partita::client {
namespace {

using testing::ElementsAre;

// What a server with two partitions says that another one may not: `0` splits into `2` and `3` while it is read.
class ScriptedQueryTest : public testing::Test {
 protected:
  static constexpr std::string_view kPlain = R"({"queryInfo":{"rewrittenQuery":""},"queryRanges":[{"min":"","max":"FF"}]})";
  static constexpr std::string_view kOrdered =
      R"x({"queryInfo":{"rewrittenQuery":"SELECT ... WHERE ({documentdb-formattableorderbyquery-filter})","orderBy":["Ascending"]},)x"
      R"x("queryRanges":[{"min":"","max":"FF"}]})x";

  static std::string range(std::string_view id, std::string_view min, std::string_view max, std::string_view parents = "") {
    return fmt::format(R"({{"id":"{}","minInclusive":"{}","maxExclusive":"{}","parents":[{}]}})", id, min, max, parents);
  }
  static std::string page(std::string_view rows, std::string_view continuation = "") {
    return http_answer(200, fmt::format(R"({{"Documents":[{}]}})", rows),
                       continuation.empty() ? "" : fmt::format("x-ms-continuation: {}\r\n", continuation));
  }
  static std::string gone() { return http_answer(410, R"({"code":"Gone","message":"split"})", "x-ms-substatus: 1002\r\n"); }

  std::string answer(const std::string& request) {
    std::lock_guard lock(mutex_);
    if (request.contains("/pkranges")) {
      const std::string ranges =
          is_split_ ? range("1", "20", "FF") + "," + range("2", "", "10", R"("0")") + "," + range("3", "10", "20", R"("0")")
                    : range("0", "", "20") + "," + range("1", "20", "FF");
      return http_answer(200, fmt::format(R"({{"PartitionKeyRanges":[{}]}})", ranges));
    }
    if (request.contains("is-query-plan-request")) return http_answer(200, plan_);
    return pages_(request);
  }

  std::vector<std::string> rows(std::string* error = nullptr) {
    TestService service([this](const std::string& request) { return answer(request); });
    const Client client = Client::create({.endpoint = service.endpoint()}).value();
    auto cursor =
        QueryCursor::open(Container(client, {"d", "c"}), {"SELECT"}, {.parallel = {.parallelism = 2, .buffered_items_max = 100}});
    std::vector<std::string> found;
    while (cursor) {
      auto row = cursor->next();
      if (!row && error != nullptr) *error = row.error().message;
      if (!row || !*row) break;
      found.push_back((*row)->json());
    }
    return found;
  }

  std::mutex mutex_;
  bool is_split_ = false;
  std::string plan_{kPlain};
  std::function<std::string(const std::string&)> pages_;
};

bool asks(const std::string& request, std::string_view range, std::string_view continuation = "") {
  return request.contains(fmt::format("partitionkeyrangeid: {}\r\n", range)) &&
         (continuation.empty() ? !request.contains("x-ms-continuation")
                               : request.contains(fmt::format("x-ms-continuation: {}\r\n", continuation)));
}

}  // namespace

TEST_F(ScriptedQueryTest, GoesOnInThePartsOfAPartitionThatWasSplit) {
  pages_ = [&](const std::string& request) {
    if (asks(request, "0")) {
      is_split_ = true;
      return page("1,2", "after2");
    }
    if (asks(request, "2", "after2")) return page("3");
    if (asks(request, "3", "after2")) return page("4");
    if (asks(request, "1")) return page("5");
    return gone();
  };
  EXPECT_THAT(rows(), ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(ScriptedQueryTest, KeepsTheOrderWhenAPartitionSplits) {
  plan_ = kOrdered;
  const auto row = [](int n) { return fmt::format(R"({{"_rid":"x","orderByItems":[{{"item":{0}}}],"payload":{0}}})", n); };
  pages_ = [&, row](const std::string& request) {
    EXPECT_TRUE(request.contains("WHERE (true)"));
    if (asks(request, "0")) {
      is_split_ = true;
      return page(row(1) + "," + row(4), "after4");
    }
    if (asks(request, "2", "after4")) return page(row(9));
    if (asks(request, "3", "after4")) return page(row(5));
    if (asks(request, "1")) return page(row(2) + "," + row(4) + "," + row(7));
    return gone();
  };
  EXPECT_THAT(rows(), ElementsAre("1", "2", "4", "4", "5", "7", "9"));
}

TEST_F(ScriptedQueryTest, ReadsItsOwnPartOnlyWhenPartitionsWereMerged) {
  is_split_ = true;
  bool is_merged = false;
  pages_ = [&](const std::string& request) {
    if (asks(request, "2")) {
      is_merged = true;
      is_split_ = false;  // 0 again
      return page("1", "a");
    }
    if (asks(request, "0", "a") && request.contains("x-ms-start-epk: \r\n") && request.contains("x-ms-end-epk: 10\r\n"))
      return page("2");
    if (asks(request, "0") && request.contains("x-ms-start-epk: 10\r\n") && request.contains("x-ms-end-epk: 20\r\n"))
      return page("3");
    if (asks(request, "3") && !is_merged) return page("3");
    if (asks(request, "1")) return page("4");
    return gone();
  };
  EXPECT_THAT(rows(), ElementsAre("1", "2", "3", "4"));
}

TEST_F(ScriptedQueryTest, LeavesEverythingToAServerThatAnswersInsteadOfAPlan) {
  plan_ = R"({"Documents":[7],"_count":1})";
  pages_ = [&](const std::string& request) {
    EXPECT_TRUE(request.contains("enablecrosspartition: True") && !request.contains("partitionkeyrangeid"));
    return request.contains("x-ms-continuation") ? page("2") : page("1", "more");
  };
  EXPECT_THAT(rows(), ElementsAre("1", "2"));
}

TEST_F(ScriptedQueryTest, GivesUpOnAPartitionThatIsNeverThere) {
  pages_ = [&](const std::string&) { return gone(); };
  std::string error;
  EXPECT_THAT(rows(&error), ElementsAre());
  EXPECT_EQ(error, "the partition moves again and again; try later");
}

}  // namespace partita::client
