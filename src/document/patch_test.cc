#include "document/patch.h"

#include "base/golden_file.h"
#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

std::string patched(std::string_view document, std::string_view patch_json) {
  const std::string stored = *stored_from_json(document);
  const std::string body = *stored_from_json(patch_json);
  const Result<Patch> patch = Patch::parse(Value::view(body));
  if (!patch) return "refused: " + patch.error().message;
  const Result<std::string> after = patch->apply(Value::view(stored));
  if (!after) return "error: " + after.error().message;
  EXPECT_TRUE(validate_stored_form(*after));
  return to_json(Value::view(*after));
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST(Patch, ChangesDocuments) {
  run_golden_file(TEST_DATA_DIR "/patch.txt", [](const std::vector<std::string>& input) { return patched(input[0], input[1]); });
}

TEST(Patch, KeepsTheLimitOfNesting) {
  const std::string value = nested(kNestingMax - 2);  // the patch itself has two levels
  EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"set","path":"/a/b","value":)" + value + "}]"), R"({"a":{"b":)" + value + "}}");
  EXPECT_EQ(patched(R"({"a":{"b":{"c":1}}})", R"([{"op":"set","path":"/a/b/c","value":)" + value + "}]"),
            "error: For Operation(1): the document would nest more than 128 levels deep.");
  EXPECT_EQ(patched(R"({"a":{},"b":)" + nested(kNestingMax - 1) + "}", R"([{"op":"move","from":"/b","path":"/a/b"}])"),
            "error: For Operation(1): the document would nest more than 128 levels deep.");
}

TEST(Patch, HasACondition) {
  const std::string body =
      *stored_from_json(R"({"condition":"from c where c.n = 1","operations":[{"op":"remove","path":"/n"}]})");
  EXPECT_EQ(Patch::parse(Value::view(body))->condition, "from c where c.n = 1");
}

}  // namespace partita
