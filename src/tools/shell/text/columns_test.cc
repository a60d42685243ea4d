#include "tools/shell/text/columns.h"

#include <gtest/gtest.h>

namespace partita::tools {

TEST(Columns, AreNoneOneOrTwoForACharacter) {
  EXPECT_EQ(column_count(""), 0u);
  EXPECT_EQ(column_count("Zürich"), 6u);
  EXPECT_EQ(column_count("東京"), 4u);
  EXPECT_EQ(column_count("e\xCC\x81"), 1u) << "a combining accent takes none";
  EXPECT_EQ(column_count("🚲"), 2u);
}

TEST(Columns, TextIsCutWhereItFits) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdef", 5), "abcd…");
  EXPECT_EQ(cut_to("東京都", 5), "東京…");
  EXPECT_EQ(cut_to("東京都", 4), "東…");
  EXPECT_EQ(cut_to("abc", 1), "…");
}

}  // namespace partita::tools
