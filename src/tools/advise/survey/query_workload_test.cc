#include "tools/advise/survey/query_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools::advise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

PartitionKeyDefinition key_of(const std::vector<std::string>& paths) {
  PartitionKeyDefinition definition{.paths = {}, .version = 2};
  for (const std::string& path : paths) definition.paths.push_back(DocumentPath::parse(path).value());
  if (paths.size() > 1) definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
  return definition;
}

double asked(std::string_view query, const std::vector<std::string>& paths, size_t spread = 1) {
  return partitions_asked(weigh_query(1, query).value(), key_of(paths), 10, spread);
}

}  // namespace

TEST(QueryWorkload, ReadsWeightsAndQueries) {
  const auto queries =
      parse_workload("# a comment\n\n 90\tSELECT * FROM c WHERE c.a = @a AND c.b.d = 'x'\r\n0.5 SELECT c.x, c.y.z FROM c")
          .value();
  ASSERT_EQ(queries.size(), 2u);
  EXPECT_EQ(queries[0].weight, 90);
  EXPECT_TRUE(queries[0].reads_all);
  EXPECT_THAT(queries[0].equal_to, UnorderedElementsAre("/a", "/b/d"));
  EXPECT_FALSE(queries[1].reads_all);
  EXPECT_THAT(queries[1].fields, ElementsAre("x", "y"));
}

TEST(QueryWorkload, NamesTheLineThatIsWrong) {
  const auto message = [](std::string_view text) { return parse_workload(text).error().message; };
  EXPECT_THAT(message("1 SELECT * FROM c\nSELECT 1"), HasSubstr("line 2: expected a weight above 0"));
  EXPECT_THAT(message("-1 SELECT * FROM c"), HasSubstr("line 1: expected a weight above 0"));
  EXPECT_THAT(message("nan SELECT * FROM c"), HasSubstr("line 1: expected a weight above 0"));
  EXPECT_THAT(message("1 SELECT FROM"), HasSubstr("line 1: Syntax error"));
}

TEST(QueryWorkload, TellsHowManyPartitionsAreAsked) {
  EXPECT_EQ(asked("SELECT * FROM c WHERE c.a = @a", {"/a"}), 1);
  EXPECT_EQ(asked("SELECT * FROM c WHERE c.a > @a", {"/a"}), 10);
  EXPECT_EQ(asked("SELECT * FROM c WHERE c.a = @a", {"/a", "/b"}), 1);
  EXPECT_EQ(asked("SELECT * FROM c WHERE c.b = @b", {"/a", "/b"}), 10);
  EXPECT_NEAR(asked("SELECT * FROM c WHERE c.a IN (@a, @b)", {"/a"}), 1.9, 1e-9);
  EXPECT_NEAR(asked("SELECT * FROM c WHERE c.a = @a", {"/a"}, 100), 10, 0.01);
}

}  // namespace partita::tools::advise
