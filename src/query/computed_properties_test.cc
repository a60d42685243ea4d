#include "query/computed_properties.h"

#include "document/json/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace partita::query {
namespace {

std::string check(std::string_view json) {
  const auto stored = stored_from_json(json).value();
  const Status status = check_computed_properties(Value::view(stored));
  return status ? "" : status.error().message;
}

std::string check_query(std::string_view query) { return check(fmt::format(R"([{{"name":"cp","query":"{}"}}])", query)); }

}  // namespace

TEST(ComputedProperties, AreExpressionsOverOneItem) {
  for (const char* query :
       {"SELECT VALUE LOWER(c.name) FROM c", "SELECT VALUE r.a + 1 FROM root r", "SELECT VALUE 1 FROM MyContainer c",
        "SELECT VALUE {'a': c.a, 'b': [c.b ?? 0]} FROM c", "SELECT VALUE c FROM c"}) {
    EXPECT_EQ(check_query(query), "") << query;
  }
}

TEST(ComputedProperties, RefuseWhatAnItemAloneDoesNotDecide) {
  for (const char* query : {"SELECT c.a FROM c",
                            "SELECT * FROM c",
                            "SELECT VALUE 1",
                            "SELECT VALUE t FROM c JOIN t IN c.t",
                            "SELECT VALUE c.a FROM c.b",
                            "SELECT VALUE c FROM c IN d.x",
                            "SELECT VALUE x FROM (SELECT VALUE c FROM c) x",
                            "SELECT VALUE c.a FROM c WHERE c.b",
                            "SELECT DISTINCT VALUE c.a FROM c",
                            "SELECT TOP 1 VALUE c.a FROM c",
                            "SELECT VALUE c.a FROM c ORDER BY c.a",
                            "SELECT VALUE c.a FROM c GROUP BY c.a",
                            "SELECT VALUE c.a FROM c OFFSET 1 LIMIT 1",
                            "SELECT VALUE COUNT(1) FROM c",
                            "SELECT VALUE (SELECT VALUE 1) FROM c",
                            "SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.t) FROM c",
                            "SELECT VALUE RAND() FROM c",
                            "SELECT VALUE ABS(GetCurrentTimestamp()) FROM c",
                            "SELECT VALUE udf.f(c) FROM c",
                            "SELECT VALUE ST_DISTANCE(c.a, c.b) FROM c",
                            "SELECT VALUE d.a FROM c",
                            "SELECT VALUE NOSUCH(c.a) FROM c",
                            "SELECT VALUE",
                            ""}) {
    EXPECT_TRUE(check_query(query).contains("'cp'")) << query << ": " << check_query(query);
  }
}

TEST(ComputedProperties, HaveNamesOfTheirOwn) {
  EXPECT_EQ(check("null"), "");
  EXPECT_EQ(check("[]"), "");
  EXPECT_TRUE(check(R"({"name":"a","query":"SELECT VALUE 1 FROM c"})").contains("One of the specified inputs is invalid"));
  EXPECT_TRUE(check(R"([{"name":"a"}])").contains("One of the specified inputs is invalid"));
  EXPECT_TRUE(check(R"([{"name":"","query":"SELECT VALUE 1 FROM c"}])").contains("One of the specified inputs is invalid"));
  EXPECT_TRUE(check(R"([{"name":"id","query":"SELECT VALUE 1 FROM c"}])").contains("system property"));
  EXPECT_TRUE(
      check(R"([{"name":"a","query":"SELECT VALUE 1 FROM c"},{"name":"a","query":"SELECT VALUE 1 FROM c"}])").contains("twice"));
  std::string many = "[";
  for (int i = 0; i < 21; ++i)
    many += fmt::format(R"({}{{"name":"cp{}","query":"SELECT VALUE 1 FROM c"}})", i == 0 ? "" : ",", i);
  EXPECT_TRUE(check(many + "]").contains("no more than 20"));
}

}  // namespace partita::query
