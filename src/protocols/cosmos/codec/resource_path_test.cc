#include "protocols/cosmos/codec/resource_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace partita::cosmos {
namespace {

using Spellings = std::vector<std::pair<std::string, std::string>>;

ResourcePath parse(std::string_view path, std::string_view query = {}) {
  auto parsed = ResourcePath::parse(path, query);
  EXPECT_TRUE(parsed) << path << ": " << (parsed ? "" : parsed.error().message);
  return std::move(*parsed);
}

Spellings spellings(const ResourcePath& path) {
  Spellings all;
  for (const auto& each : path.signed_resources()) all.emplace_back(each.type, each.link);
  return all;
}

TEST(ResourcePath, KnowsTheAccount) {
  for (const char* text : {"", "/", "//"}) {
    const ResourcePath path = parse(text);
    EXPECT_EQ(path.kind(), ResourceKind::kAccount);
    EXPECT_FALSE(path.is_feed());
    EXPECT_EQ(spellings(path).front(), std::make_pair(std::string(), std::string()));
  }
}

TEST(ResourcePath, KnowsEveryKindAsFeedAndAsOne) {
  const struct {
    std::string_view feed;
    ResourceKind kind;
    std::string_view type;
    std::string_view owner;
  } cases[] = {
      {"/dbs", ResourceKind::kDatabase, "dbs", ""},
      {"/dbs/d/colls", ResourceKind::kContainer, "colls", "dbs/d"},
      {"/dbs/d/users", ResourceKind::kUser, "users", "dbs/d"},
      {"/dbs/d/clientencryptionkeys", ResourceKind::kClientEncryptionKey, "clientencryptionkeys", "dbs/d"},
      {"/dbs/d/users/u/permissions", ResourceKind::kPermission, "permissions", "dbs/d/users/u"},
      {"/dbs/d/colls/c/docs", ResourceKind::kItem, "docs", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/sprocs", ResourceKind::kStoredProcedure, "sprocs", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/triggers", ResourceKind::kTrigger, "triggers", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/udfs", ResourceKind::kUserDefinedFunction, "udfs", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/conflicts", ResourceKind::kConflict, "conflicts", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/pkranges", ResourceKind::kPartitionKeyRange, "pkranges", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/schemas", ResourceKind::kSchema, "schemas", "dbs/d/colls/c"},
      {"/dbs/d/colls/c/docs/i/attachments", ResourceKind::kAttachment, "attachments", "dbs/d/colls/c/docs/i"},
  };
  for (const auto& each : cases) {
    const ResourcePath feed = parse(each.feed);
    EXPECT_EQ(feed.kind(), each.kind) << each.feed;
    EXPECT_TRUE(feed.is_feed()) << each.feed;
    EXPECT_EQ(feed.name(), "");
    EXPECT_EQ(spellings(feed), (Spellings{{std::string(each.type), std::string(each.owner)}})) << each.feed;

    const std::string one_text = std::string(each.feed) + "/X";
    const ResourcePath one = parse(one_text);
    EXPECT_EQ(one.kind(), each.kind) << one_text;
    EXPECT_FALSE(one.is_feed()) << one_text;
    EXPECT_EQ(one.name(), "X");
    EXPECT_EQ(spellings(one), (Spellings{{std::string(each.type), one_text.substr(1)}})) << one_text;
  }
}

TEST(ResourcePath, NamesEveryLevel) {
  const ResourcePath attachment = parse("/dbs/d/colls/c/docs/i/attachments/a");
  EXPECT_EQ(attachment.database(), "d");
  EXPECT_EQ(attachment.container(), "c");
  EXPECT_EQ(attachment.item(), "i");
  EXPECT_EQ(attachment.name(), "a");
  EXPECT_EQ(attachment.user(), "");
  EXPECT_EQ(parse("/dbs/d/users/u/permissions/p").user(), "u");
  EXPECT_EQ(parse("/dbs/d/colls/c/docs").container(), "c");
}

TEST(ResourcePath, IgnoresSlashesAtBothEnds) {
  for (const char* text : {"dbs/d/colls/c", "/dbs/d/colls/c/", "//dbs/d/colls/c//"}) {
    const ResourcePath path = parse(text);
    EXPECT_EQ(path.kind(), ResourceKind::kContainer);
    EXPECT_EQ(path.name(), "c");
    EXPECT_EQ(spellings(path), (Spellings{{"colls", "dbs/d/colls/c"}}));
  }
  EXPECT_TRUE(parse("//dbs/").is_feed());
}

TEST(ResourcePath, DecodesNamesAfterCuttingAtSlashes) {
  const ResourcePath path = parse("/dbs/d%20b/colls/c/docs/a%2Fb%2fdocs");
  EXPECT_EQ(path.database(), "d b");
  EXPECT_EQ(path.kind(), ResourceKind::kItem);
  EXPECT_EQ(path.name(), "a/b/docs");
  EXPECT_EQ(spellings(path),
            (Spellings{{"docs", "dbs/d b/colls/c/docs/a/b/docs"}, {"docs", "dbs/d%20b/colls/c/docs/a%2Fb%2fdocs"}}));
}

TEST(ResourcePath, TakesTypeSegmentsAsNamesWhereNamesAre) {
  const ResourcePath path = parse("/dbs/dbs/colls/colls/docs/docs");
  EXPECT_EQ(path.database(), "dbs");
  EXPECT_EQ(path.container(), "colls");
  EXPECT_EQ(path.name(), "docs");
}

// As the JavaScript client's own tests encode them.
TEST(ResourcePath, ReadsAwkwardItemIds) {
  const struct {
    std::string_view id;
    std::string_view path_end;
  } cases[] = {
      {"This is a test", "This%20is%20a%20test"},
      {" Test", "%20Test"},
      {"Test   ", "Test%20%20%20"},
      {"WithUnicode\xE9\xB1\x80", "WithUnicode%E9%B1%80"},
      {"WithAllowedSpecial,=.:~+-@()^${}[]!_Chars", "WithAllowedSpecial,=.:~+-@()%5E$%7B%7D%5B%5D!_Chars"},
      {"BQE1D3PdG4N4bzU9TKaCIM3qc0TVcZ2-Y3jnsRfwdHC1ombkX3F1dot-SG0=",
       "BQE1D3PdG4N4bzU9TKaCIM3qc0TVcZ2-Y3jnsRfwdHC1ombkX3F1dot-SG0="},
      {"IdEndingWithPercentEncodedWhitespace%20", "IdEndingWithPercentEncodedWhitespace%2520"},
      {"WithPercentEncodedSpecialChar%E9%B1%80", "WithPercentEncodedSpecialChar%25E9%25B1%2580"},
      {"Disallowed?Chars", "Disallowed%3FChars"},
      {"Disallowed#Chars", "Disallowed%23Chars"},
      {"With\rCarriageReturn", "With%0DCarriageReturn"},
      {"With\tTab", "With%09Tab"},
      {"With\nLineFeed", "With%0ALineFeed"},
  };
  for (const auto& each : cases) {
    const std::string text = "/dbs/d/colls/c/docs/" + std::string(each.path_end);
    const ResourcePath path = parse(text);
    EXPECT_EQ(path.name(), each.id);
    EXPECT_EQ(spellings(path).front().second, "dbs/d/colls/c/docs/" + std::string(each.id));
  }
}

// The JavaScript client leaves a question mark in an id unescaped, and the service takes the query as part of the id.
TEST(ResourcePath, TakesTheQueryAsPartOfAName) {
  const ResourcePath path = parse("/dbs/d/colls/c/docs/Disallowed", "Chars%20x");
  EXPECT_EQ(path.name(), "Disallowed?Chars x");
  EXPECT_EQ(spellings(path),
            (Spellings{{"docs", "dbs/d/colls/c/docs/Disallowed?Chars x"}, {"docs", "dbs/d/colls/c/docs/Disallowed?Chars%20x"}}));
  const ResourcePath below = parse("/dbs/d/colls/c/docs/a", "b/attachments/x");
  EXPECT_EQ(below.item(), "a?b");
  EXPECT_EQ(below.name(), "x");
  EXPECT_EQ(spellings(parse("/dbs/d/colls/c/docs", "x=y")), (Spellings{{"docs", "dbs/d/colls/c"}}));
}

TEST(ResourcePath, SignsResourceIdsAloneInLowerCase) {
  const ResourcePath item = parse("/dbs/DPZtAA==/colls/DPZtAKyOj5g=/docs/DPZtAKyOj5gBAAAAAAAAAA==/");
  EXPECT_TRUE(item.is_resource_id_shaped());
  EXPECT_EQ(spellings(item), (Spellings{{"docs", "dpztakyoj5gbaaaaaaaaaa=="},
                                        {"docs", "DPZtAKyOj5gBAAAAAAAAAA=="},
                                        {"docs", "dbs/DPZtAA==/colls/DPZtAKyOj5g=/docs/DPZtAKyOj5gBAAAAAAAAAA=="}}));
  EXPECT_EQ(spellings(parse("/dbs/DPZtAA==/colls/DPZtAKyOj5g=/pkranges")).front(),
            std::make_pair(std::string("pkranges"), std::string("dpztakyoj5g=")));
  EXPECT_EQ(spellings(parse("/dbs/DPZtAA%3D%3D")).front(), std::make_pair(std::string("dbs"), std::string("dpztaa==")));
  EXPECT_FALSE(parse("/dbs/database/colls/DPZtAKyOj5g=").is_resource_id_shaped());
}

TEST(ResourcePath, KnowsOffers) {
  const ResourcePath feed = parse("/offers/");
  EXPECT_EQ(feed.kind(), ResourceKind::kOffer);
  EXPECT_EQ(spellings(feed), (Spellings{{"offers", ""}}));
  const ResourcePath offer = parse("/offers/XyZ1");
  EXPECT_EQ(offer.name(), "XyZ1");
  EXPECT_EQ(spellings(offer), (Spellings{{"offers", "xyz1"}, {"offers", "XyZ1"}}));
}

TEST(ResourcePath, SignsMediaAsTheirAttachment) {
  const ResourcePath media = parse("/media/DPZtAKyOj5gBAAAAAAAAACrx8zgB");
  EXPECT_EQ(media.kind(), ResourceKind::kMedia);
  EXPECT_EQ(spellings(media).front(), std::make_pair(std::string("media"), std::string("dpztakyoj5gbaaaaaaaaacrx8zg=")));
  EXPECT_THAT(spellings(media),
              testing::Contains(std::make_pair(std::string("media"), std::string("dpztakyoj5gbaaaaaaaaacrx8zgb"))));
}

TEST(ResourcePath, KnowsDeleteByPartitionKey) {
  const ResourcePath path = parse("/dbs/d/colls/c%20c/operations/partitionkeydelete/");
  EXPECT_EQ(path.kind(), ResourceKind::kPartitionKeyDelete);
  EXPECT_FALSE(path.is_feed());
  EXPECT_EQ(path.name(), "");
  EXPECT_EQ(path.container(), "c c");
  EXPECT_EQ(spellings(path), (Spellings{{"partitionkey", "dbs/d/colls/c c"}, {"colls", "dbs/d/colls/c c"}}));
}

TEST(ResourcePath, SignsAddressesAsWhatTheyAreFor) {
  const ResourcePath path = parse("//addresses/", "$resolveFor=dbs%2fd%2fcolls%2fc%2fdocs&$filter=protocol%20eq%20rntbd");
  EXPECT_EQ(path.kind(), ResourceKind::kAddresses);
  ASSERT_NE(path.resolve_for(), nullptr);
  EXPECT_EQ(path.resolve_for()->container(), "c");
  EXPECT_EQ(spellings(path), (Spellings{{"docs", "dbs/d/colls/c"}}));
  EXPECT_EQ(parse("/addresses/", "x").resolve_for(), nullptr);
  EXPECT_FALSE(ResourcePath::parse("/addresses", "%24resolveFor=addresses"));
  EXPECT_FALSE(ResourcePath::parse("/addresses", "$resolveFor=%zz"));
}

TEST(ResourcePath, StaysValidWhenMoved) {
  std::vector<ResourcePath> paths;
  for (int i = 0; i < 20; ++i) paths.push_back(parse("/dbs/d/colls/c/docs/%41", "b"));
  for (const ResourcePath& path : paths) {
    EXPECT_EQ(path.name(), "A?b");
    EXPECT_EQ(spellings(path).front().second, "dbs/d/colls/c/docs/A?b");
  }
}

TEST(ResourcePath, HasNothingBelowALeaf) {
  for (const char* text : {"/dbs/d/colls/c/docs/i/attachments/a/x", "/offers/o/x", "/offers/offers/o"}) {
    const auto path = ResourcePath::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, ErrorCode::kInvalidInput) << text;
  }
}

TEST(ResourcePath, RefusesWhatAddressesNothing) {
  for (const char* text : {"/nothing", "/DBS", "/docs", "/dbs/d/docs", "/dbs/d/colls/c/colls", "/dbs/d/colls/c/docs/i/docs",
                           "/dbs/d/colls/c/operations", "/dbs/d/colls/c/operations/other", "/dbs%2Fd"}) {
    const auto path = ResourcePath::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, ErrorCode::kNotFound) << text;
  }
  EXPECT_EQ(ResourcePath::parse("/dbs/d/docs").error().message,
            "The path '/dbs/d/docs' addresses nothing: 'docs' is not a kind of resource below '/dbs/d'.");
}

TEST(ResourcePath, RefusesBrokenEscapesAndEmptySegments) {
  for (const char* text : {"/dbs/100%", "/dbs/%zz", "/dbs/%4", "/dbs//colls", "/dbs/d/colls//docs"}) {
    const auto path = ResourcePath::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, ErrorCode::kInvalidInput) << text;
  }
}

}  // namespace
}  // namespace partita::cosmos
