#include "cluster/reshape/reshaper.h"

#include "base/encodings.h"
#include "cluster/reshape/test_reshape.h"
#include "cluster/test_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <thread>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReshaperTest : public testing::Test {
 protected:
  ReshaperTest() { open(); }

  void open() { reshaper_ = std::make_unique<Reshaper>(*account_.store, *account_.catalog, account_.clock, limits_); }
  void reopen() {
    reshaper_.reset();
    account_.reopen();
    open();
  }
  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  void fill(int documents) {
    TestWriter writer(container());
    for (int i = 0; i < documents; ++i) ASSERT_TRUE(writer.put(fmt::format("k{}", i), fmt::format("d{}", i), i));
  }

  // "k1/d1": 1 and so on, found partition by partition; every document must be consistent with all its rows.
  std::map<std::string, int> contents() {
    std::map<std::string, int> found;
    const std::shared_ptr<const Container> now = container();
    TestAccount::expect_consistent(*now);
    for (const PartitionPlace& place : now->places) {
      Cursor cursor = place.partition->local().slice().cursor(Family::kItems);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        const Item item = item_from_record(trailing_number(cursor.key()), std::string(cursor.value())).value();
        const std::string name = fmt::format("{}/{}", item.document().find("pk").string(), item.id());
        EXPECT_FALSE(found.contains(name)) << name << " is in two partitions";
        found[name] = static_cast<int>(item.document().find("n").number());
      }
    }
    return found;
  }
  std::vector<std::string> range_ids() {
    std::vector<std::string> ids;
    for (const PartitionPlace& place : container()->places) ids.push_back(place.range_id);
    return ids;
  }
  static std::map<std::string, int> numbered(int documents) {
    std::map<std::string, int> all;
    for (int i = 0; i < documents; ++i) all[fmt::format("k{0}/d{0}", i)] = i;
    return all;
  }
  // Of empty partitions: there is nothing to bring over.
  void carry_out(const Reshape& plan) {
    const Result<Reshape> begun = account_.catalog->reshapes().begin(plan);
    ASSERT_TRUE(begun) << begun.error().message;
    const ContainerDefinition definition = container()->definition;
    ASSERT_TRUE(account_.catalog->reshapes().publish(*begun, [&] { return open_children(account_, *begun, definition); }));
    ASSERT_TRUE(account_.catalog->reshapes().end(*begun, {}));
  }
  uint64_t rows_of(PartitionId partition) {
    uint64_t rows = 0;
    for (Family family : {Family::kItems, Family::kKeys, Family::kChanges}) {
      Cursor cursor = Slice(*account_.store, partition, IndexId{}).cursor(family);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) ++rows;
    }
    return rows;
  }

  TestAccount account_;
  ReshapeLimits limits_;
  std::unique_ptr<Reshaper> reshaper_;
};

TEST_F(ReshaperTest, SplitsInTwoHalvesThatNameTheirParent) {
  account_.make_container("c", {"/pk"});
  fill(200);
  const Lsn before = container()->places[0].partition->counters().lsn;
  const Result<ReshapeReport> report = reshaper_->split("db", "c", "0");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->children, ElementsAre("1", "2"));
  EXPECT_EQ(report->documents, 200);
  EXPECT_THAT(range_ids(), ElementsAre("1", "2"));
  EXPECT_EQ(contents(), numbered(200));
  for (const PartitionPlace& place : container()->places) {
    EXPECT_THAT(place.parents, ElementsAre("0"));
    EXPECT_NEAR(static_cast<double>(place.partition->counters().documents), 100, 5);
    EXPECT_EQ(place.partition->counters().lsn, before);  // sessions of the parent are honoured
  }
}

