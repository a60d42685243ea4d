#include "tools/transfer/progress/in_flight_window.h"
#include "tools/transfer/progress/ledger.h"
#include "tools/transfer/progress/state_file.h"
#include "tools/transfer/progress/terminal_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace partita::tools::transfer {
namespace {

constexpr Hash128 kContent{.low = 1, .high = 2};

TEST(Ledger, ItsPositionWaitsForTheFirstChunk) {
  Ledger ledger("start", {});
  const Ledger::Chunk first = ledger.begin_document();
  EXPECT_EQ(ledger.begin_document(), first);
  ledger.close_chunk("2");
  const Ledger::Chunk second = ledger.begin_document();
  ledger.close_chunk("3");
  ledger.settle_stored(second, kContent);
  ledger.settle_replaced(first);
  ledger.advance();
  EXPECT_EQ(ledger.position(), "start");
  EXPECT_EQ(ledger.settled(), Tally());
  EXPECT_EQ(ledger.so_far().documents(), 2U);
  EXPECT_EQ(ledger.unsettled(), 3U);
  ledger.settle_refused(first, {.line = 1, .reason = "why"});
  ledger.advance();
  EXPECT_EQ(ledger.position(), "3");
  EXPECT_EQ(ledger.unsettled(), 0U);
  EXPECT_EQ(ledger.settled().stored.documents, 1U);
  EXPECT_EQ(ledger.settled().refused, 1U);
  EXPECT_EQ(ledger.take_refusals().size(), 1U);
  EXPECT_EQ(ledger.take_refusals().size(), 0U);
}

TEST(Ledger, AnOpenChunkIsNotPassed) {
  Ledger ledger("start", {});
  ledger.settle_skipped(ledger.begin_document());
  ledger.advance();
  EXPECT_EQ(ledger.position(), "start");
  ledger.close_chunk("1");
  EXPECT_EQ(ledger.position(), "1");
}

TEST(ContentSum, CarriesAndDoesNotDependOnTheOrder) {
  const Hash128 large{.low = ~uint64_t{0}, .high = 7};
  ContentSum one;
  one.add(large);
  one.add(kContent);
  ContentSum other;
  other.add(kContent);
  other.add(large);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.text(), "000000000000000a0000000000000000");
}

TEST(Checkpoint, ComesBackAsItWas) {
  const Checkpoint checkpoint{
      .job = "a \"job\"",
      .position = "[{}]",
      .documents = 5,
      .claimed = 50'005,
      .tally = {.stored = {.documents = 3, .low = ~uint64_t{0}, .high = 1}, .replaced = 1, .refused = 1, .doubtful = 1},
      .output_bytes = 99,
      .columns = {"id", "b"},
      .before = ContentSum{.documents = 2, .low = 3, .high = 4}};
  EXPECT_EQ(Checkpoint::parse(checkpoint.to_json()).value(), checkpoint);
  EXPECT_EQ(Checkpoint::parse(Checkpoint().to_json()).value(), Checkpoint());
}

TEST(Checkpoint, RefusesWhatIsNone) {
  for (const std::string text : {"", "[]", "{}", R"({"version":2})", R"({"version":1,"job":1})"})
    EXPECT_FALSE(Checkpoint::parse(text).has_value()) << text;
}

class StateFileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/state"; }

  std::string folder_ = testing::TempDir() + "partita-state-XXXXXX";
};

TEST_F(StateFileTest, KeepsTheLastCheckpointUntilItIsRemoved) {
  StateFile state = StateFile::open(path()).value();
  EXPECT_FALSE(state.load().value().has_value());
  EXPECT_FALSE(std::filesystem::exists(path()));
  ASSERT_TRUE(state.save({.job = "a"}));
  ASSERT_TRUE(state.save({.job = "b"}));
  EXPECT_EQ(state.load().value()->job, "b");
  ASSERT_TRUE(state.remove());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(StateFileTest, IsForOneProcess) {
  {
    StateFile state = StateFile::open(path()).value();
    ASSERT_TRUE(state.save({.job = "a"}));
    const Result<StateFile> second = StateFile::open(path());
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  }
  EXPECT_EQ(StateFile::open(path()).value().load().value()->job, "a");
}

TEST(InFlightWindow, GrowsWithAnswersAndShrinksOncePerPause) {
  InFlightWindow window(1000, 1150);
  window.note_success(999);
  EXPECT_EQ(window.size(), 1000U);
  window.note_success(1);
  EXPECT_EQ(window.size(), 1100U);
  window.note_success(1100);
  EXPECT_EQ(window.size(), 1150U);
  const InFlightWindow::Time now{std::chrono::seconds(5)};
  window.note_throttle(now);
  window.note_throttle(now + InFlightWindow::kPause / 2);
  EXPECT_EQ(window.size(), 863U);
  for (int times = 1; times < 100; ++times) window.note_throttle(now + times * InFlightWindow::kPause);
  EXPECT_EQ(window.size(), InFlightWindow::kMin);
}

TEST(InFlightWindow, BeginsWithWhatTheThroughputAllows) {
  EXPECT_EQ(first_window(400), 100U);
  EXPECT_EQ(first_window(100'000), 1000U);
  EXPECT_EQ(first_window(1e9), 5000U);
  EXPECT_EQ(first_window(0), 2000U);
}

TEST(ProgressLine, FitsAndSaysWhatMatters) {
  const Progress progress{
      .tally = {.stored = {.documents = 1'500'000}, .refused = 2}, .request_units = 3e6, .throttles = 12, .share = 0.25};
  const std::string line = progress_line(progress, 20'000, std::chrono::seconds(75), 100);
  EXPECT_EQ(line, "[=====               ]  25% 1.50M docs, 20.0k/s, 40.0k RU/s, 12 throttles, 2 refused, 3m45s left");
  EXPECT_EQ(progress_line(progress, 20'000, std::chrono::seconds(75), 30).size(), 30U);
  EXPECT_EQ(progress_line({}, 0, std::chrono::seconds(0), 80), "0 docs, 0/s");
}

}  // namespace
}  // namespace partita::tools::transfer
