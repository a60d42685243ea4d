#include "server/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace partita::server {
namespace {

// In a process of their own, because it ends.
class StopSignalsDeathTest : public testing::Test {
 protected:
  StopSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopSignalsDeathTest, EndAServerThatIsStillStarting) {
  const auto start_for_ever = [] {
    StopSignals signals;
    ::kill(::getpid(), SIGTERM);
    while (true) ::pause();
  };
  EXPECT_EXIT(start_for_ever(), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalsDeathTest, EndAServerThatDoesNotEndByItself) {
  const auto never_end = [] {
    StopSignals signals;
    signals.note_started();
    ::kill(::getpid(), SIGINT);
    signals.wait();
    while (true) ::pause();
  };
  EXPECT_EXIT(never_end(), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalsDeathTest, LetAServerEndThatDoes) {
  const auto end = [] {
    {
      StopSignals signals;
      signals.note_started();
      ::kill(::getpid(), SIGTERM);
      signals.wait();
    }
    ::_exit(7);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
}

TEST_F(StopSignalsDeathTest, AreNotNeededToEnd) {
  const auto end = [] {
    {
      StopSignals signals;
    }
    ::_exit(7);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace partita::server
