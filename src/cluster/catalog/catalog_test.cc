#include "cluster/catalog/catalog.h"

#include "base/encodings.h"
#include "cluster/index/index_builder.h"
#include "cluster/records/records.h"
#include "cluster/test_account.h"
#include "query/work_meter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ErrorCode kNoError = static_cast<ErrorCode>(-1);

template <typename T>
ErrorCode code_of(const Result<T>& result) {
  return result ? kNoError : result.error().code;
}

Throughput manual(int64_t units) { return {.provisioned = units, .autoscale_max = std::nullopt}; }
Throughput autoscale(int64_t max) { return {.provisioned = max / 10, .autoscale_max = max}; }

// Writes documents with all their rows, as partitions do.
void fill(const Container& container, int documents) {
  for (int i = 0; i < documents; ++i) {
    const std::string id = std::to_string(i);
    Item item = item_from_json(container.numbers->next()->value, fmt::format(R"({{"id":"{0}","pk":"{0}","n":{0}}})", id));
    const PartitionKey key = PartitionKey::of(item.document(), container.definition.partition_key);
    const EffectivePartitionKey hash = effective_partition_key(key, container.definition.partition_key);
    const PartitionPlace& place = container.place_of(hash);
    const std::string at = item_key(place.partition->id(), hash, key, id);
    std::promise<bool> is_done;
    place.partition->transact(
        hash,
        [&](Transaction& transaction) -> Status {
          TRY(transaction.find(at));
          transaction.put(at, std::move(item));
          return {};
        },
        [&](Result<Partition::Commit> commit) { is_done.set_value(commit.has_value()); });
    EXPECT_TRUE(is_done.get_future().get());
  }
}

uint64_t documents_in(const Container& container) {
  uint64_t documents = 0;
  for (const PartitionPlace& place : container.places) documents += place.partition->counters().documents;
  return documents;
}

std::string printable(std::string_view key) {
  std::string out;
  for (char c : key) out += c > ' ' && c < 0x7F ? std::string(1, c) : fmt::format("\\{:02x}", static_cast<uint8_t>(c));
  return out;
}

}  // namespace

