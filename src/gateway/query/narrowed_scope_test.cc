#include "gateway/query/narrowed_scope.h"

#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace partita {
namespace {

NarrowedScope scope_of(std::string_view filter) {
  const std::string text = "SELECT * FROM c WHERE " + std::string(filter);
  PartitionKeyDefinition definition;
  definition.paths.push_back(*DocumentPath::parse("/pk"));
  return narrow_by_key(query::compile({text, {}}).value(), definition);
}

TEST(NarrowedScope, IsOneKey) {
  const NarrowedScope scope = scope_of("c.pk = 'a' AND c.n > 1");
  ASSERT_TRUE(scope.range && scope.key);
  EXPECT_EQ(*scope.key, (PartitionKey{{std::string("a")}}));
  EXPECT_LT(scope.range->min, scope.range->max);
  EXPECT_FALSE(scope.has_several_keys);
}

TEST(NarrowedScope, HasTheHashesOfSeveralKeys) {
  const NarrowedScope scope = scope_of("c.pk IN ('a', 'b')");
  ASSERT_TRUE(scope.range);
  for (const char* key : {"c.pk = 'a'", "c.pk = 'b'"}) EXPECT_TRUE(scope.range->contains(scope_of(key).range->min));
  EXPECT_FALSE(scope.key);
  EXPECT_TRUE(scope.has_several_keys);
  EXPECT_THAT(scope.key_ranges, testing::UnorderedElementsAre(*scope_of("c.pk = 'a'").range, *scope_of("c.pk = 'b'").range));
}

TEST(NarrowedScope, IsEmptyWhereNoKeyCanBe) {
  const NarrowedScope scope = scope_of("c.pk = 'a' AND c.pk = 'b'");
  ASSERT_TRUE(scope.range);
  EXPECT_GE(scope.range->min, scope.range->max);
  EXPECT_FALSE(scope.has_several_keys);
}

TEST(NarrowedScope, IsEverywhereWithoutAKey) {
  const NarrowedScope scope = scope_of("c.n > 1");
  EXPECT_FALSE(scope.range || scope.key);
  EXPECT_TRUE(scope.has_several_keys);
}

}  // namespace
}  // namespace partita
