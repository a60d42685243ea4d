#include "engine/rows.h"

#include "base/encodings.h"
#include "engine/item/resource_rid.h"
#include "engine/test_items.h"

#include <gtest/gtest.h>

// The expected bytes are formats on disk: a test that fails here means that existing data can no longer be read.
namespace partita {
namespace {

constexpr PartitionId kPartition{0x01020304};

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

}  // namespace

TEST(Rows, KeysHaveTheirLayout) {
  EXPECT_EQ(hex_upper(partition_prefix(kPartition)), "01020304");
  EXPECT_EQ(hex_upper(item_row_key(kPartition, DocumentNumber{0x0A0B0C})),
            "01020304"
            "00000000000A0B0C");
  EXPECT_EQ(hex_upper(change_key(kPartition, Lsn{5}, DocumentNumber{6})),
            "01020304"
            "0000000000000005"
            "0000000000000006");
  EXPECT_EQ(hex_upper(index_prefix(IndexId{7})), "00000007");
  EXPECT_EQ(hex_upper(counters_key(kPartition)),
            "70"
            "01020304");
  EXPECT_EQ(hex_upper(heat_key(kPartition)),
            "68"
            "01020304");
  std::string key = "what was here before";
  assign_index_key(key, IndexId{7}, "term", DocumentNumber{8});
  EXPECT_EQ(hex_upper(key),
            "00000007"
            "7465726D"
            "0000000000000008");
}

TEST(Rows, PrimaryKeysHaveTheirLayout) {
  const PartitionKey none;
  EXPECT_EQ(hex_upper(item_key(kPartition, "\xAB", none, "id")),
            "01020304"
            "AB" +
                hex_upper([&] {
                  std::string form;
                  none.append_key_form(form);
                  return form;
                }()) +
                "6964");
  const PartitionKey key{{std::string("a"), 1.0, NullKey{}}};
  EXPECT_EQ(hex_upper(item_key(kPartition, "\xAB", key, "id")),
            "01020304AB"
            "50610001"
            "40BFF0000000000000"
            "20"
            "00"
            "6964");
}

TEST(Rows, NumbersAreReadBackFromKeys) {
  EXPECT_EQ(trailing_number(item_row_key(kPartition, DocumentNumber{77})), DocumentNumber{77});
  EXPECT_EQ(trailing_number(change_key(kPartition, Lsn{5}, DocumentNumber{77})), DocumentNumber{77});
  EXPECT_EQ(lsn_of_change_key(change_key(kPartition, Lsn{5}, DocumentNumber{77})), Lsn{5});
}

TEST(Rows, KeysSortByNumber) {
  EXPECT_LT(item_row_key(kPartition, DocumentNumber{255}), item_row_key(kPartition, DocumentNumber{256}));
  EXPECT_LT(change_key(kPartition, Lsn{1}, DocumentNumber{900}), change_key(kPartition, Lsn{2}, DocumentNumber{1}));
}

TEST(ItemRecord, HasItsLayout) {
  std::string record = item_record("document");
  set_lsn(record, Lsn{0x0102030405060708});
  EXPECT_EQ(hex_upper(record),
            "01000000"
            "0807060504030201"
            "646F63756D656E74");
  const Result<Item> item = item_from_record(DocumentNumber{9}, record);
  ASSERT_TRUE(item);
  EXPECT_EQ(item->lsn(), Lsn{0x0102030405060708});
  EXPECT_EQ(item->number, DocumentNumber{9});
}

TEST(ItemRecord, GivesBackTheDocument) {
  const Item item = item_from_json(1, R"({"id":"x","_etag":"\"e\"","n":1})");
  EXPECT_EQ(item.id(), "x");
  EXPECT_EQ(item.etag(), "\"e\"");
  EXPECT_EQ(to_json(item.document()), R"({"id":"x","_etag":"\"e\"","n":1})");
}

TEST(ItemRecord, OfAnotherFormatOrTooShortIsRefused) {
  for (const char* hex : {"", "01", "010000000000000000000000", "0200000000000000000000007B7D"}) {
    const Result<Item> item = item_from_record(DocumentNumber{3}, bytes(hex));
    ASSERT_FALSE(item) << hex;
    EXPECT_EQ(item.error().code, ErrorCode::kCorruption);
    EXPECT_NE(item.error().message.find("number 3"), std::string::npos);
  }
}

TEST(PartitionCounters, HaveTheirLayoutAndComeBack) {
  const PartitionCounters counters{1, 2, Lsn{3}, DocumentNumber{0x0405}, Lsn{6}, 7};
  const std::string encoded = encode_counters(counters);
  EXPECT_EQ(hex_upper(encoded),
            "01"
            "0100000000000000"
            "0200000000000000"
            "0300000000000000"
            "0504000000000000"
            "0600000000000000"
            "0700000000000000");
  EXPECT_EQ(decode_counters(encoded), counters);
}

TEST(PartitionCounters, OfAnotherFormatOrSizeAreRefused) {
  std::string encoded = encode_counters({});
  EXPECT_FALSE(decode_counters(encoded.substr(1)));
  EXPECT_FALSE(decode_counters(encoded + "x"));
  encoded[0] = 2;
  ASSERT_FALSE(decode_counters(encoded));
  EXPECT_EQ(decode_counters(encoded).error().code, ErrorCode::kCorruption);
}

TEST(ResourceRid, HasTheServicesLayout) {
  EXPECT_EQ(hex_upper(database_rid_bytes(1)), "00000001");
  EXPECT_EQ(hex_upper(container_rid_bytes(1, 2)),
            "00000001"
            "80000002");
  EXPECT_EQ(hex_upper(document_rid_bytes(container_rid_bytes(1, 2), DocumentNumber{0x0304})),
            "00000001"
            "80000002"
            "0403000000000000");
  EXPECT_EQ(rid_text("\xFF\xFF\xFF"), "----");
  EXPECT_EQ(rid_text(database_rid_bytes(1)), "AAAAAQ==");
}

}  // namespace partita
