#include "protocols/cosmos/codec/changes/wait_preference.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::cosmos {

TEST(WaitPreference, IsFoundAmongOthers) {
  EXPECT_EQ(parse_wait_preference("wait=30"), 30'000);
  EXPECT_EQ(parse_wait_preference("return=minimal, Wait = 5 ; x=y"), 5'000);
  EXPECT_EQ(parse_wait_preference("wait=0"), 0);
  EXPECT_EQ(parse_wait_preference("wait=7,wait=9"), 7'000);
}

TEST(WaitPreference, WhatCannotBeReadIsIgnored) {
  for (const std::string text : {"", ",", "wait", "wait=", "wait=-1", "wait=1.5", "wait=x", "await=3", "wait=3x", ";wait=3"}) {
    EXPECT_EQ(parse_wait_preference(text), std::nullopt) << text;
  }
}

TEST(WaitPreference, HugeNumbersAreJustLong) {
  EXPECT_EQ(parse_wait_preference("wait=99999999999999999999999999"), 86'400'000);
  EXPECT_EQ(parse_wait_preference("wait=9223372036854775807"), 86'400'000);
  EXPECT_EQ(parse_polling_interval("1e300"), 86'400'000);
}

TEST(PollingInterval, IsANumberOfMilliseconds) {
  EXPECT_EQ(parse_polling_interval("1500"), 1'500);
  EXPECT_EQ(parse_polling_interval("1500.75"), 1'500);
  EXPECT_EQ(parse_polling_interval("0"), 0);
  for (const std::string text : {"", "-1", "x", "1500ms", " 1", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(parse_polling_interval(text)) << text;
  }
}

}  // namespace partita::cosmos
