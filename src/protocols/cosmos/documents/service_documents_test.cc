#include "protocols/cosmos/documents/service_documents.h"

#include "base/random.h"
#include "document/json/json.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

constexpr int64_t kNow = 1'700'000'000;
constexpr ContainerNumbers kContainer{.database = 1, .container = 2};

// Documents whose etags are the same in every run.
class Documents {
 public:
  Result<ItemDraft> draft(const std::variant<std::string_view, Value>& document) {
    return documents_.draft(document, kDocumentBytesMax, kNow);
  }
  void number(ItemDraft& draft, uint64_t number) { documents_.set_number(draft, kContainer, DocumentNumber{number}); }
  const ServiceDocuments& operator*() const { return documents_; }

 private:
  Random random_{1};
  EtagSource etags_{random_};
  ServiceDocuments documents_{etags_};
};

Result<ItemDraft> draft(const std::variant<std::string_view, Value>& document) { return Documents().draft(document); }

// The etag that the first document of Documents has.
std::string etag() {
  Random random(1);
  return EtagSource(random).next(kNow);
}

// With this etag, as JSON, at the place of "ETAG".
std::string with_etag(std::string_view json) {
  std::string text(json);
  std::string quoted;
  append_json_string(quoted, etag());
  return text.replace(text.find("ETAG"), 4, quoted);
}

std::string refusal(std::string_view json) {
  const Result<ItemDraft> made = draft(json);
  return made ? "accepted" : fmt::format("{}: {}", name_of(made.error().code), made.error().message);
}

std::string nested(size_t arrays) { return R"({"id":"1","a":)" + std::string(arrays, '[') + std::string(arrays, ']') + "}"; }

}  // namespace

TEST(ServiceDocuments, AddsSystemPropertiesBehindTheOnesGiven) {
  Result<ItemDraft> made = draft(R"({"z":1,"id":"x","a":2})");
  ASSERT_TRUE(made);
  Documents().number(*made, 3);
  EXPECT_EQ(
      to_json(made->document()),
      with_etag(
          R"({"z":1,"id":"x","a":2,"_rid":"AAAAAYAAAAIDAAAAAAAAAA==","_self":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/",)"
          R"("_etag":ETAG,"_attachments":"attachments/","_ts":1700000000})"));
  EXPECT_EQ(made->id(), "x");
  EXPECT_TRUE(item_from_record(DocumentNumber{3}, made->record()));
  EXPECT_TRUE(validate_stored_form(made->document().bytes()));
}

TEST(ServiceDocuments, TakesAnyNumber) {
  Result<ItemDraft> made = draft(R"({"id":"x"})");
  ASSERT_TRUE(made);
  for (uint64_t number : {uint64_t{1}, uint64_t{255}, (uint64_t{1} << 56) - 1}) {
    Documents().number(*made, number);
    const ContainerChildRid rid{{kContainer.database, kContainer.container}, ContainerChild::kItem, number};
    EXPECT_EQ(made->document().find("_rid").string(), rid_text(rid));
    std::string link;
    append_self_link(link, rid);
    EXPECT_EQ(made->document().find("_self").string(), link);
  }
}

// A document that was read, changed and is written back comes back in the order in which it was sent.
TEST(ServiceDocuments, LeavesSystemPropertiesWhereTheClientHasThem) {
  constexpr std::string_view kJson =
      R"({"id":"x","_ts":1,"_rid":"r","_self":"s","n":1,"_etag":"e","_lsn":4,"_rid":"again","m":2})";
  Result<ItemDraft> made = draft(kJson);
  ASSERT_TRUE(made);
  Documents().number(*made, 3);
  constexpr std::string_view kExpected =
      R"({"id":"x","_ts":1700000000,"_rid":"AAAAAYAAAAIDAAAAAAAAAA==","_self":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/",)"
      R"("n":1,"_etag":ETAG,"m":2,"_attachments":"attachments/"})";
  EXPECT_EQ(to_json(made->document()), with_etag(kExpected));
  EXPECT_TRUE(validate_stored_form(made->document().bytes()));
}

