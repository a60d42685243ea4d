#include "tools/top/live_screen.h"

#include <gtest/gtest.h>

namespace partita::tools {

TEST(LiveScreen, AFrameIsDrawnOverTheLastOne) {
  EXPECT_EQ(screen_frame("a\nbc\n", {.lines = 5}), "\x1b[Ha\x1b[K\r\nbc\x1b[K\x1b[J");
  EXPECT_EQ(screen_frame("a\nbc\n", {.lines = 2}), "\x1b[Ha\x1b[K\r\nbc\x1b[K\x1b[J");
}

TEST(LiveScreen, WhatDoesNotFitIsCountedInTheLastLine) {
  EXPECT_EQ(screen_frame("1\n2\n3\n4\n", {.lines = 3}),
            "\x1b[H1\x1b[K\r\n2\x1b[K\r\n... 2 more lines; a higher window shows them\x1b[K\x1b[J");
}

}  // namespace partita::tools
