#include "observe/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace partita::observe {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class EventLogTest : public testing::Test {
 protected:
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& [severity, line] : logged_) lines.push_back(line);
    return lines;
  }
  static Event event(std::string what) {
    return {.severity = EventSeverity::kWarning, .room = "storage", .kind = "test", .what = std::move(what)};
  }

  ManualClock clock_{1'700'000'000'000};
  std::vector<std::pair<EventSeverity, std::string>> logged_;
  EventLog log_{clock_, [this](EventSeverity severity, const std::string& line) { logged_.emplace_back(severity, line); }};
};

TEST_F(EventLogTest, SaysWhatHappenedWhereAndWhatToDo) {
  log_.report({.severity = EventSeverity::kError,
               .room = "storage",
               .kind = "writes-refused",
               .what = "writes are refused: no space",
               .where = "/data/store",
               .advice = "make room on the disk"});
  EXPECT_THAT(logged_, ElementsAre(Pair(EventSeverity::kError,
                                        "storage: writes are refused: no space [/data/store]; make room on the disk")));
}

TEST_F(EventLogTest, NoTextForgesALineOrHidesPartOfIt) {
  Event hostile = event("a\n2026-01-01T00:00:00.000 info all is well\r\x1b[2K\x7f\\n");
  hostile.where = std::string("x\0y\xC3(\xE2\x80\xAE", 8);
  hostile.advice = "\xC2\x85";
  log_.report(hostile);
  EXPECT_THAT(lines(), ElementsAre("storage: a\\x0A2026-01-01T00:00:00.000 info all is well\\x0D\\x1B[2K\\x7F\\\\n "
                                   "[x\\x00y\\xC3(\\xE2\\x80\\xAE]; \\xC2\\x85"));
}

TEST_F(EventLogTest, LongTextsAreCut) {
  log_.report(event(std::string(1'000'000, 'x')));
  EXPECT_EQ(lines().front(), "storage: " + std::string(kEventTextBytesMax, 'x') + "...");
}

TEST_F(EventLogTest, OfAFloodSomeAreLoggedAndAllAreCounted) {
  for (uint64_t i = 0; i < kEventsLoggedPerMinute + 30; ++i) log_.report(event("again"));
  EXPECT_EQ(logged_.size(), kEventsLoggedPerMinute);
  // Others are not concerned.
  Event other = event("other");
  other.kind = "other";
  log_.report(other);
  EXPECT_EQ(lines().back(), "storage: other");
  clock_.advance_ms(60'000);
  log_.report(event("later"));
  EXPECT_EQ(lines().back(), "storage: later (30 more of this kind were not logged)");
  log_.report(event("later"));
  EXPECT_EQ(lines().back(), "storage: later");
  const Metrics::Samples counts = log_.counts();
  ASSERT_EQ(counts.size(), 2);
  EXPECT_EQ(counts[1].first.at("kind"), "test");
  EXPECT_EQ(counts[1].second, static_cast<double>(kEventsLoggedPerMinute + 32));
}

}  // namespace partita::observe
