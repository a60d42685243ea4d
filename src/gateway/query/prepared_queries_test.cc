#include "gateway/query/prepared_queries.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

const std::string kPlain = *stored_from_json("{}");
const std::string kComputed =
    *stored_from_json(R"({"computedProperties":[{"name":"twice","query":"SELECT VALUE c.n * 2 FROM c"}]})");

TEST(PreparedQueries, AreCompiledOnceForABodyAndADefinition) {
  PreparedQueries queries;
  const std::string_view body = R"({"query":"SELECT VALUE c.twice FROM c"})";
  const auto first = queries.prepare(body, kPlain);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->specification.text, "SELECT VALUE c.twice FROM c");
  EXPECT_EQ(*queries.prepare(body, kPlain), *first);
  const auto computed = queries.prepare(body, kComputed);
  ASSERT_TRUE(computed);
  EXPECT_NE(to_text((*computed)->plan), to_text((*first)->plan));
  EXPECT_EQ(*queries.prepare(body, kComputed), *computed);
}

TEST(PreparedQueries, DifferByTheValuesOfParameters) {
  PreparedQueries queries;
  const auto one = queries.prepare(R"({"query":"SELECT @p","parameters":[{"name":"@p","value":1}]})", kPlain);
  const auto two = queries.prepare(R"({"query":"SELECT @p","parameters":[{"name":"@p","value":2}]})", kPlain);
  ASSERT_TRUE(one && two);
  EXPECT_NE(to_text((*one)->plan), to_text((*two)->plan));
}

TEST(PreparedQueries, AWrongQueryIsWrongEveryTime) {
  PreparedQueries queries;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(queries.prepare(R"({"query":"SELEKT"})", kPlain).error().code, ErrorCode::kInvalidQuery);
    EXPECT_EQ(queries.prepare("[]", kPlain).error().code, ErrorCode::kInvalidInput);
  }
}

TEST(PreparedQueries, LongOnesAreNotKept) {
  PreparedQueries queries;
  const std::string body = R"({"query":"SELECT ')" + std::string(10'000, 'x') + R"('"})";
  EXPECT_NE(*queries.prepare(body, kPlain), *queries.prepare(body, kPlain));
}

TEST(PreparedQueries, ManyDriveEachOtherOut) {
  PreparedQueries queries;
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = "SELECT " + std::to_string(i);
    const auto prepared = queries.prepare(R"({"query":")" + text + R"("})", kPlain);
    ASSERT_TRUE(prepared);
    EXPECT_EQ((*prepared)->specification.text, text);
  }
}

}  // namespace
}  // namespace partita
