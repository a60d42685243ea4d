#include "engine/check/consistency.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "engine/test_items.h"
#include "engine/transaction.h"
#include "engine/versions.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace partita {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Three healthy documents, then one kind of damage.
class ConsistencyTest : public testing::Test {
 protected:
  ConsistencyTest() {
    Transaction transaction(slice_, policy_, unique_keys_);
    transaction.keep_versions(0);
    for (uint64_t i = 1; i <= 3; ++i) {
      Item item = item_from_json(i, "{\"id\":\"" + std::to_string(i) + "\",\"pk\":\"p\",\"tags\":[\"x\",\"y\"]}");
      const std::string key = key_of(item);
      EXPECT_TRUE(transaction.find(key));
      transaction.put(key, std::move(item));
    }
    transaction.prepare();
    transaction.seal(Lsn{1}, counters_);
    EXPECT_TRUE(store_->apply(transaction.batch()));
  }

  std::string key_of(const Item& item) const {
    const PartitionKey partition_key = PartitionKey::of(item.document(), key_);
    return item_key(kPartition, effective_partition_key(partition_key, key_), partition_key, item.id());
  }
  void damage(const std::function<void(WriteBatch&)>& change) {
    WriteBatch batch(*store_);
    change(batch);
    ASSERT_TRUE(store_->apply(batch));
  }
  std::vector<std::string> faults(EffectiveKeyRange range = {}) {
    const Result<ConsistencyReport> report = check_consistency(slice_, key_, range, policy_);
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->faults, report->messages.size());
    return report->messages;
  }

  static constexpr PartitionId kPartition{1};
  TestStore store_;
  PartitionKeyDefinition key_ = key_definition({"/pk"});
  IndexingPolicy policy_ = policy_from_json("{}", key_);
  UniqueKeys unique_keys_;
  Slice slice_{*store_, kPartition, IndexId{1}};
  PartitionCounters counters_;
};

}  // namespace

TEST_F(ConsistencyTest, FindsNothingInHealthyData) {
  const Result<ConsistencyReport> report = check_consistency(slice_, key_, {}, policy_);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->messages, IsEmpty());
  EXPECT_EQ(report->counted, counters_);
  EXPECT_EQ(report->index_entries, 18u);
}

TEST_F(ConsistencyTest, FindsNothingInAnEmptyPartition) {
  const Result<ConsistencyReport> report = check_consistency(Slice(*store_, PartitionId{9}, IndexId{9}), key_, {}, policy_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->faults, 0u);
}

TEST_F(ConsistencyTest, FindsAMissingVersion) {
  damage([](WriteBatch& batch) { batch.erase(Family::kVersions, change_key(kPartition, Lsn{1}, DocumentNumber{2})); });
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("document '2' (number 2) lacks the version"), HasSubstr("bytes of versions")));
}

TEST_F(ConsistencyTest, FindsAVersionThatDoesNotDecode) {
  damage([](WriteBatch& batch) { batch.put(Family::kVersions, change_key(kPartition, Lsn{1}, DocumentNumber{2}), "x"); });
  EXPECT_THAT(faults(), ElementsAre("a version of document number 2 does not decode", HasSubstr("bytes of versions")));
}

TEST_F(ConsistencyTest, FindsAVersionOfTheFuture) {
  const std::string record = version_record({}, item_from_json(2, R"({"id":"2","pk":"p"})"));
  damage([&](WriteBatch& batch) { batch.put(Family::kVersions, change_key(kPartition, Lsn{9}, DocumentNumber{2}), record); });
  EXPECT_THAT(faults(),
              ElementsAre("a version of document number 2 is ahead of the counters' LSN", HasSubstr("bytes of versions")));
}

TEST_F(ConsistencyTest, FindsAMissingIndexEntry) {
  damage([&](WriteBatch& batch) { batch.erase(Family::kIndex, rows_of(*store_, Family::kIndex)[4].first); });
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("lacks the index entry"), "index entries: expected 18, found 17"));
}

TEST_F(ConsistencyTest, FindsAnIndexEntryTooMany) {
  damage([&](WriteBatch& batch) {
    std::string key;
    assign_index_key(key, IndexId{1}, "no such path and value", DocumentNumber{1});
    batch.put(Family::kIndex, key, "");
  });
  EXPECT_THAT(faults(), ElementsAre("index entries: expected 18, found 19"));
}

TEST_F(ConsistencyTest, FindsAMissingChangeRecord) {
  damage([&](WriteBatch& batch) { batch.erase(Family::kChanges, change_key(kPartition, Lsn{1}, DocumentNumber{2})); });
  EXPECT_THAT(faults(), ElementsAre(AllOf(HasSubstr("document '2'"), HasSubstr("lacks the change record")),
                                    "change records: expected 3, found 2"));
}

TEST_F(ConsistencyTest, FindsAMissingPrimaryKey) {
  damage([&](WriteBatch& batch) { batch.erase(Family::kKeys, rows_of(*store_, Family::kKeys)[0].first); });
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("is not found under its primary key"), "primary keys: expected 3, found 2"));
}

TEST_F(ConsistencyTest, FindsAPrimaryKeyThatPointsElsewhere) {
  damage([&](WriteBatch& batch) {
    std::string number;
    append_big_endian(number, uint64_t{2});
    batch.put(Family::kKeys, rows_of(*store_, Family::kKeys)[0].first, number);
  });
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("is not found under its primary key")));
}

