#include "cluster/index/index_builder.h"
#include "cluster/reshape/reshaper.h"
#include "cluster/reshape/test_reshape.h"
#include "cluster/test_writer.h"
#include "storage/test_disk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

// What the catalog shows of changes that the disk did not take, while it is full, when it has space again, and after a restart.
namespace partita {
namespace {

class CatalogDurabilityTest : public testing::Test {
 protected:
  CatalogDurabilityTest() {
    account_.make_container("c", {"/pk"}, 400);
    EXPECT_TRUE(TestWriter(container()).put("p", "old", 1));
  }

  Catalog& catalog() { return *account_.catalog; }
  std::shared_ptr<const Container> container() { return catalog().container("db", "c").value(); }
  ChildPlace users() { return {.database = catalog().database("db").value()->number, .type = ChildType::kUser, .user = 0}; }

  void free_disk() {
    disk_->is_full = false;
    while (account_.store->failure() || !account_.store->is_durable(account_.store->applied())) std::this_thread::yield();
  }

  // The change is answered with an error, and shown when it is durable after all, not before.
  void expect_shown_when_durable(const std::function<Status()>& change, const std::function<bool()>& is_shown) {
    disk_->is_full = true;
    const Status refused = change();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kStorageFailure);
    EXPECT_FALSE(is_shown());
    const Status again = change();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::kStorageFailure) << again.error().message;
    EXPECT_FALSE(is_shown());
    free_disk();
    EXPECT_TRUE(is_shown());
    account_.reopen();
    EXPECT_TRUE(is_shown()) << "as after a restart";
  }
  template <typename T>
  static Status status_of(const Result<T>& result) {
    return result ? Status() : std::unexpected(result.error());
  }
  std::string stored(std::string_view id) {
    const Container& now = *container();
    const PartitionKey key{{std::string("p")}};
    const EffectivePartitionKey hash = effective_partition_key(key, now.definition.partition_key);
    const Partition& partition = now.place_of(hash).partition->local();
    const std::shared_ptr<const Snapshot> at = account_.store->durable_snapshot();
    const auto item = partition.slice().find(item_key(partition.id(), hash, key, id), at.get()).value();
    return item ? std::string(item->id()) : "none";
  }

  std::shared_ptr<TestDisk> disk_ = std::make_shared<TestDisk>();
  TestAccount account_{Durability::kSynced, {}, disk_};
};

}  // namespace

TEST_F(CatalogDurabilityTest, ADatabaseIsListedOnceItIsDurable) {
  expect_shown_when_durable([this] { return status_of(catalog().create_database("new", std::nullopt)); },
                            [this] { return catalog().databases().size() == 2 && catalog().database("new"); });
  EXPECT_EQ(catalog().create_database("new", std::nullopt).error().code, ErrorCode::kAlreadyExists);
}

TEST_F(CatalogDurabilityTest, SoIsAContainer) {
  expect_shown_when_durable(
      [this] { return status_of(catalog().create_container("db", container_definition("new", {"/pk"}), std::nullopt)); },
      [this] { return catalog().container("db", "new").has_value(); });
  EXPECT_TRUE(TestWriter(catalog().container("db", "new").value()).put("p", "d", 1));
}

TEST_F(CatalogDurabilityTest, SoIsAScript) {
  expect_shown_when_durable(
      [this] {
        return status_of(catalog().scripts().write(*container(), ScriptType::kStoredProcedure,
                                                   {"new", "code", *stored_from_json("{}")}, true));
      },
      [this] { return !catalog().scripts().list(*container(), ScriptType::kStoredProcedure).empty(); });
}

TEST_F(CatalogDurabilityTest, SoIsAUser) {
  expect_shown_when_durable(
      [this] { return status_of(catalog().children().write(users(), {"new", *stored_from_json("{}")}, true)); },
      [this] { return catalog().children().list(users()).size() == 1; });
}

TEST_F(CatalogDurabilityTest, SoIsThroughput) {
  const auto offer = [this] { return catalog().offers().list().front(); };
  expect_shown_when_durable(
      [&] { return status_of(catalog().offers().replace(offer()->number, {.provisioned = 900, .autoscale_max = std::nullopt})); },
      [&] { return offer()->throughput.provisioned == 900; });
}

