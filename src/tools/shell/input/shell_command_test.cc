#include "tools/shell/input/shell_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools {

using testing::ElementsAre;

TEST(ShellCommand, HasWordsWhichJsonDoesNotDivide) {
  const ShellCommand command = parse_command("\\run  bulk [1, \"a b\", {\"c\": [2]}] --key \"ada lovelace\"").value();
  EXPECT_EQ(command.name, CommandName::kRun);
  EXPECT_THAT(command.words, ElementsAre("bulk", R"([1, "a b", {"c": [2]}])"));
  EXPECT_EQ(command.key, R"("ada lovelace")");
  EXPECT_THAT(parse_command("USE shop.orders").value().words, ElementsAre("shop.orders"));
  EXPECT_EQ(parse_command("\\explain SELECT  1").value().rest, "SELECT  1");
  EXPECT_EQ(parse_command("exit").value().name, CommandName::kQuit);
}

TEST(ShellCommand, TakesAKeyThatIsNoJsonForAText) {
  EXPECT_EQ(word_as_json("ada"), R"("ada")");
  EXPECT_EQ(word_as_json("42"), "42");
  EXPECT_EQ(word_as_json(R"("42")"), R"("42")");
  EXPECT_EQ(word_as_json(R"(["a",1])"), R"(["a",1])");
  EXPECT_EQ(word_as_json("[1"), R"("[1")");
}

TEST(ShellCommand, SaysWhatIsWrong) {
  EXPECT_EQ(parse_command("\\nonsense").error().message, "there is no command \\nonsense; \\help lists them");
  EXPECT_FALSE(parse_command(""));
  EXPECT_FALSE(parse_command("\\run p --key"));
  EXPECT_EQ(parse_command(R"(\edit "1)").value().words.size(), 1u);
}

}  // namespace partita::tools
