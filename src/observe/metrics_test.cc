#include "observe/metrics.h"

#include "observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace partita::observe {
namespace {

using testing::HasSubstr;

}  // namespace

TEST(Metrics, CountRequestsByMethodAndStatus) {
  Metrics metrics;
  metrics.count_request("GET", 200, 0.001);
  metrics.count_request("GET", 204, 0.001);
  metrics.count_request("POST", 429, 0.2);
  metrics.count_request("BREW", 700, 9);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr(R"(partita_requests_total{method="GET",status="2xx"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(partita_requests_total{method="POST",status="429"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(partita_requests_total{method="POST",status="4xx"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(partita_requests_total{method="other",status="other"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(partita_request_duration_seconds_bucket{method="POST",le="0.1"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(partita_request_duration_seconds_bucket{method="POST",le="0.5"} 1)"));
}

TEST(Metrics, CountersSayThatTheyAreSums) {
  Metrics metrics;
  metrics.add_counter("partita_work_seconds_total", "Work.", [] { return 1.5; });
  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE partita_work_seconds_total counter\npartita_work_seconds_total 1.5"));
}

TEST(Metrics, GaugesAreReadWhenAskedFor) {
  Metrics metrics;
  double value = 1;
  metrics.add_gauge("partita_things", "Things.", [&] { return value; });
  EXPECT_THAT(metrics.text(), HasSubstr("partita_things 1"));
  value = 2;
  EXPECT_THAT(metrics.text(), HasSubstr("partita_things 2"));
}

TEST(Metrics, GaugesWithLabelsComeAndGo) {
  Metrics metrics;
  Metrics::Samples samples = {{{{"partition", "0"}, {"container", "a\"b"}}, 3}, {{{"partition", "1"}}, 4}};
  metrics.add_gauges("partita_heat", "Heat.", [&] { return samples; });
  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE partita_heat gauge\npartita_heat{container=\"a\\\"b\",partition=\"0\"} 3\n"
                                        "partita_heat{partition=\"1\"} 4\n"));
  samples.pop_back();
  EXPECT_THAT(metrics.text(), testing::Not(HasSubstr("partition=\"1\"")));
}

TEST(Metrics, CountFromManyThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) metrics.count_request("PUT", 200, 0.001);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(metrics.text(), HasSubstr(R"(partita_requests_total{method="PUT",status="2xx"} 4000)"));
}

TEST(Logging, KnowsItsLevels) {
  for (const char* level : {"trace", "debug", "info", "warn", "error", "off"}) EXPECT_TRUE(start_logging(level)) << level;
  for (const char* level : {"", "INFO", "verbose"}) {
    const Status refused = start_logging(level);
    ASSERT_FALSE(refused) << level;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace partita::observe
