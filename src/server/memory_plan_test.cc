#include "server/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::server {
namespace {

constexpr uint64_t kMegabyte = 1ULL << 20;

uint64_t sum_of(const MemoryPlan& plan) {
  return plan.base_bytes + plan.catalog_bytes + plan.work_bytes + plan.cache_bytes + plan.memtable_bytes + plan.network_bytes +
         plan.query_bytes + plan.ahead_bytes + plan.staged_bytes + plan.script_hosts * kScriptHostBytes;
}

std::string complaint(const MemoryWish& wish) {
  const Result<MemoryPlan> plan = MemoryPlan::divide(wish);
  return plan ? "accepted" : plan.error().message;
}

TEST(MemoryPlan, PartsNeverAddUpToMoreThanTheWhole) {
  for (const uint64_t megabytes : {1024UL, 1500UL, 2048UL, 4096UL, 16384UL, 262144UL}) {
    for (const uint64_t cache_megabytes : {0UL, 16UL, 140UL}) {
      const Result<MemoryPlan> plan = MemoryPlan::divide(
          {.memory_bytes = megabytes * kMegabyte, .cache_bytes = cache_megabytes * kMegabyte, .script_hosts = 34});
      ASSERT_TRUE(plan) << plan.error().message;
      EXPECT_LE(sum_of(*plan), megabytes * kMegabyte) << plan->describe();
      EXPECT_GE(plan->network_bytes, 16 * kMegabyte) << plan->describe();
      EXPECT_GE(plan->memtable_bytes, 12 * kMegabyte) << plan->describe();
      EXPECT_GE(plan->connections_max, 1000U);
      EXPECT_LE(plan->query_bytes_each, plan->query_bytes / 2);
      if (cache_megabytes > 0) EXPECT_EQ(plan->cache_bytes, cache_megabytes * kMegabyte);
    }
  }
}

TEST(MemoryPlan, HasNoMoreScriptHostsThanThereIsWorkFor) {
  EXPECT_EQ(MemoryPlan::divide({.memory_bytes = 64'000 * kMegabyte, .script_hosts = 4})->script_hosts, 4U);
  EXPECT_EQ(MemoryPlan::divide({.memory_bytes = 1024 * kMegabyte, .script_hosts = 4})->script_hosts, 2U);
}

TEST(MemoryPlan, SaysWhatIsTooSmallOrTooLarge) {
  EXPECT_THAT(complaint({.memory_bytes = 100 * kMegabyte}), testing::HasSubstr("--memory-mb 100 is too small"));
  EXPECT_THAT(complaint({.memory_bytes = 1100 * kMegabyte, .cache_bytes = 600 * kMegabyte}),
              testing::HasSubstr("--cache-mb 600 is too much"));
}

TEST(MemoryPlan, FindsAShareOfTheMachineByItself) {
  const Result<MemoryPlan> plan = MemoryPlan::divide({});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_GE(plan->memory_bytes, kMemoryBytesMin);
}

}  // namespace
}  // namespace partita::server
