#include "script/message.h"

#include <gtest/gtest.h>

namespace partita::script {

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
