#include "document/json/json.h"
#include "query/distribute/distributed_query.h"
#include "query/optimise/predicates/plan_predicates.h"
#include "query/query.h"
#include "query/sql/parser.h"
#include "query/work_meter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

// What a client can make the front end do before the first document is read.
namespace partita::query {
namespace {

std::string repeated(size_t count, std::string_view separator, const std::function<std::string(size_t)>& part) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += separator;
    out += part(i);
  }
  return out;
}

std::string times(size_t count, std::string_view text) {
  return repeated(count, "", [&](size_t) { return std::string(text); });
}

QuerySpecification plain(std::string text) { return {std::move(text), {}}; }

QuerySpecification where(const std::string& filter) { return plain("SELECT * FROM c WHERE " + filter); }

// Everything that is done with a text on its way to a plan, an access path, a continuation, an explanation and a client's plan.
void prepare(const QuerySpecification& specification) {
  const Result<Plan> plan = compile(specification);
  PartitionKeyDefinition definition;
  definition.paths.push_back(*DocumentPath::parse("/pk"));
  (void)distribute(specification, definition);
  (void)resumption_text(specification);
  (void)advice_on(specification);
  if (!plan) return;
  (void)to_text(access_of(*plan, AllPaths()));
  (void)filter_predicates(*plan, AllPaths());
  (void)order_predicates(*plan);
  (void)to_text(*plan);
}

struct Shape {
  const char* name;
  size_t terms;  // of the longer text
  QuerySpecification (*make)(size_t terms);
};

