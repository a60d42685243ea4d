#include "client/retry.h"

#include <gtest/gtest.h>

namespace partita::client {
namespace {

using std::chrono::milliseconds;

Outcome answered(int status, std::string_view sub_status = "", std::string_view retry_after = "") {
  Response response;
  response.set_status(status);
  if (!sub_status.empty()) response.add_header("x-ms-substatus", sub_status);
  if (!retry_after.empty()) response.add_header("x-ms-retry-after-ms", retry_after);
  return response;
}
Outcome lost(Loss::Kind kind) { return std::unexpected(Loss{kind, ""}); }

bool is_sent_again(const Outcome& outcome, bool is_repeatable, bool names_range = false) {
  const RetryOptions options;
  return RetryState(options, is_repeatable, names_range).wait_after(outcome).has_value();
}

TEST(RetryState, RepeatsWhatWasNotDoneAndWhatDoesNoHarmTwice) {
  for (const bool is_repeatable : {false, true}) {
    EXPECT_TRUE(is_sent_again(answered(429), is_repeatable));
    EXPECT_TRUE(is_sent_again(answered(449), is_repeatable));
    EXPECT_TRUE(is_sent_again(answered(410, "1007"), is_repeatable));
    EXPECT_TRUE(is_sent_again(answered(404, "1002"), is_repeatable));
    EXPECT_TRUE(is_sent_again(lost(Loss::Kind::kNotSent), is_repeatable));
    EXPECT_EQ(is_sent_again(answered(503), is_repeatable), is_repeatable);
    EXPECT_EQ(is_sent_again(answered(408), is_repeatable), is_repeatable);
    EXPECT_EQ(is_sent_again(lost(Loss::Kind::kUnknown), is_repeatable), is_repeatable);
    for (const int status : {200, 201, 304, 400, 401, 403, 404, 409, 412, 413, 500}) {
      EXPECT_FALSE(is_sent_again(answered(status), is_repeatable)) << status;
    }
    for (const Loss::Kind kind : {Loss::Kind::kTimeout, Loss::Kind::kNotHttp, Loss::Kind::kNotOpened, Loss::Kind::kClosed}) {
      EXPECT_FALSE(is_sent_again(lost(kind), is_repeatable));
    }
  }
  EXPECT_TRUE(is_sent_again(answered(410, "1002"), false));
  EXPECT_FALSE(is_sent_again(answered(410, "1002"), true, true));
}

TEST(RetryState, WaitsAsLongAsItIsToldWithinItsBounds) {
  const RetryOptions options{.throttled_max = 5, .failed_max = 1, .wait_max = milliseconds(1000)};
  RetryState state(options, true, false);
  EXPECT_EQ(state.wait_after(answered(429, "", "700")), milliseconds(700));
  EXPECT_EQ(state.wait_after(answered(429, "", "301")), std::nullopt);
  EXPECT_EQ(state.wait_after(answered(429, "", "9223372036854775807")), std::nullopt);
  EXPECT_EQ(state.wait_after(answered(429, "", "-5")), milliseconds(0));
  EXPECT_EQ(state.wait_after(answered(503)), milliseconds(50));
  EXPECT_EQ(state.wait_after(answered(503)), std::nullopt);
  EXPECT_EQ(state.throttles(), 2);
  EXPECT_EQ(state.retries(), 1);
}

TEST(RetryState, GivesUpAfterSoManyTimes) {
  const RetryOptions options{.throttled_max = 3};
  RetryState state(options, false, false);
  EXPECT_EQ(state.wait_after(answered(449)), milliseconds(10));
  EXPECT_EQ(state.wait_after(answered(449)), milliseconds(20));
  EXPECT_EQ(state.wait_after(answered(449)), milliseconds(40));
  EXPECT_EQ(state.wait_after(answered(449)), std::nullopt);
  const RetryOptions none{.is_enabled = false};
  RetryState off(none, true, false);
  EXPECT_EQ(off.wait_after(answered(429)), std::nullopt);
}

}  // namespace
}  // namespace partita::client
