#include "document/json/definition_json.h"

#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

using testing::HasSubstr;

TEST(DefinitionJson, IsRefusedWhereAnObjectRepeatsAMember) {
  for (const char* text : {R"({"a":1,"a":1})", R"({"a":1,"b":[],"a":null})", R"({"b":{"a":1,"c":{},"a":2}})",
                           R"({"b":[0,[{"a":1,"\u0061":2}]]})", R"([{"a":{"x":1}},{"b":{"a":1,"a":2}}])"}) {
    const Result<std::string> refused = definition_from_json(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(refused.error().message, HasSubstr("'a' twice")) << text;
  }
}

TEST(DefinitionJson, IsWhatItsTextSays) {
  for (const char* text : {R"({"a":1,"b":{"a":1,"b":{"a":[{"a":1},{"a":2}]}},"A":3,"":4})", "[]", "1", R"("a")", "null"}) {
    EXPECT_EQ(definition_from_json(text).value(), stored_from_json(text).value()) << text;
  }
  EXPECT_FALSE(definition_from_json("{"));
}

}  // namespace
}  // namespace partita
