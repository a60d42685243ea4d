#include "engine/versions.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "engine/test_items.h"

#include <gtest/gtest.h>

namespace partita {

TEST(ItemVersion, HasItsLayoutAndComesBack) {
  const Item item = item_from_json(7, R"({"id":"a"})");
  const std::string record =
      version_record({.kind = VersionKind::kErased, .has_expired = true, .previous = Lsn{0x0102}, .seconds = 0x0304}, item);
  EXPECT_EQ(hex_upper(record.substr(0, 20)),
            "01030100"
            "0201000000000000"
            "0403000000000000");
  const std::string key = change_key(PartitionId{1}, Lsn{9}, item.number);
  const Result<ItemVersion> version = version_from_row(key, record);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->number, item.number);
  EXPECT_EQ(version->lsn, Lsn{9});
  EXPECT_EQ(version->kind(), VersionKind::kErased);
  EXPECT_TRUE(version->has_expired());
  EXPECT_EQ(version->previous(), Lsn{0x0102});
  EXPECT_EQ(version->seconds(), 0x0304);
  EXPECT_EQ(to_json(version->document()), to_json(item.document()));
}

TEST(ItemVersion, OfAnotherFormatOrKindIsRefused) {
  const std::string key = change_key(PartitionId{1}, Lsn{9}, DocumentNumber{7});
  std::string record = version_record({}, item_from_json(7, R"({"id":"a"})"));
  ASSERT_TRUE(version_from_row(key, record));
  EXPECT_FALSE(version_from_row(key, record.substr(0, 20)));
  EXPECT_FALSE(version_from_row(key, ""));
  record[1] = 4;
  EXPECT_FALSE(version_from_row(key, record));
  record[1] = 1;
  record[0] = 2;
  ASSERT_FALSE(version_from_row(key, record));
  EXPECT_EQ(version_from_row(key, record).error().code, ErrorCode::kCorruption);
}

TEST(VersionRetention, ComesFromTheChangeFeedPolicy) {
  const auto parse = [](std::string_view json) {
    const std::string stored = stored_from_json(json).value();
    return VersionRetention::parse(Value::view(stored));
  };
  EXPECT_EQ(parse(R"({"retentionDuration":10})"), (VersionRetention{.minutes = 10, .gives_previous = false}));
  EXPECT_EQ(parse(R"({"retentionDuration":1,"previousImages":true})"), (VersionRetention{.minutes = 1, .gives_previous = true}));
  EXPECT_FALSE(parse(R"({"retentionDuration":0})")->is_on());
  EXPECT_FALSE(parse("{}")->is_on());
  EXPECT_FALSE(parse("null")->is_on());
  EXPECT_FALSE(VersionRetention::parse(Value())->is_on());
  for (const char* bad : {"1", R"({"retentionDuration":-1})", R"({"retentionDuration":1.5})", R"({"retentionDuration":"1"})"}) {
    EXPECT_FALSE(parse(bad)) << bad;
  }
}

}  // namespace partita
