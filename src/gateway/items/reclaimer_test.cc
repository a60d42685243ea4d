#include "gateway/items/reclaimer.h"

#include "cluster/test_account.h"
#include "gateway/feeds/change_feed.h"
#include "gateway/feeds/feed.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

namespace partita {
namespace {

class TimeToLiveTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  template <typename Outcome, typename Call>
  static Result<Outcome> wait(Call call) {
    std::promise<Result<Outcome>> outcome;
    call([&](Result<Outcome> result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  Ptr container_with(std::string_view id, std::string_view properties) {
    return account_.make_container(id, {"/pk"}, std::nullopt, "{}", properties);
  }
  std::string create(const Ptr& container, std::string_view id, std::string_view more = "") {
    const std::string json = fmt::format(R"({{"id":"{}","pk":"p"{}}})", id, more);
    const auto outcome =
        wait<ItemOutcome>([&](Items::Callback callback) { items_.create(container, json, std::nullopt, std::move(callback)); });
    return outcome ? "created" : std::string(name_of(outcome.error().code));
  }
  bool is_there(const Ptr& container, std::string_view id) {
    const ItemName name{.id = id, .number = std::nullopt, .key = PartitionKey{{std::string("p")}}};
    const auto no_demand = [](const PartitionPlace&) { return uint64_t{0}; };
    return wait<ItemOutcome>([&](Items::Callback callback) { items_.read(container, name, no_demand, std::move(callback)); })
        .has_value();
  }
  size_t listed(const Ptr& container, std::optional<PartitionKey> key = std::nullopt) {
    std::vector<PendingDurability> pending;
    FeedRequest request;
    request.key = std::move(key);
    return read_feed_page(*container, request, pending)->items.size();
  }
  // A query reads a scan, an index, an index in its order, or only counts.
  std::string queried(const Ptr& container, std::string_view text) {
    const query::Plan plan = query::compile({.text = std::string(text), .parameters = {}}).value();
    const query::Environment environment{.clock = account_.clock, .random = account_.random};
    const QueryPage page =
        wait<QueryPage>([&](auto callback) { run_query(container, plan, {}, environment, std::move(callback)); }).value();
    std::string out;
    for (const std::string& row : page.rows) out += (out.empty() ? "" : " ") + to_json(Value::view(row));
    return out;
  }
  size_t changed(const Ptr& container) {
    return wait<ChangePage>([&](auto callback) { read_changes(container, {}, std::move(callback)); })->items.size();
  }
  static uint64_t stored(const Ptr& container) { return container->places[0].partition->counters().documents; }
  void pass_seconds(int64_t seconds) { account_.clock.advance_ms(seconds * 1000); }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  Reclaimer reclaimer_{*account_.catalog, account_.clock};
};

}  // namespace

TEST_F(TimeToLiveTest, WhatHasExpiredIsGoneOnEveryPathAtOnce) {
  const Ptr container = container_with("c", R"({"defaultTtl":10})");
  create(container, "short", R"(,"ttl":5)");
  create(container, "default");
  create(container, "forever", R"(,"ttl":-1)");
  pass_seconds(4);
  EXPECT_EQ(listed(container), 3u);
  pass_seconds(1);
  EXPECT_FALSE(is_there(container, "short"));
  EXPECT_EQ(listed(container), 2u);
  EXPECT_EQ(listed(container, PartitionKey{{std::string("p")}}), 2u);
  EXPECT_EQ(changed(container), 2u);
  pass_seconds(5);
  EXPECT_FALSE(is_there(container, "default"));
  EXPECT_TRUE(is_there(container, "forever"));
  EXPECT_EQ(stored(container), 3u) << "nothing was removed yet";
}

TEST_F(TimeToLiveTest, NoQuerySeesWhatHasExpired) {
  const Ptr container = container_with("c", R"({"defaultTtl":10})");
  create(container, "a", R"(,"n":1)");
  create(container, "b", R"(,"n":2,"ttl":-1)");
  create(container, "c");
  create(container, "d", R"(,"ttl":-1)");
  const std::string count = "SELECT VALUE COUNT(1) FROM c";
  EXPECT_EQ(queried(container, count), "4");
  EXPECT_EQ(queried(container, "SELECT VALUE c.id FROM c ORDER BY c.n"), R"("c" "d" "a" "b")");
  pass_seconds(10);
  EXPECT_EQ(queried(container, count), "2");
  EXPECT_EQ(queried(container, count + " WHERE c.n > 0"), "1");
  EXPECT_EQ(queried(container, "SELECT VALUE c.id FROM c"), R"("b" "d")");
  EXPECT_EQ(queried(container, "SELECT VALUE c.id FROM c WHERE c.n > 0"), R"("b")");
  EXPECT_EQ(queried(container, "SELECT VALUE c.id FROM c ORDER BY c.n"), R"("d" "b")");
  EXPECT_EQ(queried(container, "SELECT VALUE c.id FROM c ORDER BY c.n DESC"), R"("b" "d")");
}

TEST_F(TimeToLiveTest, AnExpiredIdIsFree) {
  const Ptr container = container_with("c", R"({"defaultTtl":10})");
  EXPECT_EQ(create(container, "a"), "created");
  EXPECT_EQ(create(container, "a"), "AlreadyExists");
  pass_seconds(10);
  EXPECT_EQ(create(container, "a"), "created");
  EXPECT_EQ(stored(container), 1u);
  TestAccount::expect_consistent(*container);
}

TEST_F(TimeToLiveTest, AnExpiredUniqueValueIsFree) {
  const Ptr container = container_with("c", R"({"defaultTtl":10,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})");
  EXPECT_EQ(create(container, "a", R"(,"u":1)"), "created");
  EXPECT_EQ(create(container, "b", R"(,"u":1)"), "AlreadyExists");
  pass_seconds(10);
  EXPECT_EQ(create(container, "b", R"(,"u":1)"), "created");
  EXPECT_EQ(stored(container), 1u);
  TestAccount::expect_consistent(*container);
}

TEST_F(TimeToLiveTest, ExpiredDocumentsAreRemovedAlsoAfterARestart) {
  Ptr container = container_with("c", R"({"defaultTtl":10})");
  for (int i = 0; i < 5; ++i) create(container, fmt::format("default-{}", i));
  for (int i = 0; i < 5; ++i) create(container, fmt::format("short-{}", i), R"(,"ttl":3)");
  for (int i = 0; i < 5; ++i) create(container, fmt::format("long-{}", i), R"(,"ttl":100)");
  EXPECT_EQ(reclaimer_.run_round().value(), 0u);
  pass_seconds(3);
  EXPECT_EQ(reclaimer_.run_round().value(), 5u);
  EXPECT_EQ(stored(container), 10u);
  container.reset();
  account_.reopen();
  container = *account_.catalog->container("db", "c");
  pass_seconds(7);
  Reclaimer reclaimer(*account_.catalog, account_.clock);
  EXPECT_EQ(reclaimer.run_round().value(), 5u);
  EXPECT_EQ(reclaimer.run_round().value(), 0u);
  EXPECT_EQ(stored(container), 5u);
  pass_seconds(100);
  EXPECT_EQ(reclaimer.run_round().value(), 5u);
  EXPECT_EQ(stored(container), 0u);
  TestAccount::expect_consistent(*container);
}

TEST_F(TimeToLiveTest, ARoundIsBounded) {
  const Ptr container = container_with("c", R"({"defaultTtl":10})");
  for (size_t i = 0; i < kReclaimedPerRoundMax + 50; ++i) create(container, fmt::format("{}", i));
  pass_seconds(10);
  EXPECT_EQ(reclaimer_.run_round().value(), kReclaimedPerRoundMax);
  EXPECT_EQ(reclaimer_.run_round().value(), 50u);
  EXPECT_EQ(stored(container), 0u);
}

TEST_F(TimeToLiveTest, AChangedTimeAppliesToWhatIsThereAlready) {
  Ptr container = container_with("c", R"({"defaultTtl":1000})");
  create(container, "a");
  create(container, "b");
  pass_seconds(10);
  EXPECT_EQ(reclaimer_.run_round().value(), 0u);
  container =
      account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, "{}", R"({"defaultTtl":5})")).value();
  EXPECT_FALSE(is_there(container, "a"));
  container = account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"})).value();
  EXPECT_TRUE(is_there(container, "a"));
  EXPECT_EQ(reclaimer_.run_round().value(), 0u);
  container =
      account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, "{}", R"({"defaultTtl":5})")).value();
  EXPECT_EQ(reclaimer_.run_round().value(), 2u);
  EXPECT_EQ(stored(container), 0u);
}

