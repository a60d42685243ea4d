#include "query/sql/parser.h"

#include "query/sql/printer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace partita::query::sql {
namespace {

std::string canonical(std::string_view text) {
  auto query = parse(text);
  return query ? print(*query) : query.error().message;
}

// The canonical form of one expression.
std::string expression(std::string_view text) {
  auto query = parse(fmt::format("SELECT VALUE {}", text));
  return query ? print(*query->selection.items[0].expression) : query.error().message;
}

std::string syntax_error(std::string_view near, int start, int end) {
  return fmt::format(R"({{"errors":[{{"severity":"Error","location":{{"start":{},"end":{}}},"code":"SC1001",)"
                     R"("message":"Syntax error, incorrect syntax near '{}'."}}]}})",
                     start, end, near);
}

std::string repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parser, PrintsOneClausePerLine) {
  EXPECT_EQ(canonical("select distinct top 3 c.a as x, c.b y, c['z z'] from root c join t in c.tags join (select value 1) z "
                      "where c.a > 1 group by c.a, c.b order by c.a desc, c.b asc, c.c offset 1 limit @n"),
            "SELECT DISTINCT TOP 3 c.a AS x, c.b AS y, c[\"z z\"]\n"
            "FROM root AS c\n"
            "JOIN t IN c.tags\n"
            "JOIN (\n"
            "    SELECT VALUE 1\n"
            ") AS z\n"
            "WHERE (c.a > 1)\n"
            "GROUP BY c.a, c.b\n"
            "ORDER BY c.a DESC, c.b ASC, c.c\n"
            "OFFSET 1 LIMIT @n");
}

TEST(Parser, BindsOperatorsInTheOrderOfTheLanguage) {
  EXPECT_EQ(expression("1 + 2 * 3 - 4"), "((1 + (2 * 3)) - 4)");
  EXPECT_EQ(expression("a OR b AND c"), "(a OR (b AND c))");
  EXPECT_EQ(expression("NOT a = b AND c"), "((NOT (a = b)) AND c)");
  EXPECT_EQ(expression("NOT a IN (1, 2)"), "(NOT (a IN (1, 2)))");
  EXPECT_EQ(expression("a = b || c"), "((a = b) || c)");
  EXPECT_EQ(expression("a | b ^ c & d = e"), "(a | (b ^ (c & (d = e))))");
  EXPECT_EQ(expression("a < b + 1 << 2"), "(a < ((b + 1) << 2))" + std::string());
  EXPECT_EQ(expression("a >>> 1 >> 2"), "((a >>> 1) >> 2)");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
  EXPECT_EQ(expression("a ?? b OR c"), "(a ?? (b OR c))");
  EXPECT_EQ(expression("a BETWEEN 1 AND 2 AND b"), "((a BETWEEN 1 AND 2) AND b)");
  EXPECT_EQ(expression("a NOT BETWEEN 1 + 1 AND 3"), "(a NOT BETWEEN (1 + 1) AND 3)");
  EXPECT_EQ(expression("a NOT LIKE 'x%' ESCAPE '!'"), "(a NOT LIKE \"x%\" ESCAPE \"!\")");
  EXPECT_EQ(expression("-a * ~b"), "((- a) * (~ b))");
  EXPECT_EQ(expression("a <> b"), "(a != b)");
  EXPECT_EQ(expression("- - 5"), "5");
  EXPECT_EQ(expression("-(5)"), "-5");
  EXPECT_EQ(expression("3 -1"), "(3 - 1)");
}

TEST(Parser, KeepsChainsFlatAndPrintsThemNested) {
  EXPECT_EQ(expression("a AND b AND c"), "((a AND b) AND c)");
  EXPECT_EQ(expression("((a AND b) AND c)"), "((a AND b) AND c)");
  EXPECT_EQ(expression("a AND (b AND c)"), "(a AND (b AND c))");
}

TEST(Parser, ReadsEveryKindOfPrimary) {
  EXPECT_EQ(expression("[1, 'a', [], {}, true, false, null, undefined]"), "[1, \"a\", [], {}, true, false, null, undefined]");
  EXPECT_EQ(expression("{a: 1, 'b': 2, \"c d\": 3, value: 4}"), R"({"a": 1, "b": 2, "c d": 3, "value": 4})");
  EXPECT_EQ(expression("udf.f(1, @p)"), "udf.f(1, @p)");
  EXPECT_EQ(expression("Left('a', 1)"), "Left(\"a\", 1)");
  EXPECT_EQ(expression("EXISTS(SELECT VALUE 1)"), "EXISTS(\n    SELECT VALUE 1\n)");
  EXPECT_EQ(expression("ARRAY(SELECT 1)[0].a"), "ARRAY(\n    SELECT 1\n)[0].a");
  EXPECT_EQ(expression("all"), "all");
  EXPECT_EQ(expression("c.order.value"), "c.order.value");
  EXPECT_EQ(expression("(c).a[b.c]['x']"), "c.a[b.c][\"x\"]");
}

