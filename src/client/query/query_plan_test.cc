#include "client/query/query_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string plan_of(std::string_view info, std::string_view ranges = R"([{"min":"","max":"FF"}])") {
  return fmt::format(R"({{"queryInfo":{{{}}},"queryRanges":{}}})", info, ranges);
}

TEST(QueryPlan, ReadsWhatToMerge) {
  const QueryPlan plan = QueryPlan::parse(plan_of(R"("distinctType":"Ordered","top":null,"offset":2,"limit":5,)"
                                                  R"("orderBy":["Descending","Ascending"],"rewrittenQuery":"SELECT 1",)"
                                                  R"("groupByExpressions":["c.t"],"groupByAliases":["t","$1"],)"
                                                  R"("groupByAliasToAggregateType":{"t":null,"$1":"CountIf"},"aggregates":[])"))
                             .value();
  EXPECT_EQ(plan.distinct, QueryPlan::Distinct::kOrdered);
  EXPECT_EQ(plan.top, std::nullopt);
  EXPECT_EQ(plan.offset, 2);
  EXPECT_EQ(plan.limit, 5);
  EXPECT_THAT(plan.is_descending, ElementsAre(true, false));
  EXPECT_TRUE(plan.is_order_streamed);
  EXPECT_TRUE(plan.has_groups);
  EXPECT_THAT(plan.columns, ElementsAre(AggregateColumn{"t", std::nullopt}, AggregateColumn{"$1", Aggregate::kCount}));
  EXPECT_THAT(plan.hashes, ElementsAre(EffectiveKeyRange{}));
}

TEST(QueryPlan, TakesAPointForARangeThatHasIt) {
  const QueryPlan plan =
      QueryPlan::parse(
          plan_of("", R"([{"min":"3A","max":"3A","isMaxInclusive":true},{"min":"05","max":"05","isMaxInclusive":true}])"))
          .value();
  ASSERT_EQ(plan.hashes.size(), 2);
  EXPECT_TRUE(plan.hashes[0].contains("\x05"));
  EXPECT_FALSE(plan.hashes[0].contains("\x06"));
  EXPECT_TRUE(plan.hashes[1].contains("\x3A"));
}

TEST(QueryPlan, RefusesWhatItCannotCarryOut) {
  for (const std::string& text : {std::string("{"), std::string("[]"), std::string("{}"), plan_of(R"("top":-1)"),
                                  plan_of(R"("top":1.5)"), plan_of(R"("aggregates":["Median"])"), plan_of(R"("aggregates":[7])"),
                                  plan_of(R"("aggregates":["Sum","Sum"])"), plan_of(R"("orderBy":[1])"), plan_of("", "7"),
                                  plan_of("", R"([{"min":"","max":"G"}])"), plan_of("", R"([{"min":""}])")}) {
    EXPECT_FALSE(QueryPlan::parse(text)) << text;
  }
  EXPECT_THAT(QueryPlan::parse(R"({"queryInfo":null,"hybridSearchQueryInfo":{}})").error().message, HasSubstr("hybrid search"));
}

}  // namespace
}  // namespace partita::client