TEST_F(TimeToLiveTest, ADocumentWrittenAgainLivesOn) {
  const Ptr container = container_with("c", R"({"defaultTtl":10})");
  create(container, "a");
  pass_seconds(6);
  ASSERT_TRUE(wait<ItemOutcome>([&](Items::Callback callback) {
    items_.upsert(container, R"({"id":"a","pk":"p"})", std::nullopt, {}, std::move(callback));
  }));
  pass_seconds(6);
  EXPECT_EQ(reclaimer_.run_round().value(), 0u);
  EXPECT_TRUE(is_there(container, "a"));
}

TEST_F(TimeToLiveTest, APartitionThatCannotBeReadKeepsNoOtherFromGivingItsSpaceBack) {
  const Ptr bad = container_with("bad", R"({"defaultTtl":10})");
  const Ptr good = container_with("good", R"({"defaultTtl":10})");
  create(bad, "a");
  create(good, "a");
  WriteBatch batch(*account_.store);
  batch.put(Family::kItems, item_row_key(bad->places[0].partition->id(), DocumentNumber{1}), "garbage");
  ASSERT_TRUE(account_.store->apply(batch));
  pass_seconds(11);
  EXPECT_EQ(reclaimer_.run_round().value(), 1u);
  EXPECT_EQ(stored(good), 0u);
  const std::vector<BackgroundFailure> failures = account_.catalog->failures()->all();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].subject, "dbs/db/colls/bad/pkranges/0");
  EXPECT_FALSE(reclaimer_.run_round());
  EXPECT_EQ(account_.catalog->failures()->all()[0].tries, 1u) << "it is left alone for a while";
}

TEST_F(TimeToLiveTest, ABadTimeIsRefusedEverywhere) {
  EXPECT_EQ(create(container_with("on", R"({"defaultTtl":-1})"), "a", R"(,"ttl":0)"), "InvalidInput");
  EXPECT_EQ(create(container_with("off", "{}"), "a", R"(,"ttl":0)"), "InvalidInput");
}

}  // namespace partita
