#include "server/memory_limit.h"

#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <fstream>

namespace partita::server {
namespace {

constexpr uint64_t kGigabyte = 1ULL << 30;

TEST(MemoryLimit, IsTheLeastOfMachineAndContainer) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/memory.max";
  const auto limit_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    const std::string files[] = {directory.path() + "/missing", path};
    return memory_limit(8 * kGigabyte, files);
  };
  EXPECT_EQ(limit_of("2147483648\n"), 2 * kGigabyte);
  EXPECT_EQ(limit_of("max\n"), 8 * kGigabyte);
  EXPECT_EQ(limit_of("9223372036854771712\n"), 8 * kGigabyte);
  EXPECT_EQ(limit_of(""), 8 * kGigabyte);
}

TEST(MemoryLimit, TheCacheTakesAnEighthWithinBounds) {
  EXPECT_EQ(default_cache_bytes(16 * kGigabyte), 2 * kGigabyte);
  EXPECT_EQ(default_cache_bytes(256ULL << 20), 64ULL << 20);
  EXPECT_EQ(default_cache_bytes(512 * kGigabyte), 4 * kGigabyte);
}

}  // namespace
}  // namespace partita::server
