#include "engine/item/draft.h"

#include "engine/item/resource_rid.h"
#include "engine/rows.h"
#include "engine/test_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

constexpr std::string_view kEtag = "\"00000001-0000-0100-0000-000000000000\"";

ContainerIdentity container() {
  ContainerIdentity identity;
  identity.rid_bytes = container_rid_bytes(1, 2);
  identity.self_link = fmt::format("dbs/{}/colls/{}/", rid_text(database_rid_bytes(1)), rid_text(identity.rid_bytes));
  return identity;
}

Result<ItemDraft> draft(std::string_view json) { return ItemDraft::from_json(json, container(), kEtag, 1'700'000'000); }

std::string refusal(std::string_view json) {
  const Result<ItemDraft> made = draft(json);
  return made ? "accepted" : fmt::format("{}: {}", name_of(made.error().code), made.error().message);
}

std::string nested(size_t arrays) { return R"({"id":"1","a":)" + std::string(arrays, '[') + std::string(arrays, ']') + "}"; }

}  // namespace

TEST(ItemDraft, AddsSystemPropertiesBehindTheOnesGiven) {
  Result<ItemDraft> made = draft(R"({"z":1,"id":"x","a":2})");
  ASSERT_TRUE(made);
  made->set_number(DocumentNumber{3}, container());
  EXPECT_EQ(
      to_json(made->document()),
      R"({"z":1,"id":"x","a":2,"_rid":"AAAAAYAAAAIDAAAAAAAAAA==","_self":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/",)"
      R"("_etag":"\"00000001-0000-0100-0000-000000000000\"","_attachments":"attachments/","_ts":1700000000})");
  EXPECT_EQ(made->id(), "x");
  EXPECT_TRUE(item_from_record(DocumentNumber{3}, made->record()));
  EXPECT_TRUE(validate_stored_form(made->document().bytes()));
}

TEST(ItemDraft, TakesAnyNumber) {
  Result<ItemDraft> made = draft(R"({"id":"x"})");
  ASSERT_TRUE(made);
  for (uint64_t number : {uint64_t{1}, uint64_t{255}, (uint64_t{1} << 56) - 1}) {
    made->set_number(DocumentNumber{number}, container());
    EXPECT_EQ(made->document().find("_rid").string(), container().document_rid(DocumentNumber{number}));
  }
}

// A document that was read, changed and is written back comes back in the order in which it was sent.
TEST(ItemDraft, LeavesSystemPropertiesWhereTheClientHasThem) {
  constexpr std::string_view kJson =
      R"({"id":"x","_ts":1,"_rid":"r","_self":"s","n":1,"_etag":"e","_lsn":4,"_rid":"again","m":2})";
  Result<ItemDraft> made = draft(kJson);
  ASSERT_TRUE(made);
  made->set_number(DocumentNumber{3}, container());
  constexpr std::string_view kExpected =
      R"({"id":"x","_ts":1700000000,"_rid":"AAAAAYAAAAIDAAAAAAAAAA==","_self":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/",)"
      R"("n":1,"_etag":"\"00000001-0000-0100-0000-000000000000\"","m":2,"_attachments":"attachments/"})";
  EXPECT_EQ(to_json(made->document()), kExpected);
  EXPECT_TRUE(validate_stored_form(made->document().bytes()));
}

TEST(ItemDraft, DropsSystemPropertiesThatTheClientGives) {
  Result<ItemDraft> made = draft(
      R"({"_rid":"mine","_self":1,"id":"x","_etag":null,"_ts":"never","_attachments":[],"_lsn":5,"_other":1,"o":{"_ts":2}})");
  ASSERT_TRUE(made);
  made->set_number(DocumentNumber{1}, container());
  EXPECT_EQ(made->document().size(), 8u) << to_json(made->document());
  EXPECT_EQ(made->document().find("_ts").number(), 1'700'000'000);
  EXPECT_EQ(made->document().find("_etag").string(), kEtag);
  EXPECT_EQ(made->document().find("_other").number(), 1);
  EXPECT_EQ(to_json(made->document().find("o")), R"({"_ts":2})");
}

TEST(ItemDraft, NeedsAnObjectWithAnId) {
  EXPECT_EQ(refusal(R"({"n":1})"), "InvalidInput: The document has no property 'id'.");
  EXPECT_EQ(refusal(R"({"id":7})"), "InvalidInput: The property 'id' of a document must be a string.");
  EXPECT_EQ(refusal(R"({"id":null})"), "InvalidInput: The property 'id' of a document must be a string.");
  for (const char* json : {"", "[]", "1", "\"id\"", R"({"id":"a"} x)", R"({"id":"a")", R"({"id":"a",})"}) {
    EXPECT_TRUE(refusal(json).starts_with("InvalidInput: ")) << json << ": " << refusal(json);
  }
}

TEST(ItemDraft, IdsAreAsLongAsTheServiceAllows) {
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax, 'x'))), "accepted");
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax + 1, 'x'))),
            "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 1024.");
  EXPECT_EQ(refusal(R"({"id":""})"), "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 0.");
}

TEST(ItemDraft, IdsMayHaveAwkwardCharacters) {
  for (const char* id : {" ", "a b", "a/b", "a?b", "a#b", "a%20b", "a\\nb", "a\\tb", "a\\u0000b", "\xE9\xB1\x80", "trailing "}) {
    EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", id)), "accepted") << id;
  }
}

TEST(ItemDraft, HasALimitOfBytes) {
  const auto with_bytes = [](size_t bytes) {
    const std::string frame = R"({"id":"1","s":""})";
    return fmt::format(R"({{"id":"1","s":"{}"}})", std::string(bytes - frame.size(), 'x'));
  };
  EXPECT_EQ(refusal(with_bytes(kDocumentBytesMax)), "accepted");
  EXPECT_EQ(refusal(with_bytes(kDocumentBytesMax + 1)),
            "TooLarge: The request is too large: the document has 2097153 bytes, the limit is 2097152.");
}

TEST(ItemDraft, HasALimitOfNesting) {
  EXPECT_EQ(refusal(nested(kNestingMax - 1)), "accepted");
  EXPECT_TRUE(refusal(nested(kNestingMax)).starts_with("InvalidInput: ")) << refusal(nested(kNestingMax));
}

// A draft that was refused leaves nothing behind for the next one on the same thread.
TEST(ItemDraft, StartsAfreshAfterARefusal) {
  EXPECT_NE(refusal(R"({"id":"x","a":[1,)"), "accepted");
  EXPECT_EQ(draft(R"({"id":"y"})")->document().size(), 6u);
}

}  // namespace partita