TEST_F(ReshaperTest, RemembersTheRangesThatClientsMayStillName) {
  account_.make_container("c", {"/pk"});
  ASSERT_TRUE(reshaper_->split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_->merge("db", "c", "1"));
  reopen();
  ASSERT_NE(container()->find_former("1"), nullptr);
  EXPECT_EQ(container()->find_former("0")->range, EffectiveKeyRange());
  EXPECT_EQ(container()->find_former("1")->range, (EffectiveKeyRange{"", "\x20"}));
  EXPECT_EQ(container()->find_former("2")->range, (EffectiveKeyRange{"\x20", std::string(kEffectiveKeyMax)}));
  EXPECT_EQ(container()->find_former("3"), nullptr);
  ASSERT_TRUE(reshaper_->rekey("db", "c", key_definition({"/other"})));
  // They still share out the space of hashes among clients that have them, whatever the hashes are computed of.
  reopen();
  ASSERT_NE(container()->find_former("1"), nullptr);
  EXPECT_EQ(container()->find_former("1")->range, (EffectiveKeyRange{"", "\x20"}));
  EXPECT_EQ(container()->find_former("3")->range, EffectiveKeyRange());
}

TEST_F(ReshaperTest, RemembersNoMoreAfterManyHundredReshapes) {
  account_.make_container("c", {"/pk"});
  size_t record_bytes = 0;
  for (uint64_t round = 1; round <= 400; ++round) {
    carry_out(split_plan(*container(), "\x20"));
    Reshape merge = split_plan(*container(), "\x20");
    merge.kind = Reshape::Kind::kMerge;
    merge.parents = range_ids();
    merge.children.resize(1);
    merge.children[0].range = {};
    carry_out(merge);
    ASSERT_THAT(range_ids(), ElementsAre(std::to_string(3 * round))) << "ids are never used twice";
    if (round == 200) record_bytes = encode_container(*container()).size();
  }
  reopen();
  EXPECT_NEAR(static_cast<double>(encode_container(*container()).size()), static_cast<double>(record_bytes), 1000);
  // Clients may still have the latest of them.
  const PartitionPlace& place = container()->places.front();
  EXPECT_EQ(place.parents.size(), 256);
  EXPECT_EQ(container()->former.size(), 256);
  for (uint64_t gone = 1200 - 256; gone < 1200; ++gone) {
    EXPECT_THAT(place.parents, testing::Contains(std::to_string(gone)));
    EXPECT_NE(container()->find_former(std::to_string(gone)), nullptr);
  }
}

TEST_F(ReshaperTest, HandsOnWhatIsKnownOfTheUseOfPartitions) {
  account_.make_container("c", {"/pk"});
  fill(200);
  const auto last_minutes = [&](size_t place) {
    const Heat::Report heat = container()->places[place].partition->local().meter().heat();
    HeatTally sum;
    for (const HeatTally& minute : heat.minutes) sum += minute;
    return sum;
  };
  account_.clock.advance_ms(60'000);
  const HeatTally before = last_minutes(0);
  ASSERT_EQ(before.requests, 200);
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) reopen();
    EXPECT_NEAR(static_cast<double>(last_minutes(0).requests), 100, 30);
    EXPECT_NEAR(static_cast<double>(last_minutes(0).requests + last_minutes(1).requests), 200, 1);
  }
  ASSERT_TRUE(reshaper_->merge("db", "c", "1"));
  EXPECT_NEAR(static_cast<double>(last_minutes(0).requests), 200, 1);
  EXPECT_NEAR(static_cast<double>(last_minutes(0).milli_units), static_cast<double>(before.milli_units), 2);
  ASSERT_TRUE(reshaper_->rekey("db", "c", key_definition({"/id"})));
  EXPECT_NEAR(static_cast<double>(last_minutes(0).requests), 200, 1);
}

TEST_F(ReshaperTest, KeepsOverARestartHowMuchPartitionsAreUsed) {
  account_.make_container("c", {"/pk"});
  fill(10);
  account_.clock.advance_ms(1000);
  ASSERT_TRUE(account_.catalog->heat().keep());
  fill(20);
  account_.clock.advance_ms(1000);
  ASSERT_TRUE(account_.catalog->heat().keep());
  account_.clock.advance_ms(3'600'000);
  reopen();
  const Heat::Report heat = container()->places.front().partition->local().meter().heat();
  EXPECT_EQ(heat.hours.front().requests, 30);
  EXPECT_EQ(heat.total.requests, 0);
  // With the container it goes.
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  std::string row;
  EXPECT_FALSE(*account_.store->get(Family::kCatalog, heat_key(PartitionId{1}), row));
}

