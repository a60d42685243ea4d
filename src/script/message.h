#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::script {

// What the server and a script host say to each other, over a socket.
//
//   bytes   0        4      5       9
//           | length | type | count | per field: length (4), bytes |
//
// Numbers are little-endian; `length` counts what follows it.
enum class MessageType : char {
  // From the server.
  kRun = 'R',       // kind, name, source, arguments, operation, request body, response body, self link (the tenant), alt link,
                    // logging ("1"), milliseconds until operations are refused, milliseconds until the end
  kReply = 'A',     // to kOperation: number, body, continuation, whether further operations are accepted ("1")
  kEvaluate = 'E',  // a user defined function: name, source, arguments, positions of undefined ones, milliseconds until the end,
                    // session, tenant
  kForget = 'X',    // the session is over; has no answer
  // From the host.
  kReady = 'Y',      // once, when it has started
  kOperation = 'O',  // operation and its fields
  kDone = 'D',       // response body, log, request body; for kEvaluate the result. Nothing for undefined: an empty text
  kFailed = 'F',     // kind of failure (error, compile, time, memory, gone), number, text with stack
};

struct Message {
  MessageType type = MessageType::kDone;
  std::vector<std::string> fields;

  // Missing fields are empty.
  std::string_view field(size_t index) const { return index < fields.size() ? std::string_view(fields[index]) : ""; }
};

// Larger messages are refused, so that neither side can make the other one allocate without bound.
inline constexpr size_t kMessageBytesMax = 32 << 20;
inline constexpr size_t kMessageFieldsMax = 64;

std::string encode_message(const Message& message);
// What follows the length. kCorruption when it is no message.
Result<Message> decode_message(std::string_view bytes);

// Asked with what poll() knows the socket must be ready for: returns once it is, or with an error when nobody waits any longer.
using SocketWait = std::function<Status(short events)>;

// kUnavailable when the other side is gone, kCorruption when it says something else than messages. Whatever the other side does,
// the wait is asked before every byte that is received and for every one that cannot be sent, and no more memory is used than
// bytes have come. Without a wait both block.
Status send_message(int socket, const Message& message, const SocketWait& wait = {});
Result<Message> receive_message(int socket, const SocketWait& wait = {});

}  // namespace partita::script
