#include "query/optimise/predicates/plan_predicates.h"

#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::query {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts_of(const std::vector<PlanPredicates::Single>& singles) {
  std::vector<std::string> texts;
  for (const PlanPredicates::Single& single : singles) texts.push_back(single.text);
  return texts;
}

std::vector<std::string> filter_texts(std::string text) {
  return texts_of(filter_predicates(compile({std::move(text), {}}).value(), AllPaths()).singles);
}

PlanPredicates order_of(std::string text) { return order_predicates(compile({std::move(text), {}}).value()); }

TEST(PlanPredicates, AreThoseOfTheFilterEachOnce) {
  EXPECT_THAT(filter_texts("SELECT * FROM c"), IsEmpty());
  EXPECT_THAT(filter_texts("SELECT * FROM c WHERE c.a = 1 AND (c.b.x > 2 OR c.a = 1)"), ElementsAre("/a = 1", "/b/x (2, ...)"));
  EXPECT_THAT(filter_texts("SELECT * FROM c WHERE c.a = c.b"), IsEmpty());
}

TEST(PlanPredicates, OfAnOrderAreItsPaths) {
  EXPECT_THAT(texts_of(order_of("SELECT * FROM c ORDER BY c.a.b DESC").singles), ElementsAre("/a/b in order"));
  EXPECT_THAT(order_of("SELECT * FROM c ORDER BY c.a DESC, c.b").composites, ElementsAre(ElementsAre("/a DESC", "/b ASC")));
  EXPECT_THAT(order_of("SELECT * FROM c").singles, IsEmpty());
}

}  // namespace
}  // namespace partita::query
