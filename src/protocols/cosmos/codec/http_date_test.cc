#include "protocols/cosmos/codec/http_date.h"

#include <gtest/gtest.h>

#include <limits>

#include "auth/request_date.h"

namespace partita::cosmos {
namespace {

std::string http_date(int64_t unix_seconds) {
  std::string text;
  append_http_date(text, unix_seconds);
  return text;
}

TEST(HttpDate, WritesRfc1123) {
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(1595354131), "Tue, 21 Jul 2020 17:55:31 GMT");
  EXPECT_EQ(http_date(1709251199), "Thu, 29 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(http_date(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST(HttpDate, ClampsToFourDigitYears) {
  EXPECT_EQ(http_date(std::numeric_limits<int64_t>::max()), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(http_date(std::numeric_limits<int64_t>::min()), "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST(HttpDate, IsReadBackByTheDateParser) {
  for (int64_t seconds = -5'000'000'000; seconds < 9'000'000'000; seconds += 7'654'321) {
    EXPECT_EQ(auth::parse_rfc1123(http_date(seconds)), seconds);
  }
}

}  // namespace
}  // namespace partita::cosmos
