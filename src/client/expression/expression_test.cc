#include "client/expression/expression.h"

#include <gtest/gtest.h>

namespace partita::client {
namespace {

TEST(Expression, PrintsSqlWithParameters) {
  const Query query = select(path("id"), path("total").as("sum"))
                          .where(path("total") > 40 && (path("address.city") == "Oslo" || !is_defined(path("closed"))))
                          .where(path("lines[0].price") * 2 <= 9.5)
                          .order_by(path("total").descending())
                          .order_by(path("id"))
                          .top(10)
                          .query();
  EXPECT_EQ(
      query.text,
      "SELECT TOP 10 c[\"id\"], c[\"total\"] AS sum FROM c WHERE ((c[\"total\"] > @p0) AND ((c[\"address\"][\"city\"] = @p1) OR "
      "(NOT IS_DEFINED(c[\"closed\"])))) AND ((c[\"lines\"][0][\"price\"] * @p2) <= @p3) ORDER BY c[\"total\"] DESC, c[\"id\"]");
  EXPECT_EQ(query.parameters, R"([{"name":"@p0","value":40},{"name":"@p1","value":"Oslo"},{"name":"@p2","value":2},)"
                              R"({"name":"@p3","value":9.5}])");
}

TEST(Expression, PrintsGroupsValuesAndSlices) {
  EXPECT_EQ(select(path("city"), count().as("n")).group_by(path("city")).query().text,
            "SELECT c[\"city\"], COUNT(c) AS n FROM c GROUP BY c[\"city\"]");
  EXPECT_EQ(select_value(document()).distinct().offset(5, 10).query().text, "SELECT DISTINCT VALUE c FROM c OFFSET 5 LIMIT 10");
  EXPECT_EQ(select_all().query().text, "SELECT * FROM c");
  EXPECT_EQ(select_all().query().parameters, "");
}

TEST(Expression, NeverLetsAValueOrANameBecomeSql) {
  const Query query = select_all().where(path("a")["b\"] OR 1=1 --"] == "x' OR 1=1 --\n").query();
  EXPECT_EQ(query.text, "SELECT * FROM c WHERE (c[\"a\"][\"b\\\"] OR 1=1 --\"] = @p0)");
  EXPECT_EQ(query.parameters, R"([{"name":"@p0","value":"x' OR 1=1 --\n"}])");
}

TEST(Expression, KeepsAliasesToIdentifiers) {
  EXPECT_EQ(select(path("a").as("x, c.secret AS y")).query().text, "SELECT c[\"a\"] AS x__c_secret_AS_y FROM c");
}

TEST(Expression, MakesOneParameterOfOneValue) {
  const Query query = select_all().where(path("a") == true || path("b") == true || path("c") == nullptr).query();
  EXPECT_EQ(query.parameters, R"([{"name":"@p0","value":true},{"name":"@p1","value":null}])");
}

}  // namespace
}  // namespace partita::client
