#include "cluster/index/index_builder.h"

#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "cluster/test_writer.h"
#include "document/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOnlyN = R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})";
constexpr std::string_view kNothing = R"({"indexingMode":"none","automatic":false})";

class IndexBuilderTest : public testing::Test {
 protected:
  static constexpr int kDocuments = 700;  // more than are dealt with at a time, per partition

  IndexBuilderTest() {
    account_.make_container("c", {"/pk"}, 15'000);
    TestWriter writer(container());
    for (int i = 0; i < kDocuments * 2; ++i) EXPECT_TRUE(writer.put(std::to_string(i), "a", i));
  }

  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  void set_policy(std::string_view policy) {
    ASSERT_TRUE(account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, policy)));
  }
  size_t growing() {
    size_t count = 0;
    for (const PartitionPlace& place : container()->places) count += place.partition->local().growth() ? 1 : 0;
    return count;
  }
  Result<size_t> run_round() { return IndexBuilder(*account_.catalog).run_round(); }
  // Nothing is left of what was dropped, also of how far it had come.
  void expect_finished() {
    ASSERT_TRUE(IndexBuilder(*account_.catalog).finish());
    EXPECT_EQ(growing(), 0u);
    account_.expect_consistent(*container());
    EXPECT_THAT(progress_rows(), IsEmpty());
    uint64_t entries = 0;
    for (const PartitionPlace& place : container()->places) {
      EXPECT_EQ(place.partition->index_progress(), 1);
      EXPECT_TRUE(equal(place.partition->local().index().policy->definition(), container()->definition.indexing->definition()));
      Cursor cursor = place.partition->local().slice().cursor(Family::kIndex);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) ++entries;
    }
    EXPECT_EQ(rows_of(*account_.store, Family::kIndex).size(), entries);
  }
  std::vector<std::string> progress_rows() {
    std::vector<std::string> keys;
    Cursor cursor = account_.store->cursor(Family::kCatalog, "g", "h");
    for (cursor.seek_first(); cursor.valid(); cursor.next()) keys.emplace_back(cursor.key());
    return keys;
  }

  TestAccount account_;
};

}  // namespace

TEST_F(IndexBuilderTest, TheFormerIndexIsReadUntilTheNewOneHasAllDocuments) {
  const IndexId former = container()->places[0].partition->local().index().id;
  set_policy(kOnlyN);
  EXPECT_EQ(growing(), 2u);
  EXPECT_EQ(run_round().value(), 2u);
  EXPECT_EQ(container()->places[0].partition->local().index().id, former);
  EXPECT_GT(container()->places[0].partition->index_progress(), 0);
  EXPECT_LT(container()->places[0].partition->index_progress(), 1);
  account_.expect_consistent(*container());
  expect_finished();
  EXPECT_NE(container()->places[0].partition->local().index().id, former);
  EXPECT_EQ(run_round().value(), 0u);
}

// ON DISK: docs/formats/catalog.md.
TEST_F(IndexBuilderTest, WhatGrowsIsInTheContainersRecord) {
  set_policy(kNothing);
  std::string record;
  ASSERT_TRUE(account_.store->get(Family::kCatalog, container_key(1, 1), record).value());
  EXPECT_THAT(record, HasSubstr(R"("indexingPolicy":{"indexingMode":"none")"));
  EXPECT_THAT(record, HasSubstr(R"({"partition":1,"index":1,"formerPolicy":{"indexingMode":"consistent","automatic":true,)"
                                R"("includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/\"_etag\"/?"}]},)"
                                R"("growing":3,"rangeId":"0",)"));
  ASSERT_TRUE(run_round());
  EXPECT_THAT(progress_rows(), ElementsAre(std::string("g\0\0\0\3", 5), std::string("g\0\0\0\4", 5)));
}

TEST_F(IndexBuilderTest, GoesOnWhereItWasAfterARestart) {
  set_policy(kOnlyN);
  ASSERT_TRUE(run_round());
  const double before = container()->places[0].partition->index_progress();
  ASSERT_TRUE(TestWriter(container()).put("0", "a", -1));
  account_.reopen();
  EXPECT_EQ(growing(), 2u);
  EXPECT_GT(before, 0);
  EXPECT_NEAR(container()->places[0].partition->index_progress(), before, 0.01);
  account_.expect_consistent(*container());
  TestWriter writer(container());
  ASSERT_TRUE(writer.put("1", "a", -1));
  ASSERT_TRUE(writer.put("new", "a", -1));
  ASSERT_TRUE(writer.erase("2", "a"));
  account_.expect_consistent(*container());
  expect_finished();
  account_.reopen();
  expect_finished();
}

TEST_F(IndexBuilderTest, AnotherPolicyMeanwhileDropsWhatWasGrowing) {
  set_policy(kOnlyN);
  ASSERT_TRUE(run_round());
  set_policy(kNothing);
  EXPECT_EQ(growing(), 2u);
  expect_finished();
  set_policy(kOnlyN);
  ASSERT_TRUE(run_round());
  const IndexId read = container()->places[0].partition->local().index().id;
  set_policy(kNothing);  // which is the one that is read
  EXPECT_EQ(growing(), 0u);
  EXPECT_EQ(container()->places[0].partition->local().index().id, read);
  expect_finished();
}

TEST_F(IndexBuilderTest, APartitionThatIsSplitMeanwhileHasTheNewIndexAlready) {
  set_policy(kOnlyN);
  ASSERT_TRUE(run_round());
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.split("db", "c", "0"));
  EXPECT_EQ(growing(), 1u);
  account_.reopen();
  EXPECT_EQ(growing(), 1u);
  expect_finished();
}

TEST_F(IndexBuilderTest, NothingIsLeftOfAContainerThatIsDeletedMeanwhile) {
  set_policy(kOnlyN);
  ASSERT_TRUE(run_round());
  const std::shared_ptr<const Container> held = container();
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  const Partition::Growth growth = held->places[0].partition->local().growth().value();
  EXPECT_TRUE(*held->places[0].partition->local().fill_index(growth.index.id));
  EXPECT_TRUE(account_.catalog->indexes().finish(*held, held->places[0].partition->id(), growth.index.id));
  EXPECT_THAT(rows_of(*account_.store, Family::kIndex), IsEmpty());
  EXPECT_THAT(progress_rows(), IsEmpty());
}

TEST_F(IndexBuilderTest, WorksInTheBackgroundWhileOthersWriteAndChangePolicies) {
  IndexBuilder builder(*account_.catalog);
  builder.start();
  std::atomic<bool> is_done = false;
  std::thread writing([&] {
    TestWriter writer(container());
    for (int i = 0; !is_done; ++i) {
      EXPECT_TRUE(writer.put(std::to_string(i % kDocuments), "a", i));
      EXPECT_TRUE(writer.put(std::to_string(i % 50), "b", i));
      if (i % 3 == 0) EXPECT_TRUE(writer.erase(std::to_string(i % 50), "b"));
    }
  });
  for (int i = 0; i < 10; ++i) {
    set_policy(i % 3 == 0 ? kOnlyN : i % 3 == 1 ? kNothing : std::string_view("{}"));
    if (i % 4 == 3) {
      while (growing() > 0) std::this_thread::yield();
    }
  }
  while (growing() > 0) std::this_thread::yield();
  is_done = true;
  writing.join();
  builder.stop();
  expect_finished();
}

}  // namespace partita
