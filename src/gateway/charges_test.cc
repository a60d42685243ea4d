#include "cluster/test_account.h"
#include "gateway/feeds/feed.h"
#include "gateway/items/items.h"
#include "partition/charge/test_published_prices.h"
#include "partition/charge/throttling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace partita {
namespace {

class ChargesTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  // A document of about this many bytes of JSON with twenty or so properties, as documents of a kilobyte have.
  static std::string document(std::string_view id, std::string_view pk, size_t bytes) {
    std::string json = fmt::format(R"({{"id":"{}","pk":"{}")", id, pk);
    for (int i = 0; i < 16; ++i) json += fmt::format(R"(,"property{}":{})", i, i * 1000);
    json += R"(,"text":")";
    if (json.size() + 2 < bytes) json.append(bytes - json.size() - 2, 'x');
    return json + "\"}";
  }

  Result<ItemOutcome> create(const Ptr& container, std::string_view id, std::string_view pk, size_t bytes,
                             RequestTerms terms = {}) {
    std::promise<Result<ItemOutcome>> outcome;
    items_.create(
        container, document(id, pk, bytes), std::nullopt,
        [&](Result<ItemOutcome> result) { outcome.set_value(std::move(result)); }, terms);
    return outcome.get_future().get();
  }
  Result<ItemOutcome> read(const Ptr& container, std::string_view id, std::string_view pk, RequestTerms terms = {}) {
    std::promise<Result<ItemOutcome>> outcome;
    items_.read(
        container, {.id = id, .number = std::nullopt, .key = PartitionKey{{std::string(pk)}}},
        [](const PartitionPlace&) { return 0; }, [&](Result<ItemOutcome> result) { outcome.set_value(std::move(result)); },
        terms);
    return outcome.get_future().get();
  }

  // One key for each partition of the container.
  static std::vector<std::string> key_per_partition(const Container& container) {
    std::map<const PartitionPlace*, std::string> keys;
    for (int i = 0; keys.size() < container.places.size(); ++i) {
      const std::string pk = std::to_string(i);
      const EffectivePartitionKey hash = effective_partition_key(PartitionKey{{pk}}, container.definition.partition_key);
      keys.emplace(&container.place_of(hash), pk);
    }
    std::vector<std::string> all;
    for (const auto& [place, pk] : keys) all.push_back(pk);
    return all;
  }

  // Reads in turn from the keys, twice as fast as `units_per_second` would allow, and returns the units per second it got.
  double driven_rate(const Ptr& container, const std::vector<std::string>& keys, double units_per_second) {
    constexpr int64_t kSeconds = 40;
    const double units = read(container, "big", keys[0])->charge;
    double got = 0;
    double offered = 0;
    size_t turn = 0;
    for (int64_t ms = 0; ms < kSeconds * 1000; ++ms) {
      account_.clock.advance_ms(1);
      for (offered += 2 * units_per_second / 1000; offered >= units; offered -= units) {
        const Result<ItemOutcome> outcome = read(container, "big", keys[turn++ % keys.size()]);
        if (outcome) {
          got += outcome->charge;
          continue;
        }
        EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled);
        EXPECT_GT(retry_after_ms(outcome.error()), 0);
      }
    }
    return got / kSeconds;
  }

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = true}};
  Items items_{account_.clock, account_.documents, account_.random};
};

}  // namespace

TEST_F(ChargesTest, AreWithinATenthOfThePublishedOnes) {
  const Ptr container = account_.make_container("c", {"/pk"}, 10'000);
  constexpr size_t kKilobytesMax = 2040;  // 2 MB with the system properties
  for (const PublishedPrice& row : kPublishedPrices) {
    account_.clock.advance_ms(10'000);
    const std::string id = std::to_string(row.kilobytes);
    const Result<ItemOutcome> written = create(container, id, "p", std::min(row.kilobytes, kKilobytesMax) * 1024);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_NEAR(written->charge, row.write, row.write / 10) << id;
    const Result<ItemOutcome> found = read(container, id, "p");
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->charge, row.read, row.read / 10) << id;
    EXPECT_NEAR(read(container, id, "p", {.reads = ReadPrice::kDouble})->charge, 2 * found->charge, 0.02);  // both are rounded
  }
}

TEST_F(ChargesTest, AMissingDocumentCostsOneUnit) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const Result<ItemOutcome> missing = read(container, "none", "p");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  account_.clock.advance_ms(1000);
  EXPECT_EQ(container->places[0].partition->local().meter().total().milli_units, 1000u);
}

