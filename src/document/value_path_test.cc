#include "document/value_path.h"

#include <gtest/gtest.h>

namespace partita {

TEST(ValuePath, PrintsAsPoliciesWriteIt) {
  EXPECT_EQ(to_text(ValuePath()), "/");
  EXPECT_EQ(to_text(ValuePath().property("a").property("b c").element().property("q\"")), R"(/a/"b c"/[]/"q\"")");
  EXPECT_EQ(to_text(ValuePath().property("")), R"(/"")");
  EXPECT_EQ(to_text(ValuePath().property("a").cells()), "/a (cells)");
  EXPECT_EQ(to_text(ValuePath().property("a").words()), "/a (words)");
  EXPECT_EQ(to_text(ValuePath().property("a").vector().source()), "/a");
}

TEST(ValuePath, KnowsWhetherADocumentMayHaveManyValuesThere) {
  EXPECT_FALSE(ValuePath().property("a").has_many_values());
  EXPECT_TRUE(ValuePath().property("a").element().property("b").has_many_values());
  EXPECT_TRUE(ValuePath().property("a").cells().has_many_values());
}

}  // namespace partita
