#include "tools/shell/input/completion.h"

#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Vocabulary vocabulary() {
  Vocabulary words;
  const std::string document = stored_from_json(R"({"id":"1","customer":"ada","address":{"city":"Oslo","zip":1},)"
                                                R"("items":[{"name":"x"},{"price":2}],"odd name":1})")
                                   .value();
  words.paths.add_document(Value::view(document));
  words.paths.add_path("/address/country/?");
  words.paths.add_path("/*");
  words.places = {"shop", "shop.orders", "shop.customers", "stock"};
  words.procedures = {"bulkDelete"};
  return words;
}

std::vector<std::string> words(std::string_view line) { return complete(line, vocabulary()).words; }

}  // namespace

TEST(Completion, KnowsThePathsOfDocuments) {
  EXPECT_THAT(words("SELECT c.cu"), ElementsAre("c.customer"));
  EXPECT_THAT(words("SELECT * FROM c WHERE o.address."), ElementsAre("o.address.city", "o.address.country", "o.address.zip"));
  EXPECT_THAT(words("SELECT c.items[0].n"), ElementsAre("c.items[0].name"));
  EXPECT_THAT(words("SELECT c.odd"), IsEmpty()) << "it needs quotes";
  EXPECT_THAT(words("SELECT c.none."), IsEmpty());
  EXPECT_EQ(complete("SELECT c.cu", vocabulary()).start, 7u);
}

TEST(Completion, KnowsFunctionsAndKeywords) {
  EXPECT_THAT(words("SELECT subs"), Contains("SUBSTRING("));
  EXPECT_THAT(words("sel"), ElementsAre("SELECT"));
  EXPECT_THAT(words("SELECT * FROM c ORD"), ElementsAre("ORDER BY"));
  EXPECT_THAT(words("SELECT COUN"), ElementsAre("COUNT(", "COUNTIF("));
  EXPECT_EQ(signature_at("SELECT SUBSTRING(c.name, 1"), "SUBSTRING(a, b, c)");
  EXPECT_EQ(signature_at("SELECT trim(LOWER(c.x)"), "TRIM(a [, b])");
  EXPECT_EQ(signature_at("SELECT concat("), "CONCAT(a, b, ...)");
  EXPECT_EQ(signature_at("SELECT GetCurrentDateTime("), "GETCURRENTDATETIME()");
  EXPECT_EQ(signature_at("SELECT (1 + "), "");
  EXPECT_EQ(signature_at("SELECT LOWER(c.x)"), "");
}

TEST(Completion, KnowsCommandsAndWhatTheyTake) {
  EXPECT_THAT(words("\\ra"), ElementsAre("\\ranges"));
  EXPECT_THAT(words("use shop."), ElementsAre("shop.orders", "shop.customers"));
  EXPECT_THAT(words("show con"), ElementsAre("containers", "container"));
  EXPECT_THAT(words("\\format ve"), ElementsAre("vertical"));
  EXPECT_THAT(words("\\run b"), ElementsAre("bulkDelete"));
  EXPECT_THAT(words("\\explain SELECT c.cu"), ElementsAre("c.customer"));
  EXPECT_THAT(words("\\nonsense x"), IsEmpty());
  EXPECT_THAT(words("u"), Contains("use"));
}

TEST(Completion, LearnsNoMoreThanItsBound) {
  PathTree tree;
  for (size_t i = 0; i < PathTree::kNamesMax + 10; ++i) tree.add_path("/n" + std::to_string(i));
  EXPECT_EQ(tree.names_below({}, "n").size(), PathTree::kNamesMax);
}

}  // namespace partita::tools