TEST_F(CatalogDurabilityTest, SoIsAnIndexingPolicy) {
  const std::string policy = R"({"excludedPaths":[{"path":"/*"}]})";
  expect_shown_when_durable(
      [&] { return status_of(catalog().replace_container("db", "c", container_definition("c", {"/pk"}, policy))); },
      [&] { return container()->definition.indexing->is_same(*container_definition("c", {"/pk"}, policy).indexing); });
  TestAccount::expect_consistent(*container());
}

TEST_F(CatalogDurabilityTest, AContainerIsThereUntilItsDeletionIsDurable) {
  expect_shown_when_durable([this] { return catalog().delete_container("db", "c"); },
                            [this] { return !catalog().container("db", "c"); });
}

TEST_F(CatalogDurabilityTest, ItsDocumentsAreReadUntilThenAndWritersHearOfTheDisk) {
  disk_->is_full = true;
  ASSERT_FALSE(catalog().delete_database("db"));
  EXPECT_EQ(stored("old"), "old");
  const Status written = TestWriter(container()).put("p", "new", 2);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kStorageFailure) << "nobody knows that it is deleted";
  free_disk();
  EXPECT_TRUE(catalog().databases().empty());
}

// A log that fails for another reason than space is not trusted again: the next start decides what there is.
TEST_F(CatalogDurabilityTest, WhatDoesNotBecomeDurableIsNotShown) {
  const std::string code(FailingDisk::kFileBytesMax * 3 / 2, 'x');
  const FailingDisk failing;
  ASSERT_FALSE(catalog().scripts().write(*container(), ScriptType::kTrigger, {"new", code, *stored_from_json("{}")}, true));
  while (!account_.store->failure()) std::this_thread::yield();
  EXPECT_TRUE(catalog().scripts().list(*container(), ScriptType::kTrigger).empty());
  EXPECT_FALSE(catalog().create_database("new", std::nullopt));
  EXPECT_EQ(catalog().databases().size(), 1u);
}

// Readers have the parents until the children are durable. Whoever would write to a parent after that, with the map from before,
// is sent on.
TEST_F(CatalogDurabilityTest, AMapIsPublishedOnceItIsDurable) {
  const std::shared_ptr<const Container> before = container();
  const Reshape reshape = catalog().reshapes().begin(split_plan(*before, "\x08")).value();
  const auto published = catalog().reshapes().publish(reshape, [&] {
    auto children = open_children(account_, reshape, before->definition);
    disk_->is_full = true;
    return children;
  });
  EXPECT_TRUE(published) << "it is not undone: " << published.error().message;
  EXPECT_EQ(container()->places.size(), 1u);
  EXPECT_EQ(stored("old"), "old");
  EXPECT_EQ(TestWriter(before).put("p", "new", 1).error().code, ErrorCode::kStorageFailure);
  EXPECT_FALSE(catalog().reshapes().end(reshape, {})) << "its journal is needed";
  disk_->is_full = false;
  // Between the disk's recovery and the first who looks at the catalog, a writer with the map from before finds nobody.
  while (account_.store->failure() || !account_.store->is_durable(account_.store->applied())) std::this_thread::yield();
  EXPECT_EQ(TestWriter(before).put("p", "new", 1).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(container()->places.size(), 2u);
  EXPECT_TRUE(TestWriter(before).put("p", "new", 1));
}

// Records and rows go in two batches: whoever is killed between them has rows that nobody names, for the next start to sweep.
class CatalogOrphansTest : public testing::Test {
 protected:
  using Rows = std::map<std::pair<Family, std::string>, std::string>;

  CatalogOrphansTest() {
    account_.make_container("c", {"/pk"}, 400);
    TestWriter writer(container());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(writer.put(fmt::format("k{}", i), fmt::format("d{}", i), i));
  }

  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  // All of partitions and indexes, and what the catalog's family has of those.
  Rows partition_rows() {
    Rows rows;
    for (const Family family : kFamilies) {
      Cursor cursor = account_.store->cursor(family, "", std::string(16, '\xFF'));
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        const bool is_record =
            family == Family::kCatalog && std::string_view("pgh").find(cursor.key()[0]) == std::string_view::npos;
        if (!is_record) rows[{family, std::string(cursor.key())}] = cursor.value();
      }
    }
    return rows;
  }
  // As if the server had been killed behind the first batch of the change.
  void kill_behind_the_records(const std::function<void()>& change) {
    const Rows before = partition_rows();
    change();
    const Rows whole = partition_rows();
    WriteBatch batch(*account_.store);
    size_t put_back = 0;
    for (const auto& [at, value] : before) {
      if (whole.contains(at)) continue;
      batch.put(at.first, at.second, value);
      ++put_back;
    }
    ASSERT_GT(put_back, 0u) << "nothing was dropped";
    ASSERT_TRUE(account_.store->apply(batch));
    account_.reopen();
    EXPECT_EQ(partition_rows(), whole);
  }

  TestAccount account_;
};

TEST_F(CatalogOrphansTest, AreSweptWhenAContainerWasDeleted) {
  kill_behind_the_records([&] { ASSERT_TRUE(account_.catalog->delete_container("db", "c")); });
}

TEST_F(CatalogOrphansTest, AreSweptWhenADatabaseWasDeleted) {
  kill_behind_the_records([&] { ASSERT_TRUE(account_.catalog->delete_database("db")); });
}

TEST_F(CatalogOrphansTest, AreSweptWhenAnIndexWasReplaced) {
  const auto other = [](std::string_view policy) { return container_definition("c", {"/pk"}, policy); };
  ASSERT_TRUE(account_.catalog->replace_container("db", "c", other(R"({"excludedPaths":[{"path":"/n/?"}]})")));
  ASSERT_TRUE(container()->places[0].partition->local().fill_index(container()->places[0].partition->local().growth()->index.id));
  // Another one grows instead of it.
  kill_behind_the_records(
      [&] { ASSERT_TRUE(account_.catalog->replace_container("db", "c", other(R"({"excludedPaths":[{"path":"/x/?"}]})"))); });
  TestAccount::expect_consistent(*container());
  kill_behind_the_records([&] { ASSERT_TRUE(IndexBuilder(*account_.catalog).finish()); });
  TestAccount::expect_consistent(*container());
}

TEST_F(CatalogOrphansTest, AreSweptWhenAPartitionWasSplit) {
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.split("db", "c", "0"));
  kill_behind_the_records([&] { ASSERT_TRUE(reshaper.drop_retired()); });
  EXPECT_EQ(container()->places.size(), 2u);
  TestAccount::expect_consistent(*container());
}

TEST_F(CatalogDurabilityTest, ADeletionThatFailedToBeginIsCarriedOutLater) {
  disk_->is_full = true;
  ASSERT_FALSE(catalog().erasures().begin(*container(), PartitionKey{{std::string("p")}}, Lsn{1}));
  EXPECT_FALSE(catalog().erasures().take());
  free_disk();
  EXPECT_TRUE(catalog().erasures().take()) << "as after a restart";
}

}  // namespace partita
