#include "partition/charge/throttling.h"

#include <gtest/gtest.h>

namespace partita {

TEST(Throttling, SaysWhenToComeBack) {
  const Error error = throttled(12'001).error();
  EXPECT_EQ(error.code, ErrorCode::kThrottled);
  EXPECT_TRUE(error.message.starts_with("Request rate is large."));
  EXPECT_EQ(retry_after_ms(error), 13);
  EXPECT_EQ(retry_after_ms(throttled(1).error()), 1);
  EXPECT_TRUE(is_over_budget(error));
  EXPECT_FALSE(is_over_budget(too_many_waiting("Too many wait.", 12'001).error()));
}

TEST(Throttling, OtherErrorsSayNothingOfIt) {
  EXPECT_EQ(retry_after_ms({ErrorCode::kNotFound, "no Retry after ms: 7"}), std::nullopt);
  EXPECT_EQ(retry_after_ms({ErrorCode::kThrottled, "busy Retry after ms: 7"}), std::nullopt);
}

}  // namespace partita