// 25,000 RU/s make three partitions: evenly spread keys reach all of it, one key a third.
TEST_F(ChargesTest, EvenKeysReachTheTotalAndOneHotKeyItsPartitionsShare) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  ASSERT_EQ(container->places.size(), 3u);
  const std::vector<std::string> keys = key_per_partition(*container);
  for (const std::string& key : keys) ASSERT_TRUE(create(container, "big", key, 512 * 1024));
  account_.clock.advance_ms(10'000);
  EXPECT_NEAR(driven_rate(container, keys, 25'000), 25'000, 25'000 * 0.05);
  account_.clock.advance_ms(10'000);
  EXPECT_NEAR(driven_rate(container, {keys[0]}, 25'000), 25'000 / 3.0, 25'000 / 3.0 * 0.05);
}

TEST_F(ChargesTest, AHotKeyStopsOnlyItsOwnPartition) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  const std::vector<std::string> keys = key_per_partition(*container);
  ASSERT_TRUE(create(container, "a", keys[0], 100));
  ASSERT_TRUE(create(container, "a", keys[1], 100));
  container->place_of(effective_partition_key(PartitionKey{{keys[0]}}, container->definition.partition_key))
      .partition->local()
      .meter()
      .charge(20'000);
  EXPECT_EQ(read(container, "a", keys[0]).error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(read(container, "a", keys[1]));
}

TEST_F(ChargesTest, ComingBackWhenToldSucceeds) {
  const Ptr container = account_.make_container("c", {"/pk"}, 400);
  ASSERT_TRUE(create(container, "a", "p", 100 * 1024));
  Result<ItemOutcome> outcome = read(container, "a", "p");
  while (outcome) outcome = read(container, "a", "p");
  account_.clock.advance_ms(*retry_after_ms(outcome.error()) - 1);
  EXPECT_FALSE(read(container, "a", "p"));
  account_.clock.advance_ms(1);
  EXPECT_TRUE(read(container, "a", "p"));
}

TEST_F(ChargesTest, LowPriorityIsRefusedFirst) {
  const Ptr container = account_.make_container("c", {"/pk"}, 400);
  ASSERT_TRUE(create(container, "a", "p", 100));
  container->places[0].partition->local().meter().charge(350);
  EXPECT_EQ(read(container, "a", "p", {.priority = Priority::kLow}).error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(read(container, "a", "p", {.priority = Priority::kHigh}));
  EXPECT_EQ(create(container, "b", "p", 100, {.priority = Priority::kLow}).error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(create(container, "b", "p", 100, {.priority = Priority::kHigh}));
}

TEST_F(ChargesTest, FeedsAreChargedAndRefusedToo) {
  const Ptr container = account_.make_container("c", {"/pk"}, 400);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(create(container, std::to_string(i), "p", 1024));
  account_.clock.advance_ms(1000);
  const auto feed = [&] {
    std::promise<Result<FeedPage>> page;
    read_feed(container, {}, [&](Result<FeedPage> result) { page.set_value(std::move(result)); });
    return page.get_future().get();
  };
  const Result<FeedPage> page = feed();
  ASSERT_TRUE(page);
  EXPECT_GT(page->charge, 1.5);
  container->places[0].partition->local().meter().charge(800);
  EXPECT_EQ(feed().error().code, ErrorCode::kThrottled);
}

TEST_F(ChargesTest, ContainersOfOneDatabaseShareItsBudget) {
  ASSERT_TRUE(account_.catalog->create_database("db", Throughput{.provisioned = 400, .autoscale_max = std::nullopt}));
  const Ptr first = account_.make_container("a", {"/pk"});
  const Ptr second = account_.make_container("b", {"/pk"});
  ASSERT_TRUE(create(second, "a", "p", 100));
  first->places[0].partition->local().meter().charge(1000);
  EXPECT_EQ(read(second, "a", "p").error().code, ErrorCode::kThrottled);
  account_.catalog->offers().reset_budgets();
  EXPECT_TRUE(read(second, "a", "p"));
}

TEST_F(ChargesTest, MoreThroughputHelpsAtOnceAndAfterARestart) {
  const Ptr container = account_.make_container("c", {"/pk"}, 400);
  const std::shared_ptr<const Offer> offer = account_.catalog->offers().of(container->database->number, container->number);
  ASSERT_TRUE(account_.catalog->offers().replace(offer->number, Throughput{.provisioned = 4000, .autoscale_max = std::nullopt}));
  EXPECT_DOUBLE_EQ(container->places[0].partition->local().meter().budget().rate(), 4000);
  account_.reopen();
  const Ptr reopened = *account_.catalog->container("db", "c");
  EXPECT_DOUBLE_EQ(reopened->places[0].partition->local().meter().budget().rate(), 4000);
}

// One partition serves at most 10,000 RU/s, whatever the offer says, until there are enough partitions for it.
TEST_F(ChargesTest, NoPartitionGetsMoreThanOneCanServe) {
  const Ptr container = account_.make_container("c", {"/pk"}, 10'000);
  const std::shared_ptr<const Offer> offer = account_.catalog->offers().of(container->database->number, container->number);
  ASSERT_TRUE(
      account_.catalog->offers().replace(offer->number, Throughput{.provisioned = 25'000, .autoscale_max = std::nullopt}));
  EXPECT_DOUBLE_EQ(container->places[0].partition->local().meter().budget().rate(), 10'000);
}

}  // namespace partita