TEST(ServiceDocuments, DropsSystemPropertiesThatTheClientGives) {
  Result<ItemDraft> made = draft(
      R"({"_rid":"mine","_self":1,"id":"x","_etag":null,"_ts":"never","_attachments":[],"_lsn":5,"_other":1,"o":{"_ts":2}})");
  ASSERT_TRUE(made);
  Documents().number(*made, 1);
  EXPECT_EQ(made->document().size(), 8u) << to_json(made->document());
  EXPECT_EQ(made->document().find("_ts").number(), 1'700'000'000);
  EXPECT_EQ(made->document().find("_etag").string(), etag());
  EXPECT_EQ(made->document().find("_other").number(), 1);
  EXPECT_EQ(to_json(made->document().find("o")), R"({"_ts":2})");
}

TEST(ServiceDocuments, NeedsAnObjectWithAnId) {
  EXPECT_EQ(refusal(R"({"n":1})"), "InvalidInput: The document has no property 'id'.");
  EXPECT_EQ(refusal(R"({"id":7})"), "InvalidInput: The property 'id' of a document must be a string.");
  EXPECT_EQ(refusal(R"({"id":null})"), "InvalidInput: The property 'id' of a document must be a string.");
  for (const char* json : {"", "[]", "1", "\"id\"", R"({"id":"a"} x)", R"({"id":"a")", R"({"id":"a",})"}) {
    EXPECT_TRUE(refusal(json).starts_with("InvalidInput: ")) << json << ": " << refusal(json);
  }
}

TEST(ServiceDocuments, IdsAreAsLongAsTheServiceAllows) {
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax, 'x'))), "accepted");
  EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", std::string(kItemIdBytesMax + 1, 'x'))),
            "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 1024.");
  EXPECT_EQ(refusal(R"({"id":""})"), "InvalidInput: The id of a document must have 1 to 1023 bytes; this one has 0.");
}

TEST(ServiceDocuments, IdsMayHaveAwkwardCharacters) {
  for (const char* id : {" ", "a b", "a/b", "a?b", "a#b", "a%20b", "a\\nb", "a\\tb", "a\\u0000b", "\xE9\xB1\x80", "trailing "}) {
    EXPECT_EQ(refusal(fmt::format(R"({{"id":"{}"}})", id)), "accepted") << id;
  }
}

TEST(ServiceDocuments, HasALimitOfBytes) {
  const auto with_bytes = [](size_t bytes) {
    const std::string frame = R"({"id":"1","s":""})";
    return fmt::format(R"({{"id":"1","s":"{}"}})", std::string(bytes - frame.size(), 'x'));
  };
  EXPECT_EQ(refusal(with_bytes(kDocumentBytesMax)), "accepted");
  EXPECT_EQ(refusal(with_bytes(kDocumentBytesMax + 1)),
            "TooLarge: The request is too large: the document has 2097153 bytes, the limit is 2097152.");
}

TEST(ServiceDocuments, HasALimitOfNesting) {
  EXPECT_EQ(refusal(nested(kNestingMax - 1)), "accepted");
  EXPECT_TRUE(refusal(nested(kNestingMax)).starts_with("InvalidInput: ")) << refusal(nested(kNestingMax));
}

TEST(ServiceDocuments, TakesStoredFormToo) {
  const std::string stored = stored_from_json(R"({"_ts":"never","id":"x","n":1})").value();
  Result<ItemDraft> made = draft(Value::view(stored));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->document().find("_ts").number(), kNow);
  EXPECT_EQ(made->document().find("n").number(), 1);
  const std::string list = stored_from_json("[1]").value();
  EXPECT_EQ(draft(Value::view(list)).error().code, ErrorCode::kInvalidInput);
}

TEST(ServiceDocuments, AttachmentsHaveTheirOwn) {
  Documents documents;
  const std::string given = stored_from_json(R"({"id":"a","media":"m","_rid":"mine"})").value();
  const AttachmentName name{kContainer, DocumentNumber{3}, AttachmentNumber{1}};
  const std::string stored = (*documents).attachment(Value::view(given), name, kNow);
  EXPECT_EQ(
      to_json(Value::view(stored)),
      with_etag(
          R"({"id":"a","media":"m","_rid":"AAAAAYAAAAIDAAAAAAAAAAAAAAE=",)"
          R"("_self":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/attachments/AAAAAYAAAAIDAAAAAAAAAAAAAAE=/",)"
          R"("_etag":ETAG,"_ts":1700000000})"));
  EXPECT_EQ((*documents).media_link(name), "/media/AAAAAYAAAAIDAAAAAAAAAAAAAAEB");
}

// A draft that was refused leaves nothing behind for the next one on the same thread.
TEST(ServiceDocuments, StartsAfreshAfterARefusal) {
  EXPECT_NE(refusal(R"({"id":"x","a":[1,)"), "accepted");
  EXPECT_EQ(draft(R"({"id":"y"})")->document().size(), 6u);
}

}  // namespace partita::cosmos