TEST_F(ReshaperTest, ClosesTheContainerMeanwhileAndVerifiesIfItIsToldTo) {
  account_.make_container("c", {"/pk"});
  fill(100);
  const std::shared_ptr<const Container> before = container();
  for (const ContainerMode mode : {ContainerMode::kReadOnly, ContainerMode::kOffline}) {
    const Result<ReshapeReport> split = reshaper_->split("db", "c", range_ids().front(), std::nullopt, mode);
    ASSERT_TRUE(split) << split.error().message;
    EXPECT_EQ(split->verified, 100);
    EXPECT_EQ(before->lineage->mode(), ContainerMode::kOnline);
    const Result<ReshapeReport> merged = reshaper_->merge("db", "c", split->children.front(), mode);
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->verified, 100);
  }
  const Result<ReshapeReport> rekeyed = reshaper_->rekey("db", "c", key_definition({"/id"}), ContainerMode::kOffline);
  ASSERT_TRUE(rekeyed) << rekeyed.error().message;
  EXPECT_EQ(rekeyed->verified, 100);
  EXPECT_EQ(reshaper_->split("db", "c", rekeyed->children.front())->verified, 0);
}

TEST_F(ReshaperTest, IsClosedAsLongAsTheJournalSaysSo) {
  account_.make_container("c", {"/pk"});
  fill(10);
  Reshape plan = split_plan(*container(), "\x20");
  plan.mode = ContainerMode::kReadOnly;
  ASSERT_TRUE(account_.catalog->reshapes().begin(plan));
  EXPECT_EQ(container()->lineage->mode(), ContainerMode::kReadOnly);
  reopen();
  EXPECT_EQ(container()->lineage->mode(), ContainerMode::kReadOnly);
  ASSERT_TRUE(reshaper_->work());
  EXPECT_EQ(container()->places.size(), 2);
  EXPECT_EQ(container()->lineage->mode(), ContainerMode::kOnline);
  // Given up, it is open again.
  plan = split_plan(*container(), "\x10");
  plan.mode = ContainerMode::kOffline;
  const Result<Reshape> begun = account_.catalog->reshapes().begin(plan);
  ASSERT_TRUE(begun);
  ASSERT_TRUE(account_.catalog->reshapes().end(*begun, {}));
  EXPECT_EQ(container()->lineage->mode(), ContainerMode::kOnline);
}

TEST_F(ReshaperTest, PublishesNoPartitionWithAnotherIndexThanTheContainerSays) {
  account_.make_container("c", {"/pk"});
  fill(10);
  const Result<Reshape> begun = account_.catalog->reshapes().begin(split_plan(*container(), "\x20"));
  ASSERT_TRUE(begun);
  const ContainerDefinition then = container()->definition;
  ASSERT_TRUE(account_.catalog->replace_container(
      "db", "c", container_definition("c", {"/pk"}, R"({"indexingMode":"none","automatic":false})")));
  const auto published = account_.catalog->reshapes().publish(*begun, [&] { return open_children(account_, *begun, then); });
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kUnavailable);  // it is begun anew
  EXPECT_THAT(range_ids(), ElementsAre("0"));
}

TEST_F(ReshaperTest, KeepsEveryDocumentsNumberLsnAndOrderOfChanges) {
  account_.make_container("c", {"/pk"});
  fill(50);
  std::map<uint64_t, uint64_t> before;
  const auto lsns = [&] {
    std::map<uint64_t, uint64_t> all;
    for (const PartitionPlace& place : container()->places) {
      Cursor cursor = place.partition->local().slice().cursor(Family::kChanges);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        all[trailing_number(cursor.key()).value] = lsn_of_change_key(cursor.key()).value;
      }
    }
    return all;
  };
  before = lsns();
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  EXPECT_EQ(lsns(), before);
  ASSERT_TRUE(reshaper_->merge("db", "c", "1"));
  EXPECT_EQ(lsns(), before);
}

