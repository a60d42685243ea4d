#include "partition/charge/throttling.h"

#include <gtest/gtest.h>

namespace partita {

TEST(Throttling, SaysWhenToComeBack) {
  const Error error = throttled(12'001).error();
  EXPECT_EQ(error.code, ErrorCode::kThrottled);
  EXPECT_EQ(error.detail, ErrorDetail::kOverBudget);
  EXPECT_EQ(retry_after_ms(error), 13);
  EXPECT_EQ(retry_after_ms(throttled(1).error()), 1);
  const Error waiting = too_many_waiting("Too many wait.", 12'001).error();
  EXPECT_EQ(waiting.detail, ErrorDetail::kRetryAfter);
  EXPECT_EQ(retry_after_ms(waiting), 13);
}

TEST(Throttling, OtherErrorsSayNothingOfIt) {
  EXPECT_EQ(retry_after_ms({ErrorCode::kNotFound, "no Retry after ms: 7"}), std::nullopt);
  EXPECT_EQ(retry_after_ms({ErrorCode::kThrottled, "busy Retry after ms: 7"}), std::nullopt);
}

}  // namespace partita
