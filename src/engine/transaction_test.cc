#include "engine/transaction.h"

#include "engine/check/consistency.h"
#include "engine/test_items.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One partition of a container with the key /pk.
class TransactionTest : public testing::Test {
 protected:
  static constexpr PartitionId kPartition{1};

  std::string key(std::string_view id, std::string_view pk = "p") const {
    const PartitionKey partition_key{{std::string(pk)}};
    return item_key(kPartition, effective_partition_key(partition_key, key_), partition_key, id);
  }
  static Item item(uint64_t number, std::string_view id, std::string_view more = "") {
    return item_from_json(number, "{\"id\":\"" + std::string(id) + "\",\"pk\":\"p\"" + std::string(more) + "}");
  }
  void create(Transaction& transaction, Item item) {
    const std::string at = key(item.id());
    ASSERT_TRUE(transaction.find(at));
    ASSERT_TRUE(transaction.put(at, std::move(item)));
  }
  std::optional<ErrorCode> try_create(Transaction& transaction, Item item) {
    const std::string at = key(item.id());
    EXPECT_TRUE(transaction.find(at));
    const Status outcome = transaction.put(at, std::move(item));
    return outcome ? std::nullopt : std::optional(outcome.error().code);
  }
  void demand_unique(std::string_view path) {
    const std::string policy = R"({"uniqueKeys":[{"paths":[")" + std::string(path) + R"("]}]})";
    unique_keys_ = UniqueKeys::parse(Value::view(*stored_from_json(policy))).value();
  }
  void erase(Transaction& transaction, std::string_view id) {
    ASSERT_NE(transaction.find(key(id)).value(), nullptr);
    transaction.erase(key(id));
  }
  void commit(Transaction& transaction) {
    transaction.prepare();
    transaction.seal(Lsn{counters_.lsn.value + 1}, counters_);
    ASSERT_TRUE(store_->apply(transaction.batch()));
    expect_consistent();
  }
  Transaction begin() { return Transaction(slice_, policy_, unique_keys_); }
  std::string stored(std::string_view id) {
    const Result<std::optional<Item>> found = slice_.find(key(id));
    if (!found) return found.error().message;
    return *found ? to_json((*found)->document()) : "none";
  }
  void expect_consistent() {
    const Result<ConsistencyReport> report = check_consistency(slice_, key_, {}, policy_, unique_keys_);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->messages, IsEmpty());
    EXPECT_EQ(report->counted.documents, counters_.documents);
  }

  TestStore store_;
  PartitionKeyDefinition key_ = key_definition({"/pk"});
  IndexingPolicy policy_ = policy_from_json("{}", key_);
  UniqueKeys unique_keys_;
  Slice slice_{*store_, kPartition, IndexId{7}};
  PartitionCounters counters_;
};

}  // namespace

TEST_F(TransactionTest, WritesEveryRowOfADocument) {
  Transaction transaction = begin();
  create(transaction, item(1, "a", R"(,"n":[1,2])"));
  EXPECT_EQ(stored("a"), "none");
  commit(transaction);
  EXPECT_EQ(stored("a"), R"({"id":"a","pk":"p","n":[1,2]})");
  EXPECT_EQ(transaction.work().index_entries_written, 5u);
  EXPECT_EQ(rows_of(*store_, Family::kItems).size(), 1u);
  EXPECT_EQ(rows_of(*store_, Family::kKeys).size(), 1u);
  EXPECT_EQ(rows_of(*store_, Family::kChanges).size(), 1u);
  EXPECT_EQ(rows_of(*store_, Family::kIndex).size(), 6u);
  EXPECT_EQ(slice_.counters().value(), counters_);
  EXPECT_EQ(counters_.documents, 1u);
  EXPECT_EQ(counters_.newest, DocumentNumber{1});
  EXPECT_EQ(counters_.lsn, Lsn{1});
}

TEST_F(TransactionTest, ReplacingChangesExactlyTheIndexEntriesThatDiffer) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"same":1,"changed":1,"gone":1)"));
  commit(first);
  const Rows before = rows_of(*store_, Family::kIndex);

  Transaction second = begin();
  create(second, item(1, "a", R"(,"same":1,"changed":2,"added":1)"));
  commit(second);
  EXPECT_EQ(second.work().index_entries_written, 4u);  // changed: one out and one in, gone out, added in
  const Rows after = rows_of(*store_, Family::kIndex);
  Rows kept;
  std::ranges::set_intersection(before, after, std::back_inserter(kept));
  EXPECT_EQ(before.size(), 6u);
  EXPECT_EQ(after.size(), 6u);
  EXPECT_EQ(kept.size(), 3u);
  EXPECT_EQ(rows_of(*store_, Family::kChanges).size(), 1u);
  EXPECT_EQ(slice_.find(key("a")).value()->lsn(), Lsn{2});
  EXPECT_EQ(slice_.find(key("a")).value()->number, DocumentNumber{1});
}

TEST_F(TransactionTest, WritingTheSameAgainChangesNoIndexEntry) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"n":1)"));
  commit(first);
  Transaction second = begin();
  create(second, item(1, "a", R"(,"n":1)"));
  commit(second);
  EXPECT_EQ(second.work().index_entries_written, 0u);
  EXPECT_EQ(counters_.lsn, Lsn{2});
}

