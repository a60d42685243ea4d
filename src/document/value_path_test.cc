#include "document/value_path.h"

#include <gtest/gtest.h>

namespace partita {

TEST(ValuePath, PrintsAsPoliciesWriteIt) {
  EXPECT_EQ(to_text(ValuePath()), "/");
  EXPECT_EQ(to_text(ValuePath().property("a").property("b c").element().property("q\"")), R"(/a/"b c"/[]/"q\"")");
  EXPECT_EQ(to_text(ValuePath().property("")), R"(/"")");
}

TEST(ValuePath, KnowsWhetherItPassesThroughArrays) {
  EXPECT_FALSE(ValuePath().property("a").has_element_step());
  EXPECT_TRUE(ValuePath().property("a").element().property("b").has_element_step());
}

}  // namespace partita
