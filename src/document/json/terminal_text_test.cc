#include "document/json/terminal_text.h"

#include <gtest/gtest.h>

namespace partita {

TEST(TerminalText, LeavesWritingAsItIs) {
  for (const char* text : {"", "orders", "Größe 日本語 🙂 e\u0301", "\\u001b", "a\u00A0b"}) EXPECT_EQ(terminal_text(text), text);
}

TEST(TerminalText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(terminal_text("\x1B]0;name\x07\x1B[2J"), "\\u001b]0;name\\u0007\\u001b[2J");
  EXPECT_EQ(terminal_text("a\rb\nc\td\x7F"), "a\\u000db\\u000ac\\u0009d\\u007f");
  EXPECT_EQ(terminal_text("\xC2\x9B"
                          "31m"),
            "\\u009b31m");
  EXPECT_EQ(terminal_text(std::string_view("\0", 1)), "\\u0000");
}

TEST(TerminalText, ShowsWhatChangesTheDirectionOfWriting) {
  EXPECT_EQ(terminal_text("\u202Egnp.exe\u2066\u200F"), "\\u202egnp.exe\\u2066\\u200f");
}

TEST(TerminalText, IsUtf8WhateverItGets) {
  EXPECT_EQ(terminal_text("a\xFF\x9B"
                          "b"),
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(terminal_text("\xED\xA0\x80"), "\\ud800");
}

TEST(TerminalText, KeepsLinesWhereThereAreSome) {
  EXPECT_EQ(terminal_lines("one\n\ttwo\x1B[A\r\n"), "one\n\ttwo\\u001b[A\\u000d\n");
}

}  // namespace partita
