#include "tools/shell/input/statement_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Statement query(std::string text) { return {Statement::Kind::kQuery, std::move(text)}; }
Statement command(std::string text) { return {Statement::Kind::kCommand, std::move(text)}; }

}  // namespace

TEST(StatementSplitter, AQueryEndsWithASemicolon) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.add_line("SELECT *"), IsEmpty());
  EXPECT_TRUE(splitter.is_open());
  EXPECT_THAT(splitter.add_line("FROM c; SELECT 1;"), ElementsAre(query("SELECT *\nFROM c"), query("SELECT 1")));
  EXPECT_FALSE(splitter.is_open());
  EXPECT_THAT(splitter.add_line(" ;; "), IsEmpty());
  EXPECT_FALSE(splitter.is_open());
}

TEST(StatementSplitter, SemicolonsInTextsAndCommentsEndNothing) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.add_line(R"(SELECT ';', "a\";b", 'c\';' ;)"), ElementsAre(query(R"(SELECT ';', "a\";b", 'c\';')")));
  EXPECT_THAT(splitter.add_line("SELECT 1 -- not; here ' nor"), IsEmpty());
  EXPECT_THAT(splitter.add_line("+ 2;"), ElementsAre(query("SELECT 1 -- not; here ' nor\n+ 2")));
  EXPECT_THAT(splitter.add_line("SELECT 'two"), IsEmpty());
  EXPECT_THAT(splitter.add_line("lines;' ;"), ElementsAre(query("SELECT 'two\nlines;'")));
}

TEST(StatementSplitter, CommandsAreLines) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.add_line("  \\ranges "), ElementsAre(command("\\ranges")));
  EXPECT_THAT(splitter.add_line("use shop.orders;"), ElementsAre(command("use shop.orders")));
  EXPECT_THAT(splitter.add_line("SHOW databases"), ElementsAre(command("SHOW databases")));
  EXPECT_THAT(splitter.add_line("exit"), ElementsAre(command("exit")));
  EXPECT_THAT(splitter.add_line("SELECT 1"), IsEmpty());
  EXPECT_THAT(splitter.add_line("use x"), IsEmpty()) << "in a query that is not ended";
  splitter.forget();
  EXPECT_FALSE(is_command("useful"));
}

TEST(StatementSplitter, TheLastOneNeedsNoSemicolon) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.add_line("SELECT 1"), IsEmpty());
  EXPECT_THAT(splitter.finish(), ElementsAre(query("SELECT 1")));
  EXPECT_THAT(splitter.finish(), IsEmpty());
}

TEST(StatementSplitter, GivesUpWhatIsTooLong) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.add_line(std::string(StatementSplitter::kStatementBytesMax, 'x')), IsEmpty());
  EXPECT_TRUE(splitter.is_too_long());
  EXPECT_THAT(splitter.add_line("SELECT 1;"), ElementsAre(query("SELECT 1")));
  EXPECT_FALSE(splitter.is_too_long());
}

}  // namespace partita::tools
