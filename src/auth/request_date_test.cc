#include "auth/request_date.h"

#include <gtest/gtest.h>

namespace partita::auth {
namespace {

TEST(RequestDate, ReadsRfc1123InAnyCase) {
  EXPECT_EQ(parse_rfc1123("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(parse_rfc1123("Tue, 21 Jul 2020 17:55:31 GMT"), 1595354131);
  EXPECT_EQ(parse_rfc1123("tue, 21 jul 2020 17:55:31 gmt"), 1595354131);
  EXPECT_EQ(parse_rfc1123("TUE, 21 JUL 2020 17:55:31 GMT"), 1595354131);
  EXPECT_EQ(parse_rfc1123("Tue, 21 Jul 2020 17:55:31 UTC"), 1595354131);
  EXPECT_EQ(parse_rfc1123("Thu, 29 Feb 2024 23:59:59 GMT"), 1709251199);
}

TEST(RequestDate, RejectsEverythingElse) {
  for (const char* text : {
           "",
           "2020-07-21T17:55:31Z",
           "1595354131",
           "Tue, 21 Jul 2020 17:55:31",
           "Tue, 21 Jul 2020 17:55:31 GMT ",
           " Tue, 21 Jul 2020 17:55:31 GMT",
           "Tue, 1 Jul 2020 17:55:31 GMT",
           "Wed, 21 Jul 2020 17:55:31 GMT",  // it was a Tuesday
           "Tue, 21 Jul 2020 17:55:31 CET",
           "Tue, 31 Jun 2020 17:55:31 GMT",
           "Wed, 29 Feb 2023 17:55:31 GMT",
           "Tue, 21 Jux 2020 17:55:31 GMT",
           "Tux, 21 Jul 2020 17:55:31 GMT",
           "Tue, 21 Jul 2020 24:00:00 GMT",
           "Tue, 21 Jul 2020 17:60:00 GMT",
           "Tue, 21 Jul 2020 17:55:60 GMT",
           "Tue, 00 Jul 2020 17:55:31 GMT",
           "Tue; 21 Jul 2020 17:55:31 GMT",
           "Tue, 2a Jul 2020 17:55:31 GMT",
       }) {
    ASSERT_FALSE(parse_rfc1123(text)) << text;
    EXPECT_EQ(parse_rfc1123(text).error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace partita::auth
