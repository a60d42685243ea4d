#include "engine/item/draft.h"

#include "engine/test_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

std::string refusal(std::string_view json) {
  const Result<ItemDraft> made = ItemDraft::whole(stored_from_json(json).value());
  return made ? "accepted" : fmt::format("{}: {}", name_of(made.error().code), made.error().message);
}

}  // namespace

TEST(ItemDraft, NeedsAnId) {
  EXPECT_EQ(refusal(R"({"n":1})"), "InvalidInput: The document has no property 'id'.");
  EXPECT_EQ(refusal(R"({"id":7})"), "InvalidInput: The property 'id' of a document must be a string.");
  EXPECT_EQ(refusal(R"({"id":null})"), "InvalidInput: The property 'id' of a document must be a string.");
  EXPECT_EQ(refusal(R"({"id":"a","id":"b"})"), "InvalidInput: A document has one property 'id'; this one has several.");
}

TEST(ItemDraft, IdsHaveALimit) {
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax, 'x'))), "accepted");
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax + 1, 'x'))),
            "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 1024.");
  EXPECT_EQ(refusal(R"({"id":""})"), "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 0.");
}

TEST(ItemDraft, PropertiesAreOverwrittenInPlace) {
  Result<ItemDraft> draft = ItemDraft::whole(stored_from_json(R"({"a":"","id":"x","name":"....","n":1})").value());
  ASSERT_TRUE(draft);
  EXPECT_TRUE(draft->has_system_properties());
  draft->overwrite("name", "four");
  EXPECT_EQ(to_json(draft->document()), R"({"a":"","id":"x","name":"four","n":1})");
}

}  // namespace partita
