#include "protocols/cosmos/codec/resource_id.h"

#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

constexpr ContainerRid kContainer{0x0CF66D00, 0x2C8E8F98};

template <typename Rid>
std::string self_link(const Rid& rid) {
  std::string link;
  append_self_link(link, rid);
  return link;
}

// Ids that the service gave out (they stand in the authorization baselines of its .NET client).
TEST(ResourceId, ReadsAndWritesTheServicesIds) {
  const struct {
    std::string_view text;
    ResourceId rid;
  } cases[] = {
      {"DPZtAA==", DatabaseRid{kContainer.database}},
      {"DPZtAKyOj5g=", kContainer},
      {"DPZtAKyOj5gBAAAAAAAAAA==", ContainerChildRid{kContainer, ContainerChild::kItem, 1}},
      {"DPZtAKyOj5gBAAAAAAAAACrx8zg=", AttachmentRid{kContainer, 1, 0x2AF1F338}},
      {"AYIMAMmFOw8YAAAAAAAAAA==", ContainerChildRid{{0x01820C00, 0x49853B0F}, ContainerChild::kItem, 24}},
      {"1-MxAPlgMgA=", ContainerRid{0xD7F33100, 0x79603200}},
  };
  for (const auto& each : cases) {
    const auto parsed = parse_resource_id(each.text);
    ASSERT_TRUE(parsed) << each.text;
    EXPECT_EQ(*parsed, each.rid) << each.text;
    EXPECT_EQ(rid_text(each.rid), each.text);
  }
}

TEST(ResourceId, MarksTheKindOfAContainersChild) {
  const ContainerRid container{1, 1};
  const struct {
    ContainerChild type;
    std::string_view text;
    std::string_view self;
  } cases[] = {
      {ContainerChild::kItem, "AAAAAYAAAAECAAAAAAAAAA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAECAAAAAAAAAA==/"},
      {ContainerChild::kConflict,
       "AAAAAYAAAAECAAAAAAAAQA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/conflicts/AAAAAYAAAAECAAAAAAAAQA==/"},
      {ContainerChild::kPartitionKeyRange,
       "AAAAAYAAAAECAAAAAAAAUA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/pkranges/AAAAAYAAAAECAAAAAAAAUA==/"},
      {ContainerChild::kUserDefinedFunction,
       "AAAAAYAAAAECAAAAAAAAYA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/udfs/AAAAAYAAAAECAAAAAAAAYA==/"},
      {ContainerChild::kTrigger,
       "AAAAAYAAAAECAAAAAAAAcA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/triggers/AAAAAYAAAAECAAAAAAAAcA==/"},
      {ContainerChild::kStoredProcedure,
       "AAAAAYAAAAECAAAAAAAAgA==", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/sprocs/AAAAAYAAAAECAAAAAAAAgA==/"},
  };
  for (const auto& each : cases) {
    const ContainerChildRid rid{container, each.type, 2};
    EXPECT_EQ(rid_text(rid), each.text);
    EXPECT_EQ(self_link(rid), each.self);
    EXPECT_EQ(parse_child_rid(each.text, each.type), rid);
    EXPECT_EQ(parse_child_rid(each.text, each.type == ContainerChild::kItem ? ContainerChild::kTrigger : ContainerChild::kItem),
              std::nullopt);
  }
}

TEST(ResourceId, KeepsTheLargestNumbers) {
  const ContainerRid container{0xFFFFFFFF, 0x7FFFFFFF};
  const ResourceId cases[] = {
      container,
      UserRid{0xFFFFFFFF, 0x7FFFFFFF},
      ContainerChildRid{container, ContainerChild::kItem, (uint64_t{1} << 60) - 1},
      ContainerChildRid{container, ContainerChild::kStoredProcedure, (uint64_t{1} << 60) - 1},
      AttachmentRid{container, (uint64_t{1} << 60) - 1, 0xFFFFFFFF},
      PermissionRid{{0xFFFFFFFF, 0x7FFFFFFF}, ~uint64_t{0}},
      ClientEncryptionKeyRid{0xFFFFFFFF, 0xFFFFFFFF},
      OfferRid{0xFFFFFF},
  };
  for (const ResourceId& rid : cases) {
    const std::string text = rid_text(rid);
    EXPECT_FALSE(text.contains('/'));
    const auto parsed = parse_resource_id(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, rid) << text;
  }
}

TEST(ResourceId, WritesSelfLinks) {
  EXPECT_EQ(self_link(DatabaseRid{1}), "dbs/AAAAAQ==/");
  EXPECT_EQ(self_link(ContainerRid{1, 2}), "dbs/AAAAAQ==/colls/AAAAAYAAAAI=/");
  EXPECT_EQ(self_link(UserRid{1, 2}), "dbs/AAAAAQ==/users/AAAAAQAAAAI=/");
  EXPECT_EQ(self_link(PermissionRid{{1, 2}, 3}), "dbs/AAAAAQ==/users/AAAAAQAAAAI=/permissions/AAAAAQAAAAIDAAAAAAAAAA==/");
  EXPECT_EQ(self_link(AttachmentRid{{1, 2}, 3, 4}),
            "dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/attachments/AAAAAYAAAAIDAAAAAAAAAAAAAAQ=/");
  EXPECT_EQ(self_link(ClientEncryptionKeyRid{1, 5}), "dbs/AAAAAQ==/clientencryptionkeys/AAAAAQAAAAAFAAAAAgAAAA==/");
  EXPECT_EQ(self_link(OfferRid{0x030201}), "offers/AQID/");
}

TEST(ResourceId, RejectsEveryOtherText) {
  for (const char* text : {"", "x", "items",
                           "AAAAAA==",                      // database 0
                           "AAAA",                          // offer 0
                           "AAAAAR==",                      // unused bits set: not the text that is written
                           "AAAAAQAAAAA=",                  // user 0
                           "AAAAAYAAAAEAAAAAAAAAAA==",      // item 0
                           "AAAAAYAAAAECAAAAAAAAEA==",      // no such type
                           "AAAAAYAAAAECAAAAAAAAUAAAAAE=",  // attachment of a partition key range
                           "AAAAAYAAAAECAAAA",              // twelve bytes
                           "AAAAAQAAAAAFAAAAAwAAAA==",      // unknown child of a database
                           "AAAAAYAAAAECAAAAAAAAAAAAAAEAAAAB", "1/MxAPlgMgA="}) {
    EXPECT_FALSE(parse_resource_id(text)) << text;
  }
  EXPECT_EQ(parse_resource_id("items").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(parse_resource_id_as<ContainerRid>("AAAAAQ=="), std::nullopt);
}

}  // namespace
}  // namespace partita::cosmos
