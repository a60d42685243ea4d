#include "script/message.h"

#include "base/bytes.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace partita::script {
namespace {

// A socket whose other end does what the test likes.
class HostileSocket : public testing::Test {
 protected:
  HostileSocket() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~HostileSocket() override {
    for (const int end : ends_) ::close(end);
  }
  int ours() const { return ends_[0]; }
  void say(std::string_view bytes) {
    EXPECT_EQ(::send(ends_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  static std::string length(uint32_t bytes) {
    std::string out;
    append_little_endian(out, bytes);
    return out;
  }
  // Ends when it was asked so often, which is what time is here.
  SocketWait patience(int asked_max, const std::function<void()>& meanwhile = {}) {
    return [this, asked_max, meanwhile](short) -> Status {
      if (++asked_ > asked_max) return fail(ErrorCode::kTimeout, "too late");
      if (meanwhile) meanwhile();
      return {};
    };
  }

  std::array<int, 2> ends_{};
  int asked_ = 0;
};

}  // namespace

TEST_F(HostileSocket, HalfAMessageIsNotWaitedForLongerThanAWholeOne) {
  say(length(100) + "D");
  const Result<Message> received = receive_message(ours(), patience(10));
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kTimeout);
}

TEST_F(HostileSocket, NorIsOneThatComesByteByByte) {
  say(length(kMessageBytesMax));
  const Result<Message> received = receive_message(ours(), patience(1'000, [this] { say("x"); }));
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kTimeout);
}

TEST_F(HostileSocket, OneThatIsTooLargeIsRefusedByItsLength) {
  say(length(UINT32_MAX));
  const Result<Message> received = receive_message(ours(), patience(10));
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kCorruption);
}

TEST_F(HostileSocket, WhoeverDoesNotListenIsNotWaitedForLonger) {
  const Message large{MessageType::kReply, {std::string(16 << 20, 'x')}};
  const Status sent = send_message(ours(), large, patience(10));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kTimeout);
}

TEST_F(HostileSocket, AMessageInPiecesIsReceived) {
  const std::string bytes = encode_message({MessageType::kDone, {"abc", std::string(300'000, 'x')}});
  size_t said = 0;
  const Result<Message> received = receive_message(ours(), [&](short events) -> Status {
    EXPECT_EQ(events, POLLIN);
    const std::string_view next = std::string_view(bytes).substr(said, 10'000);
    if (!next.empty()) say(next);
    said += next.size();
    return {};
  });
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(received->field(1).size(), 300'000u);
}

TEST(Message, ReadsBackWhatWasWritten) {
  const Message message{MessageType::kRun, {"", "text", std::string("\0\xFF", 2)}};
  const std::string bytes = encode_message(message);
  const Result<Message> read = decode_message(std::string_view(bytes).substr(sizeof(uint32_t)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, message.type);
  EXPECT_EQ(read->fields, message.fields);
  EXPECT_EQ(read->field(1), "text");
  EXPECT_EQ(read->field(9), "");
}

TEST(Message, RefusesEverythingElse) {
  const std::string bytes = encode_message({MessageType::kDone, {"abc", "d"}}).substr(sizeof(uint32_t));
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode_message(bytes.substr(0, length))) << length;
  EXPECT_FALSE(decode_message(bytes + "x"));
  std::string unknown = bytes;
  unknown[0] = 'z';
  EXPECT_FALSE(decode_message(unknown));
  std::string endless = bytes;
  endless[4] = '\x7F';
  EXPECT_FALSE(decode_message(endless));
}

}  // namespace partita::script
