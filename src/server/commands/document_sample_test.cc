#include "server/commands/document_sample.h"

#include "document/stored/stored_writer.h"

#include <gtest/gtest.h>

namespace partita::server {
namespace {

std::vector<int64_t> sampled(size_t size, int64_t documents) {
  std::vector<int64_t> seen;
  DocumentSample sample(size, [&](const Value& document) { seen.push_back(*document.integer()); });
  for (int64_t i = 0; i < documents; ++i) {
    StoredWriter writer;
    writer.integer(i);
    sample.add(writer.view());
  }
  sample.finish();
  return seen;
}

}  // namespace

TEST(DocumentSample, PassesAllOnWithoutASize) { EXPECT_EQ(sampled(0, 1'000).size(), 1'000u); }

TEST(DocumentSample, TakesFromEverywhereInOrder) {
  const std::vector<int64_t> seen = sampled(1'000, 100'000);
  ASSERT_EQ(seen.size(), 1'000u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(seen, [](int64_t number) { return number < 50'000; })), 500, 80);
}

TEST(DocumentSample, TakesAllWhenThereAreFewer) { EXPECT_EQ(sampled(1'000, 10).size(), 10u); }

}  // namespace partita::server
