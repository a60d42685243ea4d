#include "cluster/reshape/reshaper.h"
#include "cluster/reshape/test_reshape.h"
#include "cluster/test_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>

// What others do, and may not do, while a container gets another map.
namespace partita {
namespace {

using Children = Result<std::vector<std::shared_ptr<Partition>>>;

class ReshapePublishTest : public testing::Test {
 protected:
  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  EffectivePartitionKey hash_of(std::string_view pk) {
    return effective_partition_key(PartitionKey{{std::string(pk)}}, container()->definition.partition_key);
  }

  // Publishes a split of an empty partition; `meanwhile` runs while its writers are kept out.
  Result<std::shared_ptr<const Container>> publish_split(const std::function<void()>& meanwhile) {
    const Reshape reshape = account_.catalog->reshapes().begin(split_plan(*container(), "\x08")).value();
    const std::shared_ptr<const Container> before = container();
    std::optional<Partition::Pause> pause;
    return account_.catalog->reshapes().publish(reshape, [&]() -> Children {
      pause.emplace(before->places.front().partition->local().pause_writers());
      meanwhile();
      return open_children(account_, reshape, before->definition);
    });
  }
  double budget_of(size_t place) { return container()->places[place].partition->local().meter().budget().rate(); }
  Status raise_throughput(int64_t throughput) {
    const std::shared_ptr<const Offer> offer = account_.catalog->offers().of(container()->database->number, container()->number);
    TRY(account_.catalog->offers().replace(offer->number, {.provisioned = throughput, .autoscale_max = std::nullopt}));
    return {};
  }

  TestAccount account_{Durability::kSynced, {.is_enforced = true}};
};

}  // namespace

// The script runs for as long as the test likes; nobody but writers of its key value waits for it, and those only until there is
// another map.
TEST_F(ReshapePublishTest, ASplitWaitsForNoScriptAndKeepsNobodyWaitingForOne) {
  account_.make_container("c", {"/pk"});
  TestWriter writer(container());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer.put(fmt::format("k{}", i), "d", i));
  std::optional<Partition::Hold> script;
  container()->places.front().partition->hold(hash_of("k1"),
                                              [&](Result<Partition::Hold> hold) { script.emplace(*std::move(hold)); });
  std::future<Status> behind_the_script =
      std::async(std::launch::async, [&] { return TestWriter(container()).put("k1", "d", 7); });
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  const Result<ReshapeReport> report = reshaper.split("db", "c", "0");
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(behind_the_script.get());
  ASSERT_TRUE(writer.put("k2", "d", 8));
  account_.make_container("other", {"/pk"});
  // What the script did is not there; whoever runs it is told to do so again, in the heir.
  std::optional<ErrorCode> told;
  script->transact([](Transaction&) -> Status { return {}; },
                   [&](Result<Partition::Commit> commit) { told = commit.error().code; });
  EXPECT_EQ(told, ErrorCode::kPartitionGone);
  script.reset();
  TestAccount::expect_consistent(*container());
  EXPECT_EQ(container()->places.size(), 2u);
}

TEST_F(ReshapePublishTest, TheCatalogChangesWhileWritersAreKeptOut) {
  account_.make_container("c", {"/pk"}, 4000);
  const auto published = publish_split([&] {
    ASSERT_TRUE(account_.catalog->create_database("another", std::nullopt));
    account_.make_container("other", {"/pk"});
    ASSERT_TRUE(account_.catalog->delete_container("db", "other"));
    ASSERT_TRUE(raise_throughput(8000));
  });
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(container()->places.size(), 2u);
  EXPECT_EQ(budget_of(0), 4000) << "half of what it was raised to";
  EXPECT_EQ(budget_of(1), 4000);
}

TEST_F(ReshapePublishTest, AContainerThatWasDeletedMeanwhileGetsNoMap) {
  account_.make_container("c", {"/pk"});
  const auto published = publish_split([&] { ASSERT_TRUE(account_.catalog->delete_container("db", "c")); });
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kPartitionGone);
  EXPECT_FALSE(account_.catalog->container("db", "c"));
  account_.reopen();
  EXPECT_FALSE(account_.catalog->container("db", "c"));
}

TEST_F(ReshapePublishTest, AnotherIndexingPolicyWaitsForTheMap) {
  account_.make_container("c", {"/pk"});
  std::future<Result<std::shared_ptr<const Container>>> replaced;
  const auto published = publish_split([&] {
    replaced = std::async(std::launch::async, [&] {
      return account_.catalog->replace_container(
          "db", "c", container_definition("c", {"/pk"}, R"({"indexingMode":"none","automatic":false})"));
    });
    // The partition's index does not change, or this would be published without it.
    EXPECT_FALSE(container()->places.front().partition->local().growth());
  });
  ASSERT_TRUE(published) << published.error().message;
  const auto after = replaced.get();
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(container()->places.size(), 2u);
  for (const PartitionPlace& place : container()->places) EXPECT_TRUE(place.partition->local().growth());
}

TEST_F(ReshapePublishTest, AMapThatCannotBeStoredChangesNobodysBudget) {
  account_.make_container("c", {"/pk"}, 20'000);
  ASSERT_EQ(container()->places.size(), 2u);
  ASSERT_TRUE(raise_throughput(12'000));
  std::optional<FailingDisk> failing;
  const auto published = publish_split([&] {
    failing.emplace();
    WriteBatch batch(*account_.store);
    std::string noise(3 * FailingDisk::kFileBytesMax, ' ');  // does not compress
    for (char& c : noise) c = static_cast<char>(account_.random.next());
    batch.put(Family::kItems, std::string(4, '\xFE'), noise);
    ASSERT_FALSE(account_.store->apply_durably(batch));
  });
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kStorageFailure);
  EXPECT_EQ(container()->places.size(), 2u);
  EXPECT_EQ(budget_of(0), 6000);
  EXPECT_EQ(budget_of(1), 6000) << "a third of the throughput would be 4000";
}

}  // namespace partita
