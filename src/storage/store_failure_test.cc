#include "storage/store.h"

#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace partita {
namespace {

using testing::HasSubstr;

constexpr size_t kTooMuch = 3 * FailingDisk::kFileBytesMax;

Status put(Store& store, std::string_view key, std::string_view value) {
  WriteBatch batch(store);
  batch.put(Family::kItems, key, value);
  batch.put(Family::kKeys, key, "");
  return store.apply_durably(batch);
}

}  // namespace

TEST(StoreFailure, AFailingDiskRefusesWritesAndLosesNothing) {
  TestStore store(Durability::kSynced);
  ASSERT_TRUE(put(*store, "before", "1"));
  {
    const FailingDisk failing;
    const Status refused = put(*store, "large", std::string(kTooMuch, 'x'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kStorageFailure);
    ASSERT_TRUE(store->failure());
    const Status next = put(*store, "next", "2");
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::kStorageFailure);
    std::string value;
    EXPECT_EQ(store->get(Family::kItems, "before", value), true) << "reads go on";
    EXPECT_EQ(value, "1");
  }
  store.reopen();
  ASSERT_TRUE(put(*store, "after", "3"));
  std::string value;
  EXPECT_EQ(store->get(Family::kItems, "before", value), true);
  EXPECT_EQ(store->get(Family::kItems, "after", value), true);
  const Rows items = rows_of(*store, Family::kItems);
  const Rows keys = rows_of(*store, Family::kKeys);
  ASSERT_EQ(items.size(), keys.size()) << "a write that was not acknowledged is there as a whole or not at all";
  for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items[i].first, keys[i].first);
  EXPECT_TRUE(store->verify_checksums());
}

TEST(StoreFailure, TheReasonIsTold) {
  TestStore store(Durability::kSynced);
  const FailingDisk failing;
  ASSERT_FALSE(put(*store, "large", std::string(kTooMuch, 'x')));
  while (!store->failure()) std::this_thread::yield();
  EXPECT_THAT(*store->failure(), HasSubstr("File too large"));
}

}  // namespace partita
