#include "tools/plan/plan_split.h"

#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "document/json/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <ranges>

namespace partita::tools {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class PlanSplitTest : public testing::Test {
 protected:
  void put(const Container& container, std::string_view pk, std::string_view city) {
    const uint64_t number = container.numbers->next()->value;
    const std::string id = std::to_string(number);
    const PartitionKey key{{std::string(pk)}};
    const EffectivePartitionKey hash = effective_partition_key(key, container.definition.partition_key);
    const PartitionPlace& place = container.place_of(hash);
    const std::string item = item_key(place.partition->id(), hash, key, id);
    const std::string json = fmt::format(R"({{"id":"{}","pk":"{}","city":"{}"}})", id, pk, city);
    std::promise<bool> is_done;
    place.partition->transact(
        hash,
        [&](Transaction& transaction) -> Status {
          TRY(transaction.find(item));
          return transaction.put(item, item_from_json(number, json));
        },
        [&](Result<Partition::Commit> commit) { is_done.set_value(commit.has_value()); });
    EXPECT_TRUE(is_done.get_future().get());
  }
  std::string plan(PlanOptions options) {
    options.database = "db";
    options.container = "c";
    const Result<Plan> plan = plan_split(*account_.catalog, options);
    return plan ? plan_text(*plan) : plan.error().message;
  }

  TestAccount account_;
};

}  // namespace

TEST_F(PlanSplitTest, ShowsWhatMoreThroughputWouldDo) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 100; ++i) put(*container, fmt::format("key{:02}", i), "Berlin");
  const std::string text = plan({.throughput = 25'000});
  EXPECT_THAT(text, HasSubstr("Now, at 400 RU/s:"));
  EXPECT_THAT(text, HasSubstr("100 key values; the largest:"));
  EXPECT_THAT(text, HasSubstr("split 0 at 25 (throughput), 51% to the left"));
  EXPECT_THAT(text, HasSubstr("Planned, at 25000 RU/s:"));
  EXPECT_EQ(container->places.size(), 1u);
}

TEST_F(PlanSplitTest, SaysWhyAHotKeyValueCannotBeSplit) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 20; ++i) put(*container, "only", "Berlin");
  PlanOptions options;
  options.limits.partition_bytes_max = 100;
  EXPECT_THAT(plan(options), HasSubstr("0 cannot be split (bytes): "));
}

TEST_F(PlanSplitTest, ComputesKeysForDocumentsThatDoNotHaveThemYet) {
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 50; ++i) put(*container, fmt::format("key{:02}", i % 25), i % 10 == 0 ? "Rome" : "Berlin");
  const auto computed = [](std::string_view query) {
    return stored_from_json(fmt::format(R"([{{"name":"key","query":"{}"}}])", query)).value();
  };
  PlanOptions options{.candidates = {{"/key"}}};
  options.computed_properties = computed("SELECT VALUE CONCAT(c.city, '-', c.pk) FROM c");
  const std::string text = plan(options);
  EXPECT_THAT(text, HasSubstr("With the partition key /key:"));
  EXPECT_THAT(text, HasSubstr("[\"Berlin-key09\"]"));
  options.database = "db";
  options.container = "c";
  EXPECT_EQ(plan_split(*account_.catalog, options)->candidates[0].documents_without, 0u);
  options.computed_properties = computed("SELECT VALUE CONCAT(c.country, '-', c.pk) FROM c");
  EXPECT_EQ(plan_split(*account_.catalog, options)->candidates[0].documents_without, 50u);
  options.computed_properties = computed("SELECT VALUE RAND() FROM c");
  EXPECT_FALSE(plan_split(*account_.catalog, options).has_value());
  options.candidates = {{"/city"}};
  options.computed_properties = computed("SELECT VALUE CONCAT(c.city, '-', c.pk) FROM c");
  EXPECT_THAT(plan(options), HasSubstr("No path of the new partition key names the computed property 'key'"));
}

TEST_F(PlanSplitTest, ShowsWhatAnotherPartitionKeyWouldDo) {
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 50; ++i) put(*container, fmt::format("key{:02}", i), i % 10 == 0 ? "Rome" : "Berlin");
  const std::string text = plan({.candidates = {{"/city"}}});
  EXPECT_THAT(text, HasSubstr("With the partition key /city:"));
  EXPECT_THAT(text, HasSubstr("2 key values; the largest:"));
  EXPECT_THAT(text, ContainsRegex("45 documents +[0-9.]+ RU/s  \\[\"Berlin\"\\]"));
}

