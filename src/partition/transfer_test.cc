#include "partition/transfer.h"

#include "partition/test_partition.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

namespace partita {
namespace {

constexpr std::string_view kRules = R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]},"defaultTtl":-1,
                                        "changeFeedPolicy":{"retentionDuration":60}})";
constexpr int kDocuments = 80;

std::string key_value(int i) { return fmt::format("k{}", i % 10); }
std::string id_of(int i) { return fmt::format("d{}", i); }

// A partition with everything that one can have, in a store of its own, and another store to move it to.
class TransferTest : public PartitionTest {
 protected:
  static constexpr PartitionId kTargetId{7};
  static constexpr IndexId kTargetIndex{9};
  using Rows = std::map<std::string, std::string>;

  TransferTest() {
    rules_ = std::make_shared<const DocumentRules>(DocumentRules::parse(Value::view(*stored_from_json(kRules))).value());
    open();
    for (int i = 0; i < kDocuments; ++i) {
      write(i, i);
      if (i % 3 == 0) attach(i, "first");
    }
  }

  std::string target_key(int i) const {
    const PartitionKey partition_key{{key_value(i)}};
    return item_key(kTargetId, effective_partition_key(partition_key, key_), partition_key, id_of(i));
  }
  void write(int i, int n) {
    const std::string at = key(key_value(i), id_of(i));
    ASSERT_TRUE(transact(key_value(i), [&](Transaction& transaction) -> Status {
      TRY_ASSIGN(const Item* stored, transaction.find(at));
      const uint64_t number = stored == nullptr ? ++newest_ : stored->number.value;
      return transaction.put(at, item_from_json(number, json(i, n)));
    }));
  }
  // A third of them live for a minute.
  static std::string json(int i, int n) {
    return fmt::format(R"({{"id":"{}","pk":"{}","n":{},"u":"u{}","_ts":1700000000{}}})", id_of(i), key_value(i), n, i,
                       i % 3 == 1 ? R"(,"ttl":60)" : "");
  }
  void erase(int i) {
    const std::string at = key(key_value(i), id_of(i));
    ASSERT_TRUE(transact(key_value(i), [&](Transaction& transaction) -> Status {
      TRY_ASSIGN(const Item* stored, transaction.find(at));
      if (stored != nullptr) transaction.erase(at);
      return {};
    }));
  }
  void attach(int i, const std::string& media) {
    const std::string at = key(key_value(i), id_of(i));
    ASSERT_TRUE(transact(key_value(i), [&](Transaction& transaction) -> Status {
      TRY_ASSIGN(const Item* stored, transaction.find(at));
      if (stored == nullptr) return {};
      const DocumentNumber document = stored->number;
      AttachmentChanges& changes = transaction.attachments();
      TRY_ASSIGN(const AttachmentNumber next, changes.next_number(document));
      TRY(changes.put(document, {next, *stored_from_json(fmt::format(R"({{"id":"a{}"}})", next.value))}));
      return changes.put_media(document, next, media);
    }));
  }
  // Until it is told to stop, but at least so often.
  void keep_writing(const std::atomic<bool>& stops, unsigned seed) {
    std::mt19937 random(seed);
    for (int round = 0; !stops || round < 100; ++round) {
      const int i = static_cast<int>(random() % kDocuments);
      switch (random() % 4) {
        case 0: erase(i); break;
        case 1: attach(i, fmt::format("m{}", round)); break;
        default: write(i, round);
      }
    }
  }

  // Moves it while others write; they are kept out at the end.
  void move(const Partition::Index& index) {
    const std::atomic<bool> is_cancelled = false;
    std::atomic<bool> stops = false;
    std::jthread first([&] { keep_writing(stops, 1); });
    std::jthread second([&] { keep_writing(stops, 2); });
    const auto watch = std::make_shared<ChangeWatch>();
    const Lsn from = partition_->set_watch(watch);
    Transfer transfer(*other_store_, clock_, key_, {{kTargetId, {}, index, rules_}}, Transfer::Lsns::kKept, kFirstLsn,
                      is_cancelled);
    std::shared_ptr<const Snapshot> at = store_->snapshot();
    while (partition_->slice().counters(at.get())->lsn < from) at = store_->snapshot();
    const Status copied = transfer.copy(partition_->slice(), *partition_->index().policy, *at);
    EXPECT_TRUE(copied) << copied.error().message;
    for (int round = 0; round < 3; ++round) bring_changes(transfer, *watch);
    stops = true;
    first.join();
    second.join();
    const Partition::Pause pause = partition_->pause_writers();
    bring_changes(transfer, *watch);
    const Result<CommitTicket> finished = transfer.finish(partition_->counters());
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_TRUE(other_store_->wait_durable(*finished));
    partition_->set_watch(nullptr);
    moved_ = Partition::open(*other_store_, clock_, kTargetId, {}, index, rules_).value();
  }
  void bring_changes(Transfer& transfer, ChangeWatch& watch) {
    const std::shared_ptr<const Snapshot> at = store_->snapshot();
    const PartitionCounters seen = partition_->slice().counters(at.get()).value();
    const Status brought = transfer.update({{partition_->slice(), watch.take(seen.lsn), at.get()}});
    EXPECT_TRUE(brought) << brought.error().message;
  }