TEST_F(ConsistencyTest, FindsAMissingDocument) {
  damage([&](WriteBatch& batch) { batch.erase(Family::kItems, item_row_key(kPartition, DocumentNumber{2})); });
  EXPECT_THAT(faults(), ElementsAre("index entries: expected 12, found 18", "primary keys: expected 2, found 3",
                                    "change records: expected 2, found 3", "documents by the counters: expected 2, found 3",
                                    HasSubstr("bytes by the counters: expected")));
}

TEST_F(ConsistencyTest, FindsWrongCounters) {
  const auto write = [&](PartitionCounters counters) {
    damage([&](WriteBatch& batch) { batch.put(Family::kCatalog, counters_key(kPartition), encode_counters(counters)); });
    return faults();
  };
  PartitionCounters wrong = counters_;
  wrong.documents = 4;
  EXPECT_THAT(write(wrong), ElementsAre("documents by the counters: expected 3, found 4"));
  wrong = counters_;
  wrong.record_bytes += 1;
  EXPECT_THAT(write(wrong), ElementsAre(HasSubstr("bytes by the counters")));
  wrong = counters_;
  wrong.lsn = Lsn{0};
  EXPECT_THAT(write(wrong), Contains("the counters' LSN is behind a document's"));
  wrong = counters_;
  wrong.newest = DocumentNumber{2};
  EXPECT_THAT(write(wrong), ElementsAre("the counters' newest document number is behind a document's"));
  wrong = counters_;
  wrong.lsn = Lsn{100};  // a deletion was the last write
  EXPECT_THAT(write(wrong), IsEmpty());
}

TEST_F(ConsistencyTest, FindsARecordThatDoesNotDecode) {
  const std::string healthy = slice_.load(DocumentNumber{2}).value()->record;
  std::string cut = healthy.substr(0, healthy.size() - 3);
  damage([&](WriteBatch& batch) { batch.put(Family::kItems, item_row_key(kPartition, DocumentNumber{2}), cut); });
  EXPECT_THAT(faults(), Contains("document number 2 does not decode"));
  damage([&](WriteBatch& batch) {
    batch.put(Family::kItems, item_row_key(kPartition, DocumentNumber{2}), "\x02 of another format");
  });
  EXPECT_THAT(faults(), Contains("document number 2 does not decode"));
  damage([&](WriteBatch& batch) {
    batch.put(Family::kItems, item_row_key(kPartition, DocumentNumber{2}), item_from_json(2, "[1]").record);
  });
  EXPECT_THAT(faults(), Contains("document number 2 does not decode"));
}

TEST_F(ConsistencyTest, FindsADocumentOutsideItsRange) {
  EXPECT_EQ(faults({std::string("\x3F", 1), std::string("\x3F\x01", 2)}).size(), 3u);
}

TEST_F(ConsistencyTest, FindsRowsWhoseKeysAreNotOurs) {
  damage([&](WriteBatch& batch) { batch.put(Family::kItems, partition_prefix(kPartition) + "x", "y"); });
  EXPECT_THAT(faults(), Contains(HasSubstr("an item row has a key of 5 bytes")));
}

TEST_F(ConsistencyTest, FindsAVersionThatIsNotTheDocument) {
  const std::string record = version_record({}, item_from_json(2, R"({"id":"2","pk":"p","tags":["x","z"]})"));
  damage([&](WriteBatch& batch) { batch.put(Family::kVersions, change_key(kPartition, Lsn{1}, DocumentNumber{2}), record); });
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("document '2' (number 2) has another version")));
}

TEST_F(ConsistencyTest, FindsEveryFlippedByteOfEveryRow) {
  constexpr size_t kVersionHeaderBytes = 20;  // its kind and time are known to nothing else
  for (const Family family : {Family::kItems, Family::kKeys, Family::kIndex, Family::kChanges, Family::kVersions}) {
    for (const auto& [key, value] : rows_of(*store_, family)) {
      for (size_t at = 0; at < key.size() + value.size(); ++at) {
        if (family == Family::kVersions && at > key.size() && at < key.size() + kVersionHeaderBytes) continue;
        std::string other = key + value;
        other[at] = static_cast<char>(other[at] ^ 0x40);
        damage([&](WriteBatch& batch) {
          batch.erase(family, key);
          batch.put(family, other.substr(0, key.size()), other.substr(key.size()));
        });
        const Result<ConsistencyReport> report = check_consistency(slice_, key_, {}, policy_);
        EXPECT_TRUE(!report || report->faults > 0) << name_of(family) << " row " << hex_upper(key) << " byte " << at;
        damage([&](WriteBatch& batch) {
          batch.erase(family, other.substr(0, key.size()));
          batch.put(family, key, value);
        });
      }
    }
  }
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(ConsistencyTest, KeepsOnlyTheFirstMessages) {
  ConsistencyReport report;
  for (size_t i = 0; i < kFaultMessagesMax + 5; ++i) report.add("fault");
  EXPECT_EQ(report.faults, kFaultMessagesMax + 5);
  EXPECT_EQ(report.messages.size(), kFaultMessagesMax);
}

}  // namespace partita
