#include "gateway/query/query_shapes.h"

#include "cluster/test_account.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita {

TEST(QueryShapes, KeepTheFrequentOnesOfEachContainer) {
  TestAccount account;
  const auto first = account.make_container("first", {"/pk"}, 400);
  const auto second = account.make_container("second", {"/pk"}, 400);
  QueryShapes shapes(true);
  for (int i = 0; i < 10; ++i) shapes.note(*first, "SELECT often", 2);
  for (int i = 0; i < 1'000; ++i) shapes.note(*first, fmt::format("SELECT rare{}", i), 1);
  shapes.note(*first, std::string(QueryShapes::kTextBytesMax + 1, 'x'), 1);
  const auto kept = shapes.of(*first);
  ASSERT_EQ(kept.size(), QueryShapes::kShapesMax);
  EXPECT_EQ(kept[0].text, "SELECT often");
  EXPECT_EQ(kept[0].pages, 10u);
  EXPECT_DOUBLE_EQ(kept[0].units, 20);
  EXPECT_TRUE(shapes.of(*second).empty());
}

TEST(QueryShapes, AreNotedOnceInAWhile) {
  QueryShapes on(true);
  QueryShapes off(false);
  size_t wanted = 0;
  for (uint64_t i = 0; i < 10 * QueryShapes::kSampling; ++i) {
    wanted += on.wants_next() ? 1 : 0;
    EXPECT_FALSE(off.wants_next());
  }
  EXPECT_EQ(wanted, 10u);
}

}  // namespace partita