const Shape kShapes[] = {
    {"AndOfPaths", 8000,
     [](size_t n) { return where(repeated(n, " AND ", [](size_t i) { return fmt::format("c.a{} = {}", i, i); })); }},
    {"AndOfOnePath", 8000,
     [](size_t n) { return where(repeated(n, " AND ", [](size_t i) { return fmt::format("c.a != {}", i); })); }},
    {"AndOfTests", 4000,
     [](size_t n) { return where(repeated(n, " AND ", [](size_t i) { return fmt::format("CONTAINS(c.a{}, 'x')", i); })); }},
    {"AndOfKeys", 8000,
     [](size_t n) {
       return where("c.pk IN (" + repeated(n, ",", [](size_t i) { return fmt::format("{}", i); }) + ") AND " +
                    repeated(n, " AND ", [](size_t i) { return fmt::format("c.x{} = 1", i); }));
     }},
    {"AndOfKeyLists", 400,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t) {
         return "(" + repeated(40, " OR ", [](size_t i) { return fmt::format("c.pk = {}", i); }) + ")";
       }));
     }},
    {"OrOfPaths", 8000,
     [](size_t n) { return where(repeated(n, " OR ", [](size_t i) { return fmt::format("c.a{} = {}", i, i); })); }},
    {"OrOfOnePath", 8000,
     [](size_t n) { return where(repeated(n, " OR ", [](size_t i) { return fmt::format("c.a = {}", i); })); }},
    {"OrInParentheses", 8000,
     [](size_t n) {
       return where(times(n, "(") + "c.a = 0" + repeated(n, "", [](size_t i) { return fmt::format(" OR c.a = {})", i); }));
     }},
    {"In", 20000,
     [](size_t n) { return where("c.a IN (" + repeated(n, ",", [n](size_t i) { return fmt::format("{}", i * 7 % n); }) + ")"); }},
    {"NotIn", 20000,
     [](size_t n) { return where("c.a NOT IN (" + repeated(n, ",", [](size_t i) { return fmt::format("{}", i); }) + ")"); }},
    {"Between", 6000,
     [](size_t n) {
       return where(repeated(n, " OR ", [](size_t i) { return fmt::format("c.a BETWEEN {} AND {}", 2 * i, 2 * i + 1); }));
     }},
    {"Like", 6000,
     [](size_t n) { return where(repeated(n, " OR ", [](size_t i) { return fmt::format("c.a LIKE '{}%'", i); })); }},
    {"SumsOfPaths", 100,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t i) { return fmt::format("c.a{}{} > 0", i, times(200, "+c.b")); }));
     }},
    {"Concatenations", 100,
     [](size_t n) {
       return plain("SELECT " + repeated(n, ",", [](size_t i) { return fmt::format("c.a{} AS x{}", times(200, "||'b'"), i); }) +
                    " FROM c");
     }},
    {"Conditionals", 300,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t i) { return times(50, "c.a ? 1 : ") + fmt::format("c.b{}", i); }));
     }},
    {"Array", 20000, [](size_t n) { return plain("SELECT VALUE [" + repeated(n, ",", [](size_t) { return "1"; }) + "]"); }},
    {"NestedArrays", 200,
     [](size_t n) {
       return plain("SELECT VALUE [" + repeated(n, ",", [](size_t) { return times(100, "[") + "1" + times(100, "]"); }) + "]");
     }},
    {"Object", 8000,
     [](size_t n) {
       return plain("SELECT VALUE {" + repeated(n, ",", [](size_t i) { return fmt::format("a{}:c.b", i); }) + "} FROM c");
     }},
    {"SelectList", 8000,
     [](size_t n) { return plain("SELECT " + repeated(n, ",", [](size_t i) { return fmt::format("c.a{}", i); }) + " FROM c"); }},
    {"MembersOfARow", 6000,
     [](size_t n) {
       return plain("SELECT VALUE 1 FROM (SELECT " + repeated(n, ",", [](size_t i) { return fmt::format("c.a{}", i); }) +
                    " FROM c) r WHERE " + repeated(n, " AND ", [](size_t i) { return fmt::format("r.a{} = 1", i); }));
     }},
    {"Subqueries", 2000,
     [](size_t n) {
       return where(repeated(n, " AND ",
                             [](size_t i) { return fmt::format("EXISTS(SELECT VALUE t FROM t IN c.a{} WHERE t = {})", i, i); }));
     }},
    {"CountsOfRows", 2000,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t i) { return fmt::format("(SELECT VALUE COUNT(1) FROM t IN c.a{}) > 1", i); }));
     }},
    {"OrderBy", 8000,
     [](size_t n) {
       return plain("SELECT DISTINCT VALUE c.a FROM c ORDER BY " +
                    repeated(n, ",", [](size_t i) { return fmt::format("c.a{}", i); }));
     }},
    {"GroupBy", 4000,
     [](size_t n) {
       const auto keys = repeated(n, ",", [](size_t i) { return fmt::format("c.a{}", i); });
       return plain("SELECT " + keys + " FROM c GROUP BY " + keys);
     }},
    {"GroupByOneSum", 100,
     [](size_t n) {
       return plain("SELECT " + repeated(n, ",", [](size_t i) { return fmt::format("1{} AS x{}", times(300, "+1"), i); }) +
                    " FROM c GROUP BY c.a+1");
     }},
    {"Aggregates", 4000,
     [](size_t n) {
       return plain("SELECT " + repeated(n, ",", [](size_t i) { return fmt::format("SUM(c.a{})", i); }) + " FROM c");
     }},
    {"Parameters", 6000,
     [](size_t n) {
       auto query = where(repeated(n, " OR ", [](size_t i) { return fmt::format("c.a = @p{}", i); }));
       for (size_t i = 0; i < n; ++i)
         query.parameters.push_back({fmt::format("@p{}", i), *stored_from_json(fmt::format("{}", i))});
       return query;
     }},
    {"Functions", 400,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t) { return times(50, "LOWER(") + "c.a" + times(50, ")") + " = 'a'"; }));
     }},
    {"DeepPaths", 100,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t i) { return fmt::format("c{}.b{} = 1", times(500, ".a"), i); }));
     }},
    {"DeepPathsOfACall", 100,
     [](size_t n) {
       return where(repeated(n, " AND ", [](size_t i) { return fmt::format("LOWER(c.a){}.b{} = 1", times(500, ".a"), i); }));
     }},
    {"Mistakes", 20000, [](size_t n) { return plain("SELECT VALUE [" + repeated(n, ",", [](size_t) { return "x"; }) + "]"); }},
    {"Words", 20000,
     [](size_t n) {
       return where("FullTextContains(c.a, '" + repeated(n, " ", [](size_t i) { return fmt::format("w{}", i); }) + "')");
     }},
};

class FrontEnd : public testing::TestWithParam<Shape> {};