TEST_F(TransactionTest, DeletingLeavesNothingButCounters) {
  Transaction first = begin();
  create(first, item(5, "a", R"(,"n":{"m":[1]})"));
  commit(first);
  Transaction second = begin();
  erase(second, "a");
  commit(second);
  for (Family family : {Family::kItems, Family::kKeys, Family::kIndex, Family::kChanges})
    EXPECT_THAT(rows_of(*store_, family), IsEmpty());
  EXPECT_EQ(counters_, (PartitionCounters{0, 0, Lsn{2}, DocumentNumber{5}, Lsn{2}}));
}

TEST_F(TransactionTest, ASnapshotKeepsRecordsThatWereWrittenSince) {
  Transaction creation = begin();
  create(creation, item(1, "kept"));
  create(creation, item(2, "replaced"));
  create(creation, item(3, "deleted"));
  commit(creation);
  const Lsn shown = counters_.lsn;
  const auto snapshot = store_->snapshot();
  const auto id_at_snapshot = [&](uint64_t number) -> std::string {
    std::string record;
    const Result<bool> is_known = slice_.load_record(DocumentNumber{number}, record, *snapshot, shown);
    EXPECT_TRUE(is_known);
    return *is_known ? to_json(item_from_record(DocumentNumber{number}, record)->document()) : "none";
  };
  EXPECT_EQ(id_at_snapshot(2), R"({"id":"replaced","pk":"p"})");
  Transaction changes = begin();
  ASSERT_NE(changes.find(key("replaced")).value(), nullptr);
  ASSERT_TRUE(changes.put(key("replaced"), item(2, "replaced", R"(,"n":1)")));
  erase(changes, "deleted");
  create(changes, item(4, "created"));
  commit(changes);
  EXPECT_EQ(id_at_snapshot(1), R"({"id":"kept","pk":"p"})");
  EXPECT_EQ(id_at_snapshot(2), R"({"id":"replaced","pk":"p"})");
  EXPECT_EQ(id_at_snapshot(3), R"({"id":"deleted","pk":"p"})");
  EXPECT_EQ(id_at_snapshot(4), "none");
}

TEST_F(TransactionTest, SeesItsOwnChanges) {
  Transaction transaction = begin();
  EXPECT_EQ(transaction.find(key("a")).value(), nullptr);
  EXPECT_TRUE(transaction.is_empty());
  create(transaction, item(1, "a", R"(,"n":1)"));
  EXPECT_FALSE(transaction.is_empty());
  EXPECT_EQ(to_json(transaction.find(key("a")).value()->document()), R"({"id":"a","pk":"p","n":1})");
  create(transaction, item(1, "a", R"(,"n":2)"));
  erase(transaction, "a");
  EXPECT_EQ(transaction.find(key("a")).value(), nullptr);
}

TEST_F(TransactionTest, CreateAndDeleteInOneLeavesNothing) {
  Transaction transaction = begin();
  create(transaction, item(1, "a"));
  erase(transaction, "a");
  commit(transaction);
  for (Family family : {Family::kItems, Family::kKeys, Family::kIndex, Family::kChanges})
    EXPECT_THAT(rows_of(*store_, family), IsEmpty());
  EXPECT_EQ(counters_.documents, 0u);
}

TEST_F(TransactionTest, DeleteAndCreateAnewInOneTakesTheNewNumber) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"same":1,"old":1)"));
  commit(first);
  Transaction second = begin();
  erase(second, "a");
  create(second, item(2, "a", R"(,"same":1,"new":1)"));
  commit(second);
  EXPECT_EQ(stored("a"), R"({"id":"a","pk":"p","same":1,"new":1})");
  EXPECT_EQ(slice_.find(key("a")).value()->number, DocumentNumber{2});
  EXPECT_EQ(rows_of(*store_, Family::kItems).size(), 1u);
  EXPECT_EQ(rows_of(*store_, Family::kChanges).size(), 1u);
  for (const auto& [index_key, value] : rows_of(*store_, Family::kIndex))
    EXPECT_EQ(trailing_number(index_key), DocumentNumber{2});
  EXPECT_EQ(counters_.documents, 1u);
  EXPECT_EQ(counters_.newest, DocumentNumber{2});
}

TEST_F(TransactionTest, ReplaceTwiceInOneIsOneChange) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"n":1)"));
  commit(first);
  Transaction second = begin();
  create(second, item(1, "a", R"(,"n":2)"));
  create(second, item(1, "a", R"(,"n":3)"));
  commit(second);
  EXPECT_EQ(stored("a"), R"({"id":"a","pk":"p","n":3})");
  EXPECT_EQ(second.work().index_entries_written, 2u);
}

TEST_F(TransactionTest, ManyDocumentsShareOneLsn) {
  Transaction transaction = begin();
  for (uint64_t i = 1; i <= 10; ++i) create(transaction, item(i, "d" + std::to_string(i)));
  commit(transaction);
  EXPECT_EQ(counters_.documents, 10u);
  for (const auto& [change, value] : rows_of(*store_, Family::kChanges)) EXPECT_EQ(lsn_of_change_key(change), Lsn{1});
}

