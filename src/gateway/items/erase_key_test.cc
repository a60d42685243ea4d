#include "gateway/items/erase_key.h"

#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>

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
  std::optional<Partition::Hold> hold(std::string_view key) const {
    const Location at = locate(*container_, PartitionKey{{std::string(key)}}, {});
    std::optional<Partition::Hold> held;
    at.place->partition->hold(at.logical_partition, [&](Result<Partition::Hold> granted) { held.emplace(*std::move(granted)); });
    return held;
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

// Scripts may keep a key value for hours, one after the other.
TEST_F(EraseKeyTest, LeavesItsWorkerToOthersWhileItWaits) {
  for (int i = 0; i < 250; ++i) create("busy", i);
  std::optional<Partition::Hold> held = hold("busy");
  FairScheduler workers(
      {.limits = {.slots = 1, .places = 4, .waiting_max = 4, .waiting_per_database_max = 4, .waiting_per_container_max = 4}},
      account_.clock);
  std::promise<bool> is_erased;
  std::promise<void> is_other_done;
  workers.submit(
      {.tenant = {1, 1},
       .run =
           [&](Turn& turn) {
             is_erased.set_value(
                 erase_key(*account_.catalog, container_, PartitionKey{{std::string("busy")}}, {.turn = &turn}).has_value());
           },
       .refuse = [](const Error&) { FAIL(); }});
  workers.submit({.tenant = {2, 1}, .run = [&](Turn&) { is_other_done.set_value(); }, .refuse = [](const Error&) { FAIL(); }});
  is_other_done.get_future().wait();
  std::future<bool> erased = is_erased.get_future();
  EXPECT_EQ(erased.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  held.reset();
  EXPECT_TRUE(erased.get());
  EXPECT_EQ(documents(), 0u);
}

TEST_F(EraseKeyTest, EndsWhenNobodyWaitsForIt) {
  for (int i = 0; i < 250; ++i) create("busy", i);
  std::optional<Partition::Hold> held = hold("busy");
  std::promise<Error> ended;
  {
    FairScheduler workers(
        {.limits = {.slots = 1, .places = 1, .waiting_max = 1, .waiting_per_database_max = 1, .waiting_per_container_max = 1}},
        account_.clock);
    std::promise<void> is_running;
    workers.submit({.tenant = {1, 1},
                    .run =
                        [&](Turn& turn) {
                          is_running.set_value();
                          const ErasePatience patience{.turn = &turn};
                          ended.set_value(
                              erase_key(*account_.catalog, container_, PartitionKey{{std::string("busy")}}, patience).error());
                        },
                    .refuse = [](const Error&) { FAIL(); }});
    is_running.get_future().wait();
    workers.stop();
  }
  EXPECT_EQ(ended.get_future().get().code, ErrorCode::kUnavailable);
  held.reset();
  // It was journaled, and what was begun goes on.
  EXPECT_TRUE(finish_an_erasure(*account_.catalog).value());
  EXPECT_EQ(documents(), 0u);
  EXPECT_FALSE(*finish_an_erasure(*account_.catalog));
}

TEST_F(EraseKeyTest, HousekeepingGoesOnWithoutIt) {
  for (int i = 0; i < 250; ++i) create("busy", i);
  const Lsn newest = container_->places[0].partition->counters().lsn;
  ASSERT_TRUE(account_.catalog->erasures().begin(*container_, PartitionKey{{std::string("busy")}}, newest));
  account_.reopen();
  container_ = *account_.catalog->container("db", "c");
  std::optional<Partition::Hold> held = hold("busy");
  EXPECT_FALSE(finish_an_erasure(*account_.catalog, {}, std::chrono::milliseconds(10)));
  EXPECT_EQ(documents(), 250u);
  held.reset();
  EXPECT_EQ(documents(), 0u) << "what was begun goes on";
}

TEST_F(EraseKeyTest, AKeyWithoutDocumentsIsFine) {
  create("other", 1);
  EXPECT_TRUE(erase("none"));
  EXPECT_EQ(documents(), 1u);
}

}  // namespace partita