// Four times the text may cost a little more than four times the work, but not sixteen times.
TEST_P(FrontEnd, CostsInProportionToTheText) {
  constexpr size_t kFactor = 4;
  constexpr double kRatioMax = 9;
  const QuerySpecification small = GetParam().make(GetParam().terms / kFactor);
  const QuerySpecification large = GetParam().make(GetParam().terms);
  ASSERT_LE(large.text.size(), sql::kQueryTextBytesMax);
  double ratio = 0;
  double work = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const double base = work_of([&] { prepare(small); });
    work = work_of([&] { prepare(large); });
    ratio = work / base;
    if (ratio <= kRatioMax) break;
  }
  EXPECT_LE(ratio, kRatioMax);
  RecordProperty("work", fmt::format("{:.0f}", work));
  if (std::getenv("PARTITA_SHOW_WORK") != nullptr) {
    fmt::print("{:20} {:7} bytes {:8.2f} ratio {:5.1f}\n", GetParam().name, large.text.size(), work / 1e6, ratio);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FrontEnd, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

// One expression that stands for two, that stand for four.
TEST(FrontEnd, GivesUpWhereEveryRowUsesTheOneBelowTwice) {
  std::string text = "SELECT VALUE {v: c.a} FROM c";
  for (int i = 0; i < 60; ++i) text = "SELECT VALUE {v: r.v AND r.v} FROM (" + text + ") r";
  const Result<Plan> plan = compile(plain(text + " WHERE r.v"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(access_of(*plan, AllPaths()).is_all());  // without giving up this would not end
}

TEST(FrontEnd, GivesUpWhereALongListIsPutTogetherWithOthersAgainAndAgain) {
  const std::string list = repeated(40'000, ",", [](size_t i) { return fmt::format("{}", i * 2); });
  const auto query = where(times(90, "(c.a = 1 OR (true AND ") + "c.a IN (" + list + ")" + times(90, "))"));
  const Result<Plan> plan = compile(query);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(access_of(*plan, AllPaths()).is_all());
}

TEST(FrontEnd, GroupsThatContainGroupsAreBoundOnce) {
  std::string text = "SELECT VALUE 1 FROM c GROUP BY (SELECT VALUE 1)";
  for (int i = 0; i < 60; ++i) text = "SELECT VALUE (" + text + ") FROM c GROUP BY (SELECT VALUE 1)";
  EXPECT_LE(work_of([&] { (void)compile(plain(text)); }), 1e9);
}

TEST(FrontEnd, RefusesExpressionsOfSubqueriesThatAreTooHigh) {
  std::string text = "SELECT VALUE 1";
  for (int i = 0; i < 100; ++i) text = "SELECT VALUE (" + text + ")" + times(900, "+1");
  const Result<Plan> plan = compile(plain(text));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.contains("SC3002")) << plan.error().message;
}

TEST(FrontEnd, RefusesTooManyJoins) {
  const std::string joins = repeated(sql::kJoinsMax + 1, " ", [](size_t i) { return fmt::format("JOIN t{} IN c.a", i); });
  const Result<Plan> plan = compile(plain("SELECT VALUE 1 FROM c " + joins));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.contains("SC3006")) << plan.error().message;
}

TEST(FrontEnd, RefusesToCopyALargeParameterForEachOfItsUses) {
  QuerySpecification query = plain("SELECT VALUE [" + repeated(10'000, ",", [](size_t) { return "@p"; }) + "]");
  query.parameters.push_back({"@p", *stored_from_json("\"" + times(100'000, "x") + "\"")});
  const Result<Plan> plan = compile(query);
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.contains("SC3007")) << plan.error().message;
}

TEST(FrontEnd, RefusesToPutInALargeComputedPropertyForEachOfItsUses) {
  Schema schema;
  schema.computed_properties.push_back({"sum", "SELECT VALUE c.a" + times(900, " + c.a") + " FROM c"});
  const auto query = plain("SELECT VALUE [" + repeated(10'000, ",", [](size_t) { return "c.sum"; }) + "] FROM c");
  const Result<Plan> plan = compile(query, schema);
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.contains("SC3008")) << plan.error().message;
}

TEST(FrontEnd, TellsNoMoreMistakesThanAnybodyReads) {
  const Result<Plan> plan = compile(plain("SELECT VALUE [" + repeated(1000, ",", [](size_t) { return "x"; }) + "]"));
  ASSERT_FALSE(plan);
  size_t mistakes = 0;
  for (size_t at = 0; (at = plan.error().message.find("SC2001", at)) != std::string::npos; ++at) ++mistakes;
  EXPECT_EQ(mistakes, kDiagnosticsMax);
}

}  // namespace
}  // namespace partita::query
