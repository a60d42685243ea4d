#include "partition/partition_client.h"

#include "partition/test_partition.h"

namespace partita {
namespace {

class PartitionClientTest : public PartitionTest {
 protected:
  ErrorCode code_of_transact(const PartitionClient& client) {
    std::optional<ErrorCode> code;
    bool has_run = false;
    client.transact(
        "p",
        [&](Transaction&) -> Status {
          has_run = true;
          return {};
        },
        [&](const Result<Partition::Commit>& commit) { code = commit.error().code; });
    EXPECT_FALSE(has_run);
    return code.value();
  }
};

TEST_P(PartitionClientTest, RefusesAnAddressOfAnotherEpoch) {
  ASSERT_TRUE(put("p", "a", 1));
  const PartitionClient current(partition_);
  EXPECT_TRUE(current.find(key("p", "a")).value());
  const PartitionClient stale(partition_, Epoch{kFirstEpoch.value + 1});
  EXPECT_EQ(stale.find(key("p", "a")).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(stale.load(DocumentNumber{1}).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(stale.item_keys(key("p", ""), {}, 10).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(stale.drop_versions(0).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(code_of_transact(stale), ErrorCode::kPartitionGone);
  std::optional<ErrorCode> held;
  stale.hold("p", [&](const Result<Partition::Hold>& hold) { held = hold.error().code; });
  EXPECT_EQ(held, ErrorCode::kPartitionGone);
}

// Otherwise a reader who comes late would be told that documents are missing which are in other partitions now.
TEST_P(PartitionClientTest, SaysGoneAndNotMissingOnceItsRowsMayBeDropped) {
  ASSERT_TRUE(put("p", "a", 1));
  const PartitionClient client(partition_);
  {
    const Partition::Pause pause = partition_->pause_writers();
    partition_->hand_over();
  }
  EXPECT_TRUE(client.find(key("p", "a")).value());
  partition_->close_to_readers();
  WriteBatch batch(*store_);
  partition_->slice().erase_all(batch);
  ASSERT_TRUE(store_->apply(batch));
  EXPECT_EQ(client.find(key("p", "a")).error().code, ErrorCode::kPartitionGone);
  EXPECT_EQ(client.item_keys(key("p", ""), {}, 10).error().code, ErrorCode::kPartitionGone);
}

TEST_P(PartitionClientTest, IsALeaseAsLongAsItLives) {
  EXPECT_EQ(partition_->leases(), 0u);
  {
    const PartitionPtr first = std::make_shared<const PartitionClient>(partition_);
    const PartitionPtr copy = first;
    const PartitionClient second(partition_);
    EXPECT_EQ(partition_->leases(), 2u);
  }
  EXPECT_EQ(partition_->leases(), 0u);
}

TEST_P(PartitionClientTest, ListsPrimaryKeysInPieces) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(put("p", id, 1));
  ASSERT_TRUE(put("q", "a", 1));
  const PartitionClient client(partition_);
  const auto first = client.item_keys(key("p", ""), {}, 2).value();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0], key("p", "a"));
  const auto rest = client.item_keys(key("p", ""), first.back(), 2).value();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0], key("p", "c"));
}

INSTANTIATE_TEST_SUITE_P(Durabilities, PartitionClientTest, testing::Values(Durability::kRelaxed, Durability::kSynced),
                         PartitionTest::name_of);

}  // namespace
}  // namespace partita