  // By their keys without the partition's number.
  static Rows rows_of(const Partition& partition, Family family) {
    Rows rows;
    Cursor cursor = partition.slice().cursor(family);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      rows[std::string(cursor.key().substr(sizeof(uint32_t)))] = cursor.value();
    }
    EXPECT_TRUE(cursor.status());
    return rows;
  }
  void expect_consistent_in_its_store(const Partition& partition) {
    const Result<ConsistencyReport> report =
        check_consistency(partition.slice(), key_, {}, *partition.index().policy, rules_->unique_keys);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->messages, testing::IsEmpty());
    EXPECT_EQ(report->counted.documents, partition.counters().documents);
  }
  void expect_moved() {
    ASSERT_TRUE(moved_);
    for (const Family family : {Family::kItems, Family::kKeys, Family::kUnique, Family::kExpiry, Family::kChanges,
                                Family::kVersions, Family::kAttachments}) {
      const Rows before = rows_of(*partition_, family);
      EXPECT_FALSE(before.empty());
      EXPECT_EQ(rows_of(*moved_, family), before) << "family " << static_cast<int>(family);
    }
    const PartitionCounters before = partition_->counters();
    const PartitionCounters after = moved_->counters();
    EXPECT_EQ(after.documents, before.documents);
    EXPECT_EQ(after.record_bytes, before.record_bytes);
    EXPECT_EQ(after.version_bytes, before.version_bytes);
    EXPECT_EQ(after.lsn, before.lsn);
    EXPECT_EQ(after.newest, before.newest);
    expect_consistent_in_its_store(*partition_);
    expect_consistent_in_its_store(*moved_);
  }
  // One that a document of the key value k0 has.
  std::string taken_unique_value() const {
    for (int i = 0; i < kDocuments; i += 10) {
      if (moved_->slice().find(target_key(i)).value()) return fmt::format("u{}", i);
    }
    ADD_FAILURE() << "no document is left";
    return "";
  }
  Result<Partition::Commit> write_moved(int i, const std::string& text, uint64_t number) {
    std::promise<Result<Partition::Commit>> outcome;
    moved_->transact(
        key_value(i),
        [&](Transaction& transaction) -> Status {
          TRY(transaction.find(target_key(i)));
          return transaction.put(target_key(i), item_from_json(number, text));
        },
        [&](Result<Partition::Commit> commit) { outcome.set_value(std::move(commit)); });
    return outcome.get_future().get();
  }

  TestStore other_store_{GetParam()};
  std::shared_ptr<Partition> moved_;
};

// The rows as they are, by sorted ingest.
TEST_P(TransferTest, MovesAPartitionToAnotherStoreWhileItIsWrittenTo) {
  move({kTargetIndex, policy_});
  expect_moved();
}

// Every document anew, because the source reads an index of the former policy, and builds that of the new one.
TEST_P(TransferTest, MovesAPartitionWhoseIndexIsBeingBuiltToAnotherStore) {
  const auto next = policy(R"({"excludedPaths":[{"path":"/n/?"}]})");
  grow_index({IndexId{2}, next});
  ASSERT_TRUE(partition_->fill_index(IndexId{2}));
  move({kTargetIndex, next});
  expect_moved();
  expect_growing_consistent();
}

TEST_P(TransferTest, GoesOnInTheOtherStoreWhereItWas) {
  move({kTargetIndex, policy_});
  const Lsn last = partition_->counters().lsn;
  const uint64_t number = moved_->counters().newest.value + 1;
  const Result<Partition::Commit> taken =
      write_moved(200, fmt::format(R"({{"id":"d200","pk":"k0","u":"{}","_ts":1700000000}})", taken_unique_value()), number);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kAlreadyExists);
  const Result<Partition::Commit> written = write_moved(200, json(200, 1), number);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->lsn.value, last.value + 1);
  clock_.advance_ms(61'000);
  for (int i = 0; i < kDocuments; ++i) {
    const bool is_here = partition_->slice().find(key(key_value(i), id_of(i))).value().has_value();
    EXPECT_EQ(moved_->slice().find(target_key(i)).value().has_value(), is_here) << i;
    if (i % 3 == 1) EXPECT_FALSE(is_here);
  }
}

INSTANTIATE_TEST_SUITE_P(Durabilities, TransferTest, testing::Values(Durability::kRelaxed, Durability::kSynced),
                         PartitionTest::name_of);

}  // namespace
}  // namespace partita
