#include "cluster/offer_use.h"

#include "cluster/test_account.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

Offer offer(Throughput throughput, int64_t ever, uint32_t container = 1) {
  return {
      .number = 1, .database = 1, .container = container, .throughput = throughput, .provisioned_max_ever = ever, .revision = {}};
}
const Throughput kManual{.provisioned = 400, .autoscale_max = std::nullopt};
const Throughput kAutoscale{.provisioned = 400, .autoscale_max = 4000};

}  // namespace

TEST(OfferUse, TheFloorFollowsHistoryStorageAndNumberOfContainers) {
  EXPECT_EQ(throughput_floor(offer(kManual, 400), {}), 400);
  EXPECT_EQ(throughput_floor(offer(kManual, 100'000), {}), 1000);
  EXPECT_EQ(throughput_floor(offer(kManual, 41'000), {}), 500);  // rounded up to a multiple of 100
  EXPECT_EQ(throughput_floor(offer(kManual, 400), {.stored_bytes = 2000ULL << 30}), 2000);
  EXPECT_EQ(throughput_floor(offer(kManual, 400, 0), {.containers = 25}), 400);
  EXPECT_EQ(throughput_floor(offer(kManual, 400, 0), {.containers = 30}), 900);
  EXPECT_EQ(throughput_floor(offer(kAutoscale, 4000), {}), 1000);
  EXPECT_EQ(throughput_floor(offer(kAutoscale, 45'000), {}), 5000);
  EXPECT_EQ(throughput_floor(offer(kAutoscale, 4000), {.stored_bytes = 250ULL << 30}), 3000);
}

TEST(OfferUse, APerformanceLevelIsItsOwnFloor) {
  const Throughput level{.provisioned = 250, .autoscale_max = std::nullopt, .level = PerformanceLevel::kS1};
  EXPECT_EQ(throughput_floor(offer(level, 250), {.stored_bytes = 2000ULL << 30}), 250);
  EXPECT_EQ(present_throughput(offer(level, 250), {.peak_units_per_second = 9999}), 250);
}

TEST(OfferUse, AutoscaleFollowsUseBetweenATenthAndAll) {
  EXPECT_EQ(present_throughput(offer(kManual, 400), {.peak_units_per_second = 9999}), 400);
  EXPECT_EQ(present_throughput(offer(kAutoscale, 4000), {}), 400);
  EXPECT_EQ(present_throughput(offer(kAutoscale, 4000), {.peak_units_per_second = 1234}), 1300);
  EXPECT_EQ(present_throughput(offer(kAutoscale, 4000), {.peak_units_per_second = 9999}), 4000);
}

TEST(OfferUse, TheMaximumOfAutoscaleRisesWithWhatIsStored) {
  const auto raised = [](std::optional<int64_t> percent, uint64_t gigabytes, int64_t max = 4000) -> int64_t {
    const Throughput throughput{.provisioned = max / 10, .autoscale_max = max, .increment_percent = percent};
    const std::optional<Throughput> more = raised_for_storage(offer(throughput, max), {.stored_bytes = gigabytes << 30});
    if (!more) return 0;
    EXPECT_EQ(more->increment_percent, percent);
    EXPECT_EQ(more->provisioned, *more->autoscale_max / 10);
    return *more->autoscale_max;
  };
  EXPECT_EQ(raised(std::nullopt, 400), 0);
  EXPECT_EQ(raised(std::nullopt, 401), 5000);
  EXPECT_EQ(raised(0, 401), 5000);
  EXPECT_EQ(raised(50, 401), 6000);
  EXPECT_EQ(raised(20, 900), 9000);
  EXPECT_EQ(raised(100, 99'999, 900'000), 1'000'000);
  EXPECT_EQ(raised(100, 999'999, 1'000'000), 0);
  EXPECT_FALSE(raised_for_storage(offer(kManual, 400), {.stored_bytes = 4000ULL << 30}));
}

TEST(OfferUse, TheBusiestPartitionCountsForAll) {
  TestAccount account;
  const auto container = account.make_container("c", {"/pk"}, 30'000);
  const std::shared_ptr<const Offer> own = account.catalog->offers().of(container->database->number, container->number);
  Meter& meter = container->places[1].partition->local().meter();
  meter.record(account.clock.steady_us(), "k", 2000);
  account.clock.advance_ms(1000);
  const OfferUse use = use_of(*account.catalog, *own);
  EXPECT_DOUBLE_EQ(use.peak_units_per_second, 6000);
  EXPECT_EQ(use.containers, 1u);
  EXPECT_FALSE(use.is_pending);
}

TEST(OfferUse, IsPendingUntilThereAreEnoughPartitions) {
  TestAccount account;
  const auto container = account.make_container("c", {"/pk"}, 400);
  const std::shared_ptr<const Offer> own = account.catalog->offers().of(container->database->number, container->number);
  const auto raised = account.catalog->offers().replace(own->number, {.provisioned = 20'000, .autoscale_max = std::nullopt});
  ASSERT_TRUE(raised);
  EXPECT_TRUE(use_of(*account.catalog, **raised).is_pending);
}

TEST(OfferUse, OfADatabaseIsThatOfTheContainersThatShareIt) {
  TestAccount account;
  ASSERT_TRUE(account.catalog->create_database("db", Throughput{}));
  account.make_container("shares", {"/pk"});
  account.make_container("shares too", {"/pk"});
  account.make_container("has its own", {"/pk"}, 400);
  const std::shared_ptr<const Offer> shared = account.catalog->offers().of((*account.catalog->database("db"))->number, 0);
  EXPECT_EQ(use_of(*account.catalog, *shared).containers, 2u);
}

}  // namespace partita
