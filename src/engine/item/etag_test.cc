#include "engine/item/etag.h"

#include <gtest/gtest.h>

#include <set>

namespace partita {

TEST(EtagSource, GivesQuotedTextsOfOneLengthThatNeverRepeat) {
  Random random(1);
  EtagSource etags(random);
  std::set<std::string> seen;
  for (int64_t second : {int64_t{0}, int64_t{1'700'000'000}, int64_t{0xFFFFFFFF}}) {
    for (int i = 0; i < 100; ++i) {
      const std::string etag = etags.next(second);
      EXPECT_EQ(etag.size(), 38u) << etag;
      EXPECT_EQ(etag.front(), '"');
      EXPECT_EQ(etag.back(), '"');
      EXPECT_TRUE(seen.insert(etag).second) << etag;
    }
  }
}

TEST(EtagSource, HasTheServicesShape) {
  Random random(1);
  EtagSource etags(random);
  const std::string etag = etags.next(0x5D4F5C5E);
  EXPECT_EQ(etag.substr(14), "-0100-0000-5d4f5c5e0000\"") << etag;
}

}  // namespace partita
