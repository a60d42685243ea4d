#include "tools/plan/plan_split.h"

#include "cluster/test_account.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace partita::tools {
namespace {

using testing::HasSubstr;

class PlanSplitTest : public testing::Test {
 protected:
  void put(const Container& container, std::string_view pk, std::string_view city) {
    const uint64_t number = container.numbers->next().value;
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
          transaction.put(item, item_from_json(number, json));
          return {};
        },
        [&](Result<Partition::Commit> commit) { is_done.set_value(commit.has_value()); });
    EXPECT_TRUE(is_done.get_future().get());
  }
  std::string plan(PlanOptions options) {
    options.database = "db";
    options.container = "c";
    const Result<std::string> text = plan_split(*account_.catalog, options);
    return text ? *text : text.error().message;
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
  EXPECT_THAT(text, HasSubstr("8333\n"));
  EXPECT_EQ(container->places.size(), 1u);
}

TEST_F(PlanSplitTest, SaysWhyAHotKeyValueCannotBeSplit) {
  const auto container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 20; ++i) put(*container, "only", "Berlin");
  PlanOptions options;
  options.limits.partition_bytes_max = 100;
  EXPECT_THAT(plan(options), HasSubstr("0 cannot be split (bytes): "));
}

TEST_F(PlanSplitTest, ShowsWhatAnotherPartitionKeyWouldDo) {
  const auto container = account_.make_container("c", {"/pk"}, 20'000);
  for (int i = 0; i < 50; ++i) put(*container, fmt::format("key{:02}", i), i % 10 == 0 ? "Rome" : "Berlin");
  const std::string text = plan({.partition_key = {"/city"}});
  EXPECT_THAT(text, HasSubstr("With the partition key /city:"));
  EXPECT_THAT(text, HasSubstr("2 key values; the largest:"));
  EXPECT_THAT(text, HasSubstr("45 documents  [\"Berlin\"]"));
}

TEST_F(PlanSplitTest, NeedsAContainer) { EXPECT_EQ(plan({}), "The database 'db' does not exist."); }

}  // namespace partita::tools