TEST(Catalog, MakesReadsAndDeletesDatabases) {
  TestAccount account;
  const auto made = account.catalog->create_database("db", std::nullopt);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->revision.unix_seconds, 1'700'000'000);
  EXPECT_EQ(account.catalog->database("db").value(), *made);
  EXPECT_EQ(account.catalog->database((*made)->rid()).value(), *made);
  EXPECT_EQ(code_of(account.catalog->database("other")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(account.catalog->create_database("db", std::nullopt)), ErrorCode::kAlreadyExists);
  EXPECT_TRUE(account.catalog->create_database("DB", std::nullopt)) << "ids differ by case";
  EXPECT_EQ(account.catalog->databases().size(), 2u);
  EXPECT_TRUE(account.catalog->delete_database("db"));
  EXPECT_EQ(code_of(account.catalog->delete_database("db")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(account.catalog->database((*made)->rid())), ErrorCode::kNotFound);
}

TEST(Catalog, MakesReadsAndDeletesContainers) {
  TestAccount account;
  const auto made = account.make_container("c", {"/pk"});
  EXPECT_EQ(account.catalog->container("db", "c").value(), made);
  EXPECT_EQ(account.catalog->container("db", made->rid()).value(), made);
  EXPECT_EQ(account.catalog->container(made->database->rid(), made->rid()).value(), made);
  EXPECT_EQ(code_of(account.catalog->container("db", "other")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(account.catalog->container("other", "c")), ErrorCode::kOwnerNotFound);
  EXPECT_EQ(code_of(account.catalog->containers("other")), ErrorCode::kOwnerNotFound);
  EXPECT_EQ(code_of(account.catalog->create_container("db", container_definition("c", {"/pk"}), std::nullopt)),
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(code_of(account.catalog->create_container("other", container_definition("c", {"/pk"}), std::nullopt)),
            ErrorCode::kOwnerNotFound);
  EXPECT_EQ(account.catalog->containers("db")->size(), 1u);
  EXPECT_TRUE(account.catalog->delete_container("db", "c"));
  EXPECT_EQ(code_of(account.catalog->delete_container("db", "c")), ErrorCode::kNotFound);
  EXPECT_THAT(*account.catalog->containers("db"), IsEmpty());
}

TEST(Catalog, ARidOfOneDatabaseNamesNothingInAnother) {
  TestAccount account;
  const auto made = account.make_container("c", {"/pk"});
  ASSERT_TRUE(account.catalog->create_database("other", std::nullopt));
  ASSERT_TRUE(account.catalog->create_container("other", container_definition("c", {"/pk"}), std::nullopt));
  EXPECT_EQ(code_of(account.catalog->container("other", made->rid())), ErrorCode::kNotFound);
}

// Else one with such an id would get what is meant for another: for one that has this rid, or will have it.
TEST(Catalog, NoIdLooksLikeARid) {
  TestAccount account;
  const auto first = account.make_container("c", {"/pk"});
  for (const std::string& id : {first->database->rid(), std::string("AAAAAg=="), std::string("zzzzzz==")}) {
    EXPECT_EQ(code_of(account.catalog->create_database(id, std::nullopt)), ErrorCode::kInvalidInput) << id;
  }
  for (const std::string& id : {first->rid(), std::string("AAAAAYAAAAI=")}) {
    EXPECT_EQ(code_of(account.catalog->create_container("db", container_definition(id, {"/pk"}), std::nullopt)),
              ErrorCode::kInvalidInput)
        << id;
  }
  EXPECT_EQ(account.catalog->database(first->database->rid()).value(), first->database);
  EXPECT_EQ(account.catalog->container(first->database->rid(), first->rid()).value(), first);
  // Of another database, or no base64.
  for (const char* id : {"AAAAAoAAAAE=", "AAAAAQAAAAE=", "eleven1234=", "twelve12345="}) {
    EXPECT_TRUE(account.catalog->create_container("db", container_definition(id, {"/pk"}), std::nullopt)) << id;
  }
  EXPECT_TRUE(account.catalog->create_database("eight==!", std::nullopt));
}

// Base64 has several texts for four bytes; only the one that the server writes is a rid.
TEST(Catalog, ARidHasOneText) {
  TestAccount account;
  const auto made = account.make_container("c", {"/pk"});
  EXPECT_EQ(made->database->rid(), "AAAAAQ==");
  EXPECT_EQ(code_of(account.catalog->database("AAAAAR==")), ErrorCode::kNotFound);
}

TEST(Catalog, IdsKeepToTheServicesRules) {
  for (const char* id : {"a", " a", "a b", "a.b", "a%b", "\xE9\xB1\x80"}) EXPECT_TRUE(check_resource_id(id)) << id;
  for (const char* id : {"", "a/b", "a\\b", "a?b", "a#b", "a "})
    EXPECT_EQ(code_of(check_resource_id(id)), ErrorCode::kInvalidInput) << id;
  EXPECT_TRUE(check_resource_id(std::string(kResourceIdCharsMax, 'x')));
  EXPECT_FALSE(check_resource_id(std::string(kResourceIdCharsMax + 1, 'x')));
  std::string accented;
  for (size_t i = 0; i < kResourceIdCharsMax; ++i) accented += "é";
  EXPECT_TRUE(check_resource_id(accented));
  EXPECT_FALSE(check_resource_id(accented + "é"));
  TestAccount account;
  EXPECT_EQ(code_of(account.catalog->create_database("a/b", std::nullopt)), ErrorCode::kInvalidInput);
}

TEST(Catalog, ThroughputKeepsToTheServicesLimits) {
  for (int64_t units : {400, 500, 10'000, 1'000'000}) EXPECT_TRUE(check_throughput(manual(units))) << units;
  for (int64_t units : {-400, 0, 300, 399, 401, 450, 1'000'100})
    EXPECT_EQ(code_of(check_throughput(manual(units))), ErrorCode::kInvalidInput) << units;
  for (int64_t units : {1'000, 4'000, 1'000'000}) EXPECT_TRUE(check_throughput(autoscale(units))) << units;
  for (int64_t units : {0, 400, 999, 1'500})
    EXPECT_EQ(code_of(check_throughput(autoscale(units))), ErrorCode::kInvalidInput) << units;
}

TEST(Catalog, ThroughputDecidesHowManyPartitionsThereAre) {
  EXPECT_EQ(partitions_for(manual(400)), 1u);
  EXPECT_EQ(partitions_for(manual(10'000)), 1u);
  EXPECT_EQ(partitions_for(manual(10'100)), 2u);
  EXPECT_EQ(partitions_for(manual(25'000)), 3u);
  EXPECT_EQ(partitions_for(autoscale(30'000)), 3u);
  TestAccount account;
  EXPECT_EQ(account.make_container("400", {"/pk"}, 400)->places.size(), 1u);
  EXPECT_EQ(account.make_container("none", {"/pk"})->places.size(), 1u);
  EXPECT_EQ(account.make_container("10100", {"/pk"}, 10'100)->places.size(), 2u);
  EXPECT_EQ(account.make_container("25000", {"/pk"}, 25'000)->places.size(), 3u);
}

TEST(Catalog, ANewContainerMayGetMorePartitionsThanItNeeds) {
  TestAccount account(Durability::kRelaxed, RateLimits{.new_partition_throughput = 6'000});
  EXPECT_EQ(account.make_container("6000", {"/pk"}, 6'000)->places.size(), 1u);
  EXPECT_EQ(account.make_container("25000", {"/pk"}, 25'000)->places.size(), 5u);
  const auto scaled = account.catalog->create_container("db", container_definition("scaled", {"/pk"}), autoscale(30'000));
  EXPECT_EQ((*scaled)->places.size(), 3u);
}

TEST(Catalog, PlacesCoverTheWholeKeySpaceWithoutGap) {
  TestAccount account;
  const auto container = account.make_container("c", {"/pk"}, 50'000);
  EffectivePartitionKey end = kEffectiveKeyMin;
  for (const PartitionPlace& place : container->places) {
    EXPECT_EQ(place.range().min, end);
    end = place.range().max;
    EXPECT_EQ(&container->place_of(place.range().min), &place);
    EXPECT_EQ(container->find_place(place.range_id), &place);
  }
  EXPECT_EQ(end, kEffectiveKeyMax);
  EXPECT_EQ(container->find_place("99"), nullptr);
}

TEST(Catalog, AContainerWithoutPartitionKeyHasOnePartition) {
  TestAccount account;
  const std::shared_ptr<const Container> container = account.make_container("c", {}, 10'000);
  EXPECT_EQ(container->places.size(), 1u);
  const uint32_t offer = account.catalog->offers().of(container->database->number, container->number)->number;
  EXPECT_EQ(code_of(account.catalog->offers().replace(offer, manual(10'100))), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of(account.catalog->create_container("db", container_definition("d", {}), manual(10'100))),
            ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of(account.catalog->container("db", "d")), ErrorCode::kNotFound);
}

TEST(Catalog, OffersBelongToWhoeverHasTheThroughput) {
  TestAccount account;
  const auto shared = account.catalog->create_database("shared", manual(600));
  const auto database_offer = account.catalog->offers().of((*shared)->number, 0);
  ASSERT_NE(database_offer, nullptr);
  EXPECT_EQ(database_offer->throughput, manual(600));

  const auto sharing = account.catalog->create_container("shared", container_definition("c", {"/pk"}), std::nullopt);
  ASSERT_TRUE(sharing);
  EXPECT_EQ(account.catalog->offers().of((*shared)->number, (*sharing)->number), nullptr);
  const auto own = account.catalog->create_container("shared", container_definition("d", {"/pk"}), autoscale(4'000));
  ASSERT_TRUE(own);
  EXPECT_EQ(account.catalog->offers().of((*shared)->number, (*own)->number)->throughput, autoscale(4'000));

  const auto alone = account.make_container("e", {"/pk"});
  EXPECT_EQ(account.catalog->offers().of(alone->database->number, 0), nullptr);
  EXPECT_EQ(account.catalog->offers().of(alone->database->number, alone->number)->throughput, manual(400));
  EXPECT_EQ(account.catalog->offers().list().size(), 3u);
  EXPECT_EQ(account.catalog->offers().find(database_offer->number), database_offer);
  EXPECT_EQ(account.catalog->offers().find(100), nullptr);

  EXPECT_TRUE(account.catalog->delete_database("shared"));
  EXPECT_EQ(account.catalog->offers().list().size(), 1u);
  EXPECT_TRUE(account.catalog->delete_container("db", "e"));
  EXPECT_THAT(account.catalog->offers().list(), IsEmpty());
}

TEST(Catalog, FindsAnOfferHoweverManyThereAre) {
  TestAccount account;
  account.make_container("c", {"/pk"});
  const uint32_t number = account.catalog->offers().list().front()->number;
  const auto work = [&] {
    return query::work_of([&] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(account.catalog->offers().find(number));
    });
  };
  const auto create = [&](int from, int to) {
    for (int i = from; i < to; ++i) EXPECT_TRUE(account.catalog->create_database("d" + std::to_string(i), manual(400)));
  };
  create(0, 20);
  const double few = work();
  create(20, 1'000);
  EXPECT_LE(work() / few, 5);
}

TEST(Catalog, ReplacesOffersAndRemembersTheirHighest) {
  TestAccount account;
  account.make_container("c", {"/pk"}, 5'000);
  const auto before = account.catalog->offers().list().front();
  const auto after = account.catalog->offers().replace(before->number, manual(400));
  ASSERT_TRUE(after);
  EXPECT_EQ((*after)->throughput, manual(400));
  EXPECT_EQ((*after)->provisioned_max_ever, 5'000);
  EXPECT_NE((*after)->revision.etag, before->revision.etag);
  EXPECT_EQ(account.catalog->offers().list().front(), *after);
  EXPECT_EQ(code_of(account.catalog->offers().replace(before->number, manual(450))), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of(account.catalog->offers().replace(before->number, manual(500), before->revision.etag)),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(code_of(account.catalog->offers().replace(100, manual(500))), ErrorCode::kNotFound);
}

TEST(Catalog, EtagsGuardEveryChange) {
  TestAccount account;
  const auto container = account.make_container("c", {"/pk"});
  EXPECT_EQ(code_of(account.catalog->replace_container("db", "c", container_definition("c", {"/pk"}), "\"old\"")),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(code_of(account.catalog->delete_container("db", "c", "\"old\"")), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(code_of(account.catalog->delete_database("db", "\"old\"")), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(account.catalog->replace_container("db", "c", container_definition("c", {"/pk"}), container->revision.etag));
  EXPECT_TRUE(account.catalog->delete_container("db", "c", "*"));
}

TEST(Catalog, AContainersIdAndKeyCannotChange) {
  TestAccount account;
  account.make_container("c", {"/pk"});
  EXPECT_EQ(code_of(account.catalog->replace_container("db", "c", container_definition("d", {"/pk"}))), ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of(account.catalog->replace_container("db", "c", container_definition("c", {"/other"}))),
            ErrorCode::kInvalidInput);
  EXPECT_EQ(code_of(account.catalog->replace_container("db", "d", container_definition("d", {"/pk"}))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(account.catalog->replace_container("x", "c", container_definition("c", {"/pk"}))), ErrorCode::kOwnerNotFound);
}

TEST(Catalog, AnotherIndexingPolicyRebuildsTheIndex) {
  TestAccount account;
  const auto before = account.make_container("c", {"/pk"}, 25'000);
  fill(*before, 60);
  const size_t full = rows_of(*account.store, Family::kIndex).size();
  const auto after =
      account.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, R"({"indexingMode":"none"})"));
  ASSERT_TRUE(after);
  EXPECT_NE((*after)->revision.etag, before->revision.etag);
  EXPECT_EQ((*after)->places[0].partition, before->places[0].partition);
  account.expect_consistent(**after);
  ASSERT_TRUE(IndexBuilder(*account.catalog).finish());
  account.expect_consistent(**after);
  EXPECT_EQ(rows_of(*account.store, Family::kIndex).size(), 120u)
      << "only the partition key and the shape are indexed, and the old generation is gone";
  EXPECT_EQ(full, 240u);

  account.reopen();
  const auto again = account.catalog->container("db", "c").value();
  EXPECT_EQ(again->definition.indexing->mode(), IndexingPolicy::Mode::kNone);
  account.expect_consistent(*again);
  const auto back = account.catalog->replace_container("db", "c", container_definition("c", {"/pk"}));
  ASSERT_TRUE(back);
  ASSERT_TRUE(IndexBuilder(*account.catalog).finish());
  account.expect_consistent(**back);
  EXPECT_EQ(rows_of(*account.store, Family::kIndex).size(), full);
}

TEST(Catalog, TheSamePolicyKeepsTheIndex) {
  TestAccount account;
  const auto before = account.make_container("c", {"/pk"});
  const IndexId index = before->places[0].partition->local().index().id;
  ContainerDefinition definition = container_definition("c", {"/pk"});
  definition.properties = *stored_from_json(R"({"defaultTtl":5})");
  const auto after = account.catalog->replace_container("db", "c", std::move(definition));
  ASSERT_TRUE(after);
  EXPECT_EQ((*after)->places[0].partition->local().index().id, index);
  EXPECT_EQ(to_json(Value::view((*after)->definition.properties)), R"({"defaultTtl":5})");
}

TEST(Catalog, DeletingAContainerDeletesItsRowsAndNoOthers) {
  TestAccount account;
  const auto doomed = account.make_container("doomed", {"/pk"}, 25'000);
  const auto kept = account.make_container("kept", {"/pk"});
  fill(*doomed, 30);
  fill(*kept, 5);
  ASSERT_TRUE(account.catalog->delete_container("db", "doomed"));
  EXPECT_EQ(rows_of(*account.store, Family::kItems).size(), 5u);
  EXPECT_EQ(rows_of(*account.store, Family::kKeys).size(), 5u);
  EXPECT_EQ(rows_of(*account.store, Family::kChanges).size(), 5u);
  EXPECT_EQ(rows_of(*account.store, Family::kIndex).size(), 20u);
  account.expect_consistent(*kept);

  std::promise<ErrorCode> late;
  doomed->places[0].partition->transact(
      "p",
      [&](Transaction& transaction) -> Status {
        TRY(transaction.find("key"));
        transaction.put("key", item_from_json(99, R"({"id":"x"})"));
        return {};
      },
      [&](Result<Partition::Commit> commit) { late.set_value(code_of(commit)); });
  EXPECT_EQ(late.get_future().get(), ErrorCode::kOwnerNotFound) << "a writer that still held the container";

  ASSERT_TRUE(account.catalog->delete_database("db"));
  for (Family family : {Family::kItems, Family::kKeys, Family::kIndex, Family::kChanges})
    EXPECT_THAT(rows_of(*account.store, family), IsEmpty());
}

TEST(Catalog, NumbersAreNeverGivenTwice) {
  TestAccount account;
  const auto first = account.make_container("c", {"/pk"});
  fill(*first, 3);
  ASSERT_TRUE(account.catalog->delete_container("db", "c"));
  account.reopen();
  const auto second = account.make_container("c", {"/pk"});
  EXPECT_NE(second->rid(), first->rid());
  EXPECT_GT(second->places[0].partition->id(), first->places[0].partition->id());
  EXPECT_EQ(documents_in(*second), 0u);
}

TEST(Catalog, ReopensAsItWas) {
  TestAccount account(Durability::kSynced);
  account.catalog->create_database("shared", autoscale(2'000)).value();
  const auto container = account.make_container("c", {"/pk"}, 25'000, R"({"excludedPaths":[{"path":"/a/*"}]})");
  account.make_container("single", {});
  fill(*container, 20);
  const Rows before = rows_of(*account.store, Family::kCatalog);
  const DocumentNumber newest = container->numbers->next().value();
  account.reopen();
  EXPECT_EQ(rows_of(*account.store, Family::kCatalog), before);
  const auto again = account.catalog->container("db", "c").value();
  EXPECT_EQ(again->rid(), container->rid());
  EXPECT_EQ(encode_container(*again), encode_container(*container));
  EXPECT_EQ(again->numbers->next().value(), newest);
  EXPECT_EQ(documents_in(*again), 20u);
  EXPECT_EQ(account.catalog->databases().size(), 2u);
  EXPECT_EQ(account.catalog->offers().list().size(), 3u);
  EXPECT_FALSE(account.catalog->container("db", "single").value()->has_partition_key());
  account.expect_consistent(*again);
}

// The catalog on disk, in full: keys and records.
TEST(Catalog, RecordsAreAsDocumented) {
  TestAccount account;
  ASSERT_TRUE(account.catalog->create_database("shared", autoscale(2'000)));
  account.make_container("c", {"/a", "/b/c"}, 10'100, R"({"excludedPaths":[{"path":"/x/?"}]})");
  std::string text = "# The catalog family after two databases and a container were made: key, space, record.\n";
  for (const auto& [key, value] : rows_of(*account.store, Family::kCatalog)) {
    const bool is_record = key[0] == 'd' || key[0] == 'c' || key[0] == 'o';
    text += printable(key) + " " + (is_record ? value : hex_upper(value)) + "\n";
  }
  const std::string path = TEST_DATA_DIR "/catalog.txt";
  if (std::getenv("PARTITA_REWRITE") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(Catalog, ReadersSeeWholeContainersWhileOthersChange) {
  TestAccount account;
  account.make_container("c", {"/pk"});
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    while (!is_done) {
      if (const auto container = account.catalog->container("db", "c")) EXPECT_EQ((*container)->definition.id, "c");
      for (const auto& offer : account.catalog->offers().list()) EXPECT_GE(offer->throughput.provisioned, 400);
      account.catalog->databases();
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(account.catalog->delete_container("db", "c"));
    account.make_container("c", {"/pk"}, 400 + i * 100);
    EXPECT_TRUE(account.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, R"({"indexingMode":"none"})")));
  }
  is_done = true;
  reader.join();
}

}  // namespace partita