// Primary and unique keys, index, changes, expiry, versions and attachments: whatever belongs to a document goes where it goes.
TEST_F(ReshaperTest, KeepsEveryRowButForTheNumberOfItsPartition) {
  account_.make_container("c", {"/pk"}, std::nullopt, "{}",
                          R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/n"]}]},"defaultTtl":-1,
                              "changeFeedPolicy":{"retentionDuration":10}})");
  fill(100);
  TestWriter writer(container());
  const std::string mortal = R"({"id":"m","pk":"k1","n":500,"ttl":1000,"_ts":1700000000})";
  ASSERT_TRUE(writer.write("k1", "m", mortal));
  ASSERT_TRUE(writer.erase("k2", "d2"));
  ASSERT_TRUE(writer.change("k1", "m", [](Transaction& transaction, const std::string&, const Item* stored) {
    return transaction.attachments().put(stored->number, {AttachmentNumber{1}, *stored_from_json(R"({"id":"a"})")});
  }));
  const auto rows = [&] {
    std::map<Family, std::map<std::string, std::string>> all;
    for (const PartitionPlace& place : container()->places) {
      for (Family family : kFamilies) {
        Cursor cursor = place.partition->local().slice().cursor(family);
        for (cursor.seek_first(); cursor.valid(); cursor.next()) {
          EXPECT_TRUE(all[family].emplace(cursor.key().substr(sizeof(uint32_t)), cursor.value()).second);
        }
      }
    }
    return all;
  };
  const auto before = rows();
  EXPECT_EQ(before.size(), kPartitionFamilies.size() + 1);  // and the index: none is without rows
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  EXPECT_EQ(rows(), before);
  ASSERT_TRUE(reshaper_->merge("db", "c", "1"));
  EXPECT_EQ(rows(), before);
  contents();
}

TEST_F(ReshaperTest, MergesNeighboursIntoOneThatNamesAllAncestors) {
  account_.make_container("c", {"/pk"});
  fill(100);
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  const Result<ReshapeReport> report = reshaper_->merge("db", "c", "1");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(range_ids(), ElementsAre("3"));
  EXPECT_THAT(container()->places[0].parents, ElementsAre("0", "1", "2"));
  EXPECT_EQ(contents(), numbered(100));
}

TEST_F(ReshaperTest, GivesNewDocumentsNumbersThatNobodyEverHad) {
  account_.make_container("c", {"/pk"});
  fill(10);
  TestWriter writer(container());
  ASSERT_TRUE(writer.erase("k9", "d9"));  // the newest number is free now, but was used
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  reopen();
  EXPECT_EQ(container()->numbers->next()->value, 11);
}