TEST(Parser, ReadsNumbers) {
  EXPECT_EQ(expression("0x1F"), "31");
  EXPECT_EQ(expression(".5"), "0.5");
  EXPECT_EQ(expression("5."), "5");
  EXPECT_EQ(expression("007"), "7");
  EXPECT_EQ(expression("1e3"), "1000");
  EXPECT_EQ(expression("0.1"), "0.10000000000000001");
  EXPECT_EQ(expression("9007199254740993"), "9007199254740993");
  EXPECT_EQ(expression("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(expression("1e-400"), "0");
  EXPECT_TRUE(expression("1e400").contains("SC1012"));
  EXPECT_TRUE(expression("12abc").contains("SC1012"));
}

TEST(Parser, ReadsStringsWithEscapes) {
  EXPECT_EQ(expression(R"('it\'s "x" \u0041\n')"), R"("it's \"x\" A\n")");
  EXPECT_EQ(expression(R"("\ud83d\ude00")"), "\"\U0001F600\"");
  EXPECT_EQ(expression(R"("\ud83d")"), R"("\ud83d")");
  EXPECT_TRUE(expression("'abc").contains("SC1010"));
  EXPECT_TRUE(expression(R"('\q')").contains("SC1010"));
}

TEST(Parser, SkipsComments) { EXPECT_EQ(canonical("SELECT -- a comment\n * FROM c -- the end"), "SELECT *\nFROM c"); }

TEST(Parser, ReadsIdentifiersOutsideAscii) { EXPECT_EQ(expression("großÄ.名前"), "großÄ.名前"); }

TEST(Parser, SaysWhereASyntaxErrorIs) {
  EXPECT_EQ(canonical("SELECT TOP -1 c.name FROM c"), syntax_error("-", 11, 12));
  EXPECT_EQ(canonical("SELECT c.name FROM c OFFSET 10 LIMIT -1"), syntax_error("-", 37, 38));
  EXPECT_EQ(canonical("SELECT a, FROM c"), syntax_error("FROM", 10, 14));
  EXPECT_EQ(canonical("SELECT * FROM c WHERE c.x IN ()"), syntax_error(")", 30, 31));
  EXPECT_EQ(canonical("SELECT * FROM c OFFSET 1"),
            R"({"errors":[{"severity":"Error","location":{"start":24,"end":24},"code":"SC1001",)"
            R"("message":"Syntax error, unexpected end of the query text."}]})");
  EXPECT_EQ(canonical("SELECT '\U0001F600' ;"), syntax_error(";", 12, 13));
}

TEST(Parser, TakesLongChainsAndLists) {
  std::string chain = "SELECT * FROM c WHERE c.a = 0" + repeat(" OR c.a = 1 AND c.b = 2", 5000);
  EXPECT_TRUE(parse(chain).has_value());
  EXPECT_EQ(canonical(canonical(chain)), canonical(chain));
  EXPECT_TRUE(parse("SELECT * FROM c WHERE c.a IN (0" + repeat(",123456", 16000) + ")").has_value());
  std::string generated = "SELECT * FROM c WHERE " + repeat("(", 5000) + "c.a" + repeat(" OR c.b)", 5000);
  EXPECT_TRUE(parse(generated).has_value());
}

TEST(Parser, BoundsNestingWithAClearError) {
  for (std::string_view open : {"(1 + ", "[", "{a: ", "ABS(", "(SELECT VALUE ", "a[", "NOT ", "- ", "~", "a ? 1 : ", "1 IN ("}) {
    auto query = parse("SELECT VALUE " + repeat(open, 10000));
    ASSERT_FALSE(query.has_value()) << open;
    EXPECT_TRUE(query.error().message.contains("nested deeper")) << query.error().message;
  }
  auto chain = parse("SELECT VALUE 1" + repeat(" + 1", 2000));
  ASSERT_FALSE(chain.has_value());
  EXPECT_TRUE(chain.error().message.contains("operators"));
}

TEST(Parser, RefusesTextsThatAreTooLongOrNotUtf8) {
  EXPECT_FALSE(parse("SELECT '" + std::string(kQueryTextBytesMax, 'x') + "'").has_value());
  EXPECT_FALSE(parse("SELECT '\xFF'").has_value());
}

}  // namespace
}  // namespace partita::query::sql
