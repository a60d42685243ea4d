#include "partition/heat/tally.h"

#include "engine/test_items.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

class TallyTest : public testing::Test {
 protected:
  void put(PartitionId partition, uint64_t number, std::string_view json) {
    WriteBatch batch(*store_);
    batch.put(Family::kItems, item_row_key(partition, DocumentNumber{number}), item_from_json(number, json).record);
    ASSERT_TRUE(store_->apply(batch));
  }
  Tally tally(PartitionId partition) { return tally_of(Slice(*store_, partition, IndexId{1}), *store_->snapshot()).value(); }

  TestStore store_{Durability::kRelaxed};
};

}  // namespace

TEST_F(TallyTest, OfTheHalvesIsThatOfTheWhole) {
  put(PartitionId{1}, 1, R"({"id":"a"})");
  put(PartitionId{1}, 2, R"({"id":"b"})");
  put(PartitionId{2}, 2, R"({"id":"b"})");
  put(PartitionId{3}, 1, R"({"id":"a"})");
  Tally halves = tally(PartitionId{2});
  halves += tally(PartitionId{3});
  EXPECT_EQ(halves.documents, 2);
  EXPECT_EQ(halves, tally(PartitionId{1}));
}

TEST_F(TallyTest, NoticesAnotherContentAndAnotherNumber) {
  put(PartitionId{1}, 1, R"({"id":"a"})");
  put(PartitionId{2}, 1, R"({"id":"b"})");
  put(PartitionId{3}, 2, R"({"id":"a"})");
  EXPECT_NE(tally(PartitionId{1}), tally(PartitionId{2}));
  EXPECT_NE(tally(PartitionId{1}), tally(PartitionId{3}));
}

}  // namespace partita