TEST_F(TransactionTest, OneThatIsDroppedChangesNothing) {
  {
    Transaction transaction = begin();
    create(transaction, item(1, "a"));
    transaction.prepare();
  }
  for (Family family : kFamilies) EXPECT_THAT(rows_of(*store_, family), IsEmpty());
}

TEST_F(TransactionTest, UniqueValuesBelongToOneDocument) {
  demand_unique("/u");
  Transaction first = begin();
  create(first, item(1, "a", R"(,"u":1)"));
  EXPECT_EQ(try_create(first, item(2, "b", R"(,"u":1)")), ErrorCode::kAlreadyExists);
  create(first, item(2, "b", R"(,"u":2)"));
  create(first, item(3, "c"));
  EXPECT_EQ(try_create(first, item(4, "d", R"(,"u":null)")), ErrorCode::kAlreadyExists) << "missing counts as null";
  commit(first);
  Transaction second = begin();
  EXPECT_EQ(try_create(second, item(5, "e", R"(,"u":2)")), ErrorCode::kAlreadyExists);
  EXPECT_EQ(rows_of(*store_, Family::kUnique).size(), 3u);
}

TEST_F(TransactionTest, UniqueValuesMoveWithinATransaction) {
  demand_unique("/u");
  Transaction first = begin();
  create(first, item(1, "a", R"(,"u":1)"));
  create(first, item(2, "b", R"(,"u":2)"));
  commit(first);
  Transaction swap = begin();
  create(swap, item(1, "a", R"(,"u":3)"));
  create(swap, item(2, "b", R"(,"u":1)"));
  create(swap, item(1, "a", R"(,"u":2)"));
  commit(swap);
  Transaction third = begin();
  erase(third, "a");
  create(third, item(3, "c", R"(,"u":2)"));
  EXPECT_EQ(try_create(third, item(4, "d", R"(,"u":1)")), ErrorCode::kAlreadyExists);
  commit(third);
}

TEST_F(TransactionTest, DocumentsWithATimeOfTheirOwnHaveAnExpiry) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"ttl":5,"_ts":100)"));
  create(first, item(2, "b", R"(,"ttl":-1,"_ts":100)"));
  create(first, item(3, "c", R"(,"_ts":100)"));
  commit(first);
  EXPECT_EQ(rows_of(*store_, Family::kExpiry).size(), 1u);
  Transaction second = begin();
  create(second, item(1, "a", R"(,"ttl":7,"_ts":100)"));
  create(second, item(2, "b", R"(,"ttl":7,"_ts":100)"));
  commit(second);
  EXPECT_EQ(rows_of(*store_, Family::kExpiry).size(), 2u);
  Transaction third = begin();
  erase(third, "a");
  erase(third, "b");
  commit(third);
  EXPECT_THAT(rows_of(*store_, Family::kExpiry), IsEmpty());
}

TEST_F(TransactionTest, AnExpiredDocumentIsReplacedAsIfItWereNotThere) {
  Transaction first = begin();
  create(first, item(1, "a", R"(,"ttl":5,"_ts":100)"));
  commit(first);
  slice_ = Slice(*store_, kPartition, IndexId{7}, {TimeToLive(kNeverExpires), 105});
  Transaction second = begin();
  EXPECT_EQ(second.find(key("a")).value(), nullptr);
  create(second, item(2, "a", R"(,"_ts":105)"));
  commit(second);
  EXPECT_EQ(counters_.documents, 1u);
  slice_ = Slice(*store_, kPartition, IndexId{7}, {TimeToLive(1), 200});
  Transaction third = begin();
  ASSERT_TRUE(third.erase_expired(key("a")));
  commit(third);
  EXPECT_EQ(counters_.documents, 0u);
}

TEST_F(TransactionTest, PartitionsOfOneStoreDoNotMix) {
  Transaction transaction = begin();
  create(transaction, item(1, "a"));
  commit(transaction);
  const Slice neighbour(*store_, PartitionId{2}, IndexId{8});
  WriteBatch batch(*store_);
  neighbour.erase_all(batch);
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(neighbour.counters()->documents, 0u);
  expect_consistent();
  batch.clear();
  slice_.erase_all(batch);
  ASSERT_TRUE(store_->apply(batch));
  for (Family family : kFamilies) EXPECT_THAT(rows_of(*store_, family), IsEmpty());
}

TEST_F(TransactionTest, ItemsAfterANumberComeInOrder) {
  Transaction transaction = begin();
  for (uint64_t i : {300u, 2u, 1u, 255u, 256u}) create(transaction, item(i, "d" + std::to_string(i)));
  commit(transaction);
  std::vector<uint64_t> numbers;
  Cursor cursor = slice_.items_after(DocumentNumber{2});
  for (cursor.seek_first(); cursor.valid(); cursor.next()) numbers.push_back(trailing_number(cursor.key()).value);
  EXPECT_THAT(numbers, ElementsAre(255, 256, 300));
}

}  // namespace partita
