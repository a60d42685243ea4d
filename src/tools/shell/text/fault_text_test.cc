#include "tools/shell/text/fault_text.h"

#include <gtest/gtest.h>

namespace partita::tools {

TEST(FaultText, PointsUnderTheMistake) {
  EXPECT_EQ(point_at("SELECT * FORM c", 9, 13), "  SELECT * FORM c\n           ^^^^\n");
  EXPECT_EQ(point_at("SELECT *\nFORM c\nWHERE 1", 9, 13), "  FORM c\n  ^^^^\n");
  EXPECT_EQ(point_at("SELECT '東京', x y", 18, 19), "  SELECT '東京', x y\n                  ^\n");
}

TEST(FaultText, PointsAtTheEndWhenNothingIsThere) {
  EXPECT_EQ(point_at("SELECT", 6, 6), "  SELECT\n        ^\n");
  EXPECT_EQ(point_at("SELECT", 900, 2), "  SELECT\n        ^\n");
  EXPECT_EQ(point_at("", 0, 0), "  \n  ^\n");
}

}  // namespace partita::tools
