#include "client/query/query.h"
#include "client/test_service.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

namespace partita::client {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

constexpr size_t kPageRows = 10;
// A backstop: what is waited for comes at once.
constexpr std::chrono::seconds kLongest{30};

// PartitionedService: a container whose partitions have the same number of pages each, and an account of how many requests for
// pages are under way. Rows are numbered from 0 in each partition.
class PartitionedService {
 public:
  PartitionedService(size_t partitions, size_t pages, bool is_ordered)
      : partitions_(partitions),
        pages_(pages),
        is_ordered_(is_ordered),
        service_([this](const std::string& request) { return answer(request); }) {}

  std::string endpoint() const { return service_.endpoint(); }
  size_t rows() const { return partitions_ * pages_ * kPageRows; }
  size_t most_under_way() {
    std::lock_guard lock(mutex_);
    return most_;
  }
  // No page is given before so many are asked for at once.
  void hold_until(size_t under_way) {
    std::lock_guard lock(mutex_);
    held_until_ = under_way;
  }
  // This page of all partitions but the last is given only some time after the last one's was asked for, or when that does not
  // come.
  void hold_page(size_t page) {
    std::lock_guard lock(mutex_);
    held_page_ = page;
  }
  // How many rows were given, once nothing is under way.
  size_t rows_given() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kLongest, [this] { return under_way_ == 0; }));
    return given_ * kPageRows;
  }

 private:
  static size_t number_behind(const std::string& request, std::string_view name) {
    const size_t at = request.find(name);
    return at == std::string::npos ? 0 : std::stoul(request.substr(at + name.size()));
  }

  std::optional<std::string> answer(const std::string& request) {
    if (request.contains("/pkranges")) return http_answer(200, ranges());
    if (request.contains("is-query-plan-request")) return http_answer(200, plan());
    const size_t partition = number_behind(request, "partitionkeyrangeid: ");
    const size_t page = number_behind(request, "x-ms-continuation: ");
    std::unique_lock lock(mutex_);
    asked_.insert({partition, page});
    most_ = std::max(most_, ++under_way_);
    if (under_way_ >= held_until_) held_until_ = 0;
    changed_.notify_all();
    EXPECT_TRUE(changed_.wait_for(lock, kLongest, [this] { return held_until_ == 0; }));
    if (held_page_ && page == *held_page_ && partition + 1 < partitions_) {
      constexpr std::chrono::milliseconds kLittle{300};  // it never makes the test fail
      changed_.wait_for(lock, kLittle, [this] { return asked_.contains({partitions_ - 1, *held_page_}); });
    }
    --under_way_;
    ++given_;
    changed_.notify_all();
    return http_answer(200, rows_of(page),
                       fmt::format("x-ms-item-count: {}\r\n{}", kPageRows,
                                   page + 1 < pages_ ? fmt::format("x-ms-continuation: {}\r\n", page + 1) : ""));
  }

  std::string ranges() const {
    std::string ranges;
    for (size_t i = 0; i < partitions_; ++i) {
      ranges += fmt::format(R"({}{{"id":"{}","minInclusive":"{}","maxExclusive":"{}","parents":[]}})", i == 0 ? "" : ",", i,
                            i == 0 ? "" : fmt::format("{:02X}", i), i + 1 == partitions_ ? "FF" : fmt::format("{:02X}", i + 1));
    }
    return fmt::format(R"({{"PartitionKeyRanges":[{}]}})", ranges);
  }

  std::string plan() const {
    return fmt::format(R"x({{"queryInfo":{{"rewrittenQuery":"{}"{}}},"queryRanges":[{{"min":"","max":"FF"}}]}})x",
                       is_ordered_ ? "SELECT ... WHERE ({documentdb-formattableorderbyquery-filter})" : "",
                       is_ordered_ ? R"(,"orderBy":["Ascending"])" : "");
  }

  std::string rows_of(size_t page) const {
    std::string rows;
    for (size_t row = page * kPageRows; row < (page + 1) * kPageRows; ++row) {
      const std::string text =
          is_ordered_ ? fmt::format(R"({{"_rid":"x","orderByItems":[{{"item":{0}}}],"payload":{0}}})", row) : std::to_string(row);
      rows += (rows.empty() ? "" : ",") + text;
    }
    return fmt::format(R"({{"Documents":[{}]}})", rows);
  }

  const size_t partitions_;
  const size_t pages_;
  const bool is_ordered_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t under_way_ = 0;
  size_t most_ = 0;
  size_t given_ = 0;
  size_t held_until_ = 0;
  std::optional<size_t> held_page_;
  std::set<std::pair<size_t, size_t>> asked_;  // partitions and pages
  TestService service_;                        // the last: its threads end before what they use
};

QueryCursor open(PartitionedService& service, const ParallelOptions& parallel) {
  const Client client = Client::create({.endpoint = service.endpoint()}).value();
  auto cursor = QueryCursor::open(Container(client, {"d", "c"}), {"SELECT"}, {.parallel = parallel});
  EXPECT_TRUE(cursor.has_value());
  return std::move(*cursor);
}

size_t rows_left(QueryCursor& cursor) {
  size_t count = 0;
  while (true) {
    const auto row = cursor.next();
    EXPECT_TRUE(row.has_value());
    if (!row || !*row) return count;
    ++count;
  }
}

}  // namespace

TEST(ParallelQuery, AsksAsManyPartitionsAtOnceAsItMayAndNoMore) {
  for (const bool is_ordered : {false, true}) {
    PartitionedService service(8, 3, is_ordered);
    service.hold_until(3);
    QueryCursor cursor = open(service, {.parallelism = 3});
    EXPECT_EQ(rows_left(cursor), service.rows());
    EXPECT_EQ(service.most_under_way(), 3u);
  }
}

TEST(ParallelQuery, AsksOnePartitionAfterTheOtherWhenItMayNotDoMore) {
  PartitionedService service(4, 2, false);
  QueryCursor cursor = open(service, {.parallelism = 1});
  EXPECT_EQ(rows_left(cursor), service.rows());
  EXPECT_EQ(service.most_under_way(), 1u);
}

// A row that is waited for comes from a partition that was not asked yet, while all requests that there may be are for others.
TEST(ParallelQuery, AsksNoMoreAtOnceForARowThatIsWaitedFor) {
  PartitionedService service(4, 4, true);
  service.hold_page(2);
  QueryCursor cursor = open(service, {.parallelism = 2});
  EXPECT_EQ(rows_left(cursor), service.rows());
  EXPECT_EQ(service.most_under_way(), 2u);
}

TEST(ParallelQuery, ReadsAheadAsManyRowsAsItMay) {
  constexpr size_t kRowsMax = 25;
  constexpr size_t kParallelism = 3;
  PartitionedService service(6, 5, false);
  QueryCursor cursor = open(service, {.parallelism = kParallelism, .buffered_items_max = kRowsMax});
  size_t taken = 0;
  size_t most_ahead = 0;
  while (true) {
    const auto row = cursor.next();
    ASSERT_TRUE(row.has_value());
    if (!*row) break;
    ++taken;
    most_ahead = std::max(most_ahead, service.rows_given() - taken);
  }
  EXPECT_EQ(taken, service.rows());
  // One page for each request that was under way when there was still room, and the page that is being taken.
  EXPECT_THAT(most_ahead, AllOf(Ge(kRowsMax), Le(kRowsMax + (kParallelism + 1) * kPageRows)));
}

}  // namespace partita::client
