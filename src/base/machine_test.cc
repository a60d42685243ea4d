#include "base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace partita {
namespace {

TEST(Machine, ReadsTheLimitsOfControlGroups) {
  EXPECT_EQ(parse_memory_limit("2147483648"), 2147483648);
  EXPECT_EQ(parse_memory_limit("max"), std::nullopt);
  EXPECT_EQ(parse_memory_limit(""), std::nullopt);
  EXPECT_EQ(parse_processor_limit("200000 100000"), 2);
  EXPECT_EQ(parse_processor_limit("150000 100000"), 2);
  EXPECT_EQ(parse_processor_limit("1000 100000"), 1);
  EXPECT_EQ(parse_processor_limit("max 100000"), std::nullopt);
  EXPECT_EQ(parse_processor_limit("200000"), std::nullopt);
  EXPECT_EQ(parse_processor_limit("200000 0"), std::nullopt);
  EXPECT_EQ(parse_processor_limit(""), std::nullopt);
}

TEST(Machine, HasSomeOfEach) {
  EXPECT_GT(memory_limit(), 1U << 20);
  EXPECT_GE(processor_limit(), 1);
}

TEST(Machine, CountsOnlyTheProcessorsThatTheProcessMayRunOn) {
  size_t seen = 0;
  std::thread([&] {
    cpu_set_t allowed;
    ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    ASSERT_EQ(::sched_setaffinity(0, sizeof allowed, &allowed), 0);
    seen = processor_limit();
  }).join();
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace partita