TEST_F(ReshaperTest, RefusesWhatCannotHelp) {
  account_.make_container("c", {"/pk"});
  TestWriter writer(container());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer.put("same", fmt::format("d{}", i), i));
  const Result<ReshapeReport> split = reshaper_->split("db", "c", "0");
  ASSERT_FALSE(split);
  EXPECT_THAT(split.error().message, HasSubstr("all 5 documents have the same partition key value"));
  EXPECT_EQ(reshaper_->split("db", "c", "7").error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(reshaper_->merge("db", "c", "0").error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(range_ids(), ElementsAre("0"));
  account_.make_container("busy", {"/pk"}, 20'000);
  EXPECT_THAT(reshaper_->merge("db", "busy", "0").error().message, HasSubstr("throughput needs its 2 partitions"));
  account_.make_container("single", {});
  EXPECT_EQ(reshaper_->split("db", "single", "0").error().code, ErrorCode::kInvalidInput);
}

TEST_F(ReshaperTest, DropsTheParentsRowsOnlyWhenNobodyHoldsThem) {
  account_.make_container("c", {"/pk"});
  fill(20);
  std::shared_ptr<const Container> reader = container();
  const PartitionId parent = reader->places[0].partition->id();
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  ASSERT_TRUE(reshaper_->work());
  EXPECT_EQ(rows_of(parent), 60);
  EXPECT_EQ(account_.catalog->reshapes().list().size(), 1);
  reader.reset();
  ASSERT_TRUE(reshaper_->work());
  EXPECT_EQ(rows_of(parent), 0);
  EXPECT_EQ(account_.catalog->reshapes().list().size(), 0);
}

TEST_F(ReshaperTest, TellsReadersWhoseLeaseHasExpiredToLookElsewhere) {
  account_.make_container("c", {"/pk"});
  fill(20);
  const std::shared_ptr<const Container> reader = container();
  const PartitionClient& parent = *reader->places[0].partition;
  ASSERT_TRUE(parent.load(DocumentNumber{1}).value());
  ASSERT_TRUE(reshaper_->split("db", "c", "0"));
  account_.clock.advance_ms(kReaderLeaseUs / 1000 - 1);
  ASSERT_TRUE(reshaper_->work());
  EXPECT_EQ(rows_of(parent.id()), 60);
  EXPECT_TRUE(parent.load(DocumentNumber{1}).value());
  account_.clock.advance_ms(1);
  ASSERT_TRUE(reshaper_->work());
  EXPECT_EQ(rows_of(parent.id()), 0);
  EXPECT_EQ(parent.load(DocumentNumber{1}).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(parent.check_current().error().code, ErrorCode::kPartitionGone);
}

TEST_F(ReshaperTest, SplitsByItselfWhatIsTooFullUntilNothingIs) {
  account_.make_container("c", {"/pk"});
  fill(200);
  limits_.partition_bytes_max = container()->places[0].partition->counters().record_bytes / 3;
  open();
  while (reshaper_->work().value()) {
  }
  for (const PartitionPlace& place : container()->places) {
    EXPECT_LE(place.partition->counters().record_bytes, limits_.partition_bytes_max);
  }
  EXPECT_EQ(contents(), numbered(200));
}

// Each order is followed by another one before it ends.
TEST_F(ReshaperTest, SplitsByItselfAlsoWhileThereAreOrdersWithoutEnd) {
  account_.make_container("c", {"/pk"});
  fill(200);
  limits_.partition_bytes_max = container()->places[0].partition->counters().record_bytes / 3;
  open();
  std::atomic<bool> is_over = false;
  std::function<void()> order_again = [&] {
    EXPECT_FALSE(reshaper_->split("db", "c", "none"));
    std::move_only_function<void()> next = order_again;
    if (!is_over) EXPECT_TRUE(reshaper_->post(next));
  };
  std::move_only_function<void()> first = order_again;
  ASSERT_TRUE(reshaper_->post(first));
  reshaper_->start();
  while (container()->places.size() == 1) std::this_thread::yield();
  is_over = true;
  reshaper_->stop();
  EXPECT_EQ(contents(), numbered(200));
}

TEST_F(ReshaperTest, AddsPartitionsWhenThroughputIsRaised) {
  const std::shared_ptr<const Container> made = account_.make_container("c", {"/pk"}, 400);
  const std::shared_ptr<const Offer> offer = account_.catalog->offers().of(made->database->number, made->number);
  ASSERT_TRUE(account_.catalog->offers().replace(offer->number, {.provisioned = 25'000, .autoscale_max = std::nullopt}));
  while (reshaper_->work().value()) {
  }
  EXPECT_EQ(container()->places.size(), 3);
}

// The documents of one key value cannot be spread; partitions for others are there all the same, and they were moved only once.
TEST_F(ReshaperTest, AddsPartitionsForThroughputAlsoBesideASingleKeyValue) {
  const std::shared_ptr<const Container> made = account_.make_container("c", {"/pk"}, 400);
  TestWriter writer(container());
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(writer.put("only", fmt::format("d{}", n), n));
  const std::map<std::string, int> before = contents();
  const std::shared_ptr<const Offer> offer = account_.catalog->offers().of(made->database->number, made->number);
  ASSERT_TRUE(account_.catalog->offers().replace(offer->number, {.provisioned = 35'000, .autoscale_max = std::nullopt}));
  while (reshaper_->work().value()) {
  }
  ASSERT_EQ(container()->places.size(), 4);
  EXPECT_EQ(contents(), before);
  for (const PartitionPlace& place : container()->places) {
    if (place.partition->counters().documents > 0) EXPECT_EQ(place.parents, std::vector<std::string>{"0"});
  }
}

// Two key values among two hundred take nearly everything: each gets a partition of its own.
TEST_F(ReshaperTest, SplitsAPartitionThatIsThrottledBetweenItsHotKeyValues) {
  account_.make_container("c", {"/pk"}, 400);
  fill(200);
  limits_.splits_by_load = true;
  open();
  EXPECT_FALSE(reshaper_->work().value());
  container()->places[0].partition->local().meter().budget().set_rate(100);
  TestWriter writer(container());
  size_t refused = 0;
  for (int i = 0; i < 500; ++i) {
    account_.clock.advance_ms(20);
    for (const char* hot : {"k7", "k8"}) {
      const Status outcome = writer.put(hot, "hot", i);
      if (!outcome) EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled);
      if (!outcome) ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
  account_.clock.advance_ms(1000);
  EXPECT_TRUE(reshaper_->work().value());
  ASSERT_EQ(container()->places.size(), 2u);
  const auto place_of = [&](const char* pk) {
    const std::shared_ptr<const Container> now = container();
    return now->place_of(effective_partition_key(PartitionKey{{std::string(pk)}}, now->definition.partition_key)).range_id;
  };
  EXPECT_NE(place_of("k7"), place_of("k8"));
  EXPECT_FALSE(reshaper_->work().value());
}

TEST_F(ReshaperTest, LeavesAPartitionOfOneKeyValueAloneUntilItHasGrown) {
  account_.make_container("c", {"/pk"});
  TestWriter writer(container());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(writer.put("same", fmt::format("d{}", i), i));
  limits_.partition_bytes_max = 100;
  open();
  EXPECT_TRUE(reshaper_->work().value());
  EXPECT_FALSE(reshaper_->work().value());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(writer.put("same", fmt::format("e{}", i), i));
  EXPECT_TRUE(reshaper_->work().value());
  EXPECT_THAT(range_ids(), ElementsAre("0"));
}

TEST_F(ReshaperTest, MovesEveryDocumentWhenThePartitionKeyChanges) {
  account_.make_container("c", {"/pk"}, 20'000);
  fill(100);
  const Result<ReshapeReport> report = reshaper_->rekey("db", "c", key_definition({"/n"}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(container()->definition.partition_key, key_definition({"/n"}));
  EXPECT_EQ(container()->places.size(), 2);
  EXPECT_EQ(contents(), numbered(100));
  reopen();
  EXPECT_EQ(contents(), numbered(100));
}

TEST_F(ReshaperTest, GivesASinglePartitionContainerAKeyAndPartitions) {
  account_.make_container("c", {}, 10'000);
  TestWriter writer(container());
  {
    // Without partition key all documents are one logical partition.
    const std::shared_ptr<const Container> single = container();
    for (int i = 0; i < 30; ++i) {
      const std::string at = item_key(single->places[0].partition->id(), "", {}, fmt::format("d{}", i));
      std::promise<bool> is_done;
      single->places[0].partition->transact(
          "",
          [&](Transaction& transaction) -> Status {
            TRY(transaction.find(at));
            transaction.put(
                at, item_from_json(single->numbers->next()->value, fmt::format(R"({{"id":"d{0}","pk":"k{0}","n":{0}}})", i)));
            return {};
          },
          [&](Result<Partition::Commit> commit) { is_done.set_value(commit.has_value()); });
      ASSERT_TRUE(is_done.get_future().get());
    }
  }
  ASSERT_TRUE(reshaper_->rekey("db", "c", key_definition({"/pk"})));
  EXPECT_EQ(contents(), numbered(30));
  ASSERT_TRUE(reshaper_->split("db", "c", range_ids()[0]));
  EXPECT_EQ(contents(), numbered(30));
}

TEST_F(ReshaperTest, RefusesAPartitionKeyUnderWhichIdsCollide) {
  account_.make_container("c", {"/pk"});
  TestWriter writer(container());
  ASSERT_TRUE(writer.put("a", "same", 1));
  ASSERT_TRUE(writer.put("b", "same", 1));
  const Result<ReshapeReport> report = reshaper_->rekey("db", "c", key_definition({"/n"}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(container()->definition.partition_key, key_definition({"/pk"}));
  EXPECT_EQ(contents().size(), 2);
  EXPECT_EQ(account_.catalog->reshapes().list().size(), 0);
}

TEST_F(ReshaperTest, StartsAnewWhatWasInterruptedBeforeItWasPublished) {
  account_.make_container("c", {"/pk"});
  fill(40);
  for (Reshape::State state : {Reshape::State::kPrepared, Reshape::State::kCopying, Reshape::State::kFenced}) {
    const std::shared_ptr<const Container> now = container();
    const PartitionPlace& place = now->places.front();
    Reshape plan;
    plan.database = now->database->number;
    plan.container = now->number;
    plan.parents = {place.range_id};
    plan.children.resize(2);
    const EffectivePartitionKey cut = *middle_of(place.range(), now->definition.partition_key);
    plan.children[0].range = {place.range().min, cut};
    plan.children[1].range = {cut, place.range().max};
    Reshape begun = account_.catalog->reshapes().begin(plan).value();
    begun.state = state;
    ASSERT_TRUE(account_.catalog->reshapes().note(begun));
    reopen();
    ASSERT_EQ(account_.catalog->reshapes().list().size(), 1);
    const size_t places = container()->places.size();
    EXPECT_TRUE(reshaper_->work().value());
    EXPECT_EQ(container()->places.size(), places + 1);
    EXPECT_EQ(contents(), numbered(40));
  }
}

TEST_F(ReshaperTest, ForgetsWhatCannotBeginAgain) {
  account_.make_container("c", {"/pk"});
  fill(5);
  Reshape plan;
  plan.database = container()->database->number;
  plan.container = container()->number;
  plan.parents = {"0"};
  plan.children.resize(1);
  const Reshape begun = account_.catalog->reshapes().begin(plan).value();
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  ASSERT_TRUE(account_.catalog->reshapes().note(begun));  // as a reshape does that has not noticed yet
  reopen();
  EXPECT_TRUE(reshaper_->work().value());
  EXPECT_FALSE(reshaper_->work().value());
  EXPECT_EQ(account_.catalog->reshapes().list().size(), 0);
}

TEST_F(ReshaperTest, LosesNothingWhileWritersGoOn) {
  account_.make_container("c", {"/pk"});
  fill(300);
  constexpr int kWriters = 3;
  std::atomic<bool> stop = false;
  std::vector<std::map<std::string, int>> models(kWriters);
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      TestWriter writer(container());
      for (int i = w; !stop; i = (i + kWriters) % 300) {
        const std::string pk = fmt::format("k{}", i);
        const std::string id = fmt::format("d{}", i);
        std::map<std::string, int>& model = models[static_cast<size_t>(w)];
        const int n = model.contains(pk + "/" + id) ? model[pk + "/" + id] + 1 : 1000;
        if (n % 7 == 0) ASSERT_TRUE(writer.erase(pk, id));
        if (n % 7 != 0) ASSERT_TRUE(writer.put(pk, id, n));
        model[pk + "/" + id] = n;
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 2; ++i) {
      const Result<ReshapeReport> split = reshaper_->split("db", "c", range_ids().front());
      ASSERT_TRUE(split) << split.error().message;
    }
    while (container()->places.size() > 1) {
      const Result<ReshapeReport> merge = reshaper_->merge("db", "c", range_ids().front());
      ASSERT_TRUE(merge) << merge.error().message;
    }
    ASSERT_TRUE(reshaper_->work());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::map<std::string, int> expected = numbered(300);
  for (const auto& model : models) {
    for (const auto& [name, n] : model) {
      expected[name] = n;
      if (n % 7 == 0) expected.erase(name);
    }
  }
  EXPECT_EQ(contents(), expected);
}

}  // namespace
}  // namespace partita
