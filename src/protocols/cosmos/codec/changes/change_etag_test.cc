#include "protocols/cosmos/codec/changes/change_etag.h"

#include <gtest/gtest.h>

namespace partita::cosmos {

TEST(ChangeEtag, OfOnePartitionIsItsLsn) {
  const PartitionPlace place{.range_id = "0", .parents = {}, .partition = nullptr};
  ChangePage page;
  page.is_of_one_place = true;
  page.place = &place;
  page.next.note(place, Lsn{17});
  EXPECT_EQ(encode_change_etag(page), "\"17\"");
  EXPECT_EQ(decode_change_etag("\"17\"")->of(place), Lsn{17});
  EXPECT_EQ(decode_change_etag("17")->of(place), Lsn{17});
}

TEST(ChangeEtag, OfSeveralPartitionsNamesThem) {
  const PartitionPlace first{.range_id = "0", .parents = {}, .partition = nullptr};
  const PartitionPlace second{.range_id = "1", .parents = {}, .partition = nullptr};
  ChangePage page;
  page.place = &first;
  page.next.note(first, Lsn{17});
  page.next.note(second, Lsn{5});
  const std::string text = encode_change_etag(page);
  EXPECT_EQ(text, "\"0:17,1:5\"");
  EXPECT_EQ(decode_change_etag(text)->of(first), Lsn{17});
  EXPECT_EQ(decode_change_etag(text)->of(second), Lsn{5});
}

TEST(ChangeEtag, RefusesOtherTexts) {
  for (const char* text : {"", "\"\"", "x", "-1", "1:", ":1", "1:2,", "1:2,3", "99999999999999999999", "9223372036854775808",
                           "0:9223372036854775808", "x:1", "0:1,1:2,0:3", "000000000000000000001:1"}) {
    EXPECT_FALSE(decode_change_etag(text)) << text;
  }
}

}  // namespace partita::cosmos
