#include "script/host_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace partita::script {
namespace {

// A program in the place of the script host: it says that it is ready, and then what the test likes.
class HostProcessTest : public testing::Test {
 protected:
  ~HostProcessTest() override { std::remove(path_.c_str()); }

  std::unique_ptr<HostProcess> start(std::string_view then) {
    std::ofstream(path_) << "#!/bin/sh\nprintf '\\005\\000\\000\\000Y\\000\\000\\000\\000' >&0\n" << then << "\n";
    ::chmod(path_.c_str(), S_IRWXU);
    Result<std::unique_ptr<HostProcess>> host = HostProcess::start(path_);
    EXPECT_TRUE(host) << host.error().message;
    return host ? *std::move(host) : nullptr;
  }
  // Far away: what ends the wait is the watch.
  static HostProcess::TimePoint later() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }
  static Status cancel() { return fail(ErrorCode::kForbidden, "cancelled"); }

  std::string path_ = testing::TempDir() + "hostile-host-" + std::to_string(::getpid());
};

constexpr std::string_view kHalfAMessage = "printf '\\377\\000\\000\\000D' >&0; read -r line";

}  // namespace

TEST_F(HostProcessTest, TheWatchIsAskedInTheMiddleOfAMessage) {
  const std::unique_ptr<HostProcess> host = start(kHalfAMessage);
  ASSERT_NE(host, nullptr);
  const Result<Message> received = host->receive(later(), cancel);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kForbidden);
  EXPECT_FALSE(host->is_alive());
}

TEST_F(HostProcessTest, TheDeadlineHoldsForTheWholeMessage) {
  const std::unique_ptr<HostProcess> host = start("printf '\\000\\000\\000\\001' >&0; while :; do printf x >&0 || exit; done");
  ASSERT_NE(host, nullptr);
  const Result<Message> received = host->receive(std::chrono::steady_clock::now() + std::chrono::milliseconds(50), {});
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(host->death(), HostDeath::kStuck);
}

TEST_F(HostProcessTest, AHostThatDoesNotListenIsNotWaitedForEither) {
  const std::unique_ptr<HostProcess> host = start("while :; do kill -STOP $$; done");
  ASSERT_NE(host, nullptr);
  const Status sent = host->send({MessageType::kReply, {std::string(16 << 20, 'x')}}, later(), cancel);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kForbidden);
}

}  // namespace partita::script
