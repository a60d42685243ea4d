#include "gateway/items/erase_key.h"

#include "cluster/test_account.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

namespace partita {
namespace {

class EraseKeyTest : public testing::Test {
 protected:
  void create(std::string_view key, int id) {
    const std::string json = fmt::format(R"({{"id":"{}","pk":"{}"}})", id, key);
    std::promise<bool> is_created;
    items_.create(container_, json, std::nullopt,
                  [&](const Result<ItemOutcome>& outcome) { is_created.set_value(outcome.has_value()); });
    ASSERT_TRUE(is_created.get_future().get());
  }
  Result<KeyErased> erase(std::string_view key) {
    return erase_key(*account_.catalog, container_, PartitionKey{{std::string(key)}});
  }
  uint64_t documents() const { return container_->places[0].partition->counters().documents; }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
};

}  // namespace

TEST_F(EraseKeyTest, TakesAllDocumentsOfTheKeyAndNoOther) {
  for (int i = 0; i < 250; ++i) create("gone", i);
  for (const char* other : {"gon", "gone2", "gonf", ""}) create(other, 1);
  const Result<KeyErased> erased = erase("gone");
  ASSERT_TRUE(erased);
  EXPECT_GT(erased->charge, 0);
  EXPECT_TRUE(erased->place->partition->is_durable(erased->lsn));
  EXPECT_EQ(documents(), 4u);
  TestAccount::expect_consistent(*container_);
  create("gone", 1);
}

TEST_F(EraseKeyTest, WhatWasBrokenOffIsFinishedAfterARestart) {
  for (int i = 0; i < 250; ++i) create("gone", i);
  create("other", 1);
  const Lsn newest = container_->places[0].partition->counters().lsn;
  ASSERT_TRUE(account_.catalog->erasures().begin(*container_, PartitionKey{{std::string("gone")}}, newest));
  EXPECT_FALSE(*finish_an_erasure(*account_.catalog));  // whoever began it is at it
  create("gone", 1'000);                                // after the deletion began: stays
  account_.reopen();
  container_ = *account_.catalog->container("db", "c");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(finish_an_erasure(*account_.catalog, stop.get_token()));
  EXPECT_EQ(documents(), 252u);
  ASSERT_TRUE(finish_an_erasure(*account_.catalog).value());
  EXPECT_EQ(documents(), 2u);
  TestAccount::expect_consistent(*container_);
  account_.reopen();
  EXPECT_FALSE(*finish_an_erasure(*account_.catalog));
}

TEST_F(EraseKeyTest, ADeletedContainerTakesItsErasuresAlong) {
  ASSERT_TRUE(account_.catalog->erasures().begin(*container_, PartitionKey{{std::string("a")}}, Lsn{100}));
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  account_.reopen();
  EXPECT_FALSE(*finish_an_erasure(*account_.catalog));
}

TEST_F(EraseKeyTest, AKeyWithoutDocumentsIsFine) {
  create("other", 1);
  EXPECT_TRUE(erase("none"));
  EXPECT_EQ(documents(), 1u);
}

}  // namespace partita