TEST_F(PlanSplitTest, TakesTheLoadOfTheLastHourAlong) {
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 20; ++i) put(*container, fmt::format("key{:02}", i), i % 10 == 0 ? "Rome" : "Berlin");
  // 60 RU/s in the busiest minute, all for one key value.
  const auto hash = effective_partition_key(PartitionKey{{std::string("key10")}}, container->definition.partition_key);
  Meter& meter = container->place_of(hash).partition->local().meter();
  for (int second = 0; second < 180; ++second) {
    for (int i = 0; i < 100; ++i) meter.record(account_.clock.steady_us(), hash, 0.6);
    account_.clock.advance_ms(1000);
  }
  const std::string text = plan({.throughput = 100, .candidates = {{"/city"}}});
  EXPECT_THAT(text, ContainsRegex("the busiest:\n +[0-9]+ B +1 documents +(59|6[0-2])\\.[0-9] RU/s  \\[\"key10\"\\]"));
  EXPECT_THAT(text, ContainsRegex("the busiest:\n +[0-9]+ B +2 documents +(59|6[0-2])\\.[0-9] RU/s  \\[\"Rome\"\\]"));
  EXPECT_THAT(text, HasSubstr("In 1 of 2 partitions, what was used in the busiest minute is more than the budget"));
  EXPECT_THAT(plan({.throughput = 20'000}), Not(HasSubstr("would be refused")));
  EXPECT_THAT(plan({}), Not(HasSubstr("Nothing was asked for")));
  account_.clock.advance_ms(3'700'000);
  EXPECT_THAT(plan({}), HasSubstr("Nothing was asked for in the last hour."));
}

TEST_F(PlanSplitTest, SeesThatOneDayIsWritten) {
  constexpr int kDays = 20;
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 1'000; ++i) put(*container, fmt::format("device{}", i % 200), fmt::format("day{:02}", i % kDays));
  account_.clock.advance_ms(2 * 3'600'000);
  for (int i = 0; i < 600; ++i) put(*container, fmt::format("device{}", i % 200), "today");
  account_.clock.advance_ms(60'000);
  // Its 600 documents had all of the load; those of the other days were left alone.
  const std::string text = plan({.candidates = {{"/city"}}});
  const size_t city = text.find("With the partition key /city");
  ASSERT_NE(city, std::string::npos) << text;
  EXPECT_THAT(text.substr(city),
              ContainsRegex("the busiest:\n +[0-9.]+ [kK]?B +600 documents +[1-9][0-9.]* RU/s  \\[\"today\"\\]"));
  EXPECT_THAT(text.substr(city), ContainsRegex(" +0\\.0 RU/s  \\[\"day19\"\\]"));
}

TEST_F(PlanSplitTest, ComparesKeysAndSaysWhatToDo) {
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 50; ++i) put(*container, i < 40 ? "giant" : fmt::format("key{:02}", i), "Berlin");
  const std::string text = plan({.candidates = {{"/id"}, {"/none"}, {"/city", "/id"}}});
  EXPECT_THAT(text, ContainsRegex("key values +11 +50 +1 +50\n"));
  EXPECT_THAT(text, ContainsRegex("documents without a value +0 +0 +50 +0\n"));
  EXPECT_THAT(text, testing::EndsWith("Migrate to /id: of these it spreads the load and the bytes best.\n"
                                      "Queries that name only /pk would then ask every partition: weigh that.\n"));
  for (const std::string_view line :
       std::views::split(text, '\n') | std::views::transform([](auto part) { return std::string_view(part); })) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_THAT(plan({.candidates = {{"/a", "/b", "/c", "/d"}}}), HasSubstr("one to 3 paths"));
  EXPECT_THAT(plan({.candidates = std::vector<std::vector<std::string>>(kCandidatesMax + 1, {"/a"})}), HasSubstr("At most 8"));
}

TEST_F(PlanSplitTest, CanBeReadByPrograms) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 5; ++i) put(*container, "only", "Berlin");
  PlanOptions options{.database = "db", .container = "c", .candidates = {{"/none"}}};
  StoredWriter out;
  write_plan(out, plan_split(*account_.catalog, options).value());
  EXPECT_EQ(out.view().find("present").find("documents").number(), 5);
  const Value candidate = out.view().find("candidates").element(0);
  EXPECT_EQ(candidate.find("paths").element(0).string(), "/none");
  EXPECT_EQ(candidate.find("documentsWithoutValue").number(), 5);
  EXPECT_EQ(candidate.find("planned").size(), 1u);
}

// A running server has memory for so much.
TEST_F(PlanSplitTest, CountsNoMoreKeyValuesThanThereIsMemoryFor) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 20; ++i) put(*container, fmt::format("key{:02}", i), "Berlin");
  constexpr size_t kEnough = 8192;
  EXPECT_THAT(plan({.bytes_max = kEnough}), HasSubstr("20 key values"));
  EXPECT_THAT(plan({.bytes_max = kEnough / 4}), HasSubstr("more key values than the server may keep"));
  EXPECT_THAT(plan({.candidates = {{"/id", "/pk", "/city"}}, .bytes_max = kEnough / 2 + 500}), HasSubstr("more key values than"));
}

TEST_F(PlanSplitTest, EndsWhenNobodyWaitsForIt) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 20; ++i) put(*container, fmt::format("key{:02}", i), "Berlin");
  FairScheduler workers(
      {.limits = {.slots = 1, .places = 1, .waiting_max = 1, .waiting_per_database_max = 1, .waiting_per_container_max = 1}},
      account_.clock);
  std::atomic<bool> is_abandoned = false;
  std::promise<std::string> made;
  workers.submit({.tenant = {},
                  .run =
                      [&](Turn& turn) {
                        is_abandoned = true;
                        made.set_value(plan({.turn = &turn}));
                      },
                  .refuse = [&](const Error& error) { made.set_value(error.message); },
                  .is_abandoned = &is_abandoned});
  EXPECT_THAT(made.get_future().get(), HasSubstr("The plan was given up"));
}

TEST_F(PlanSplitTest, NeedsAContainer) { EXPECT_EQ(plan({}), "The database 'db' does not exist."); }

}  // namespace partita::tools
