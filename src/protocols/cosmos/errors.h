#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace partita::cosmos {

// How one of the database's errors looks on this wire.
struct WireError {
  int status;
  int sub_status;         // 0: none
  std::string_view code;  // the name in the body
};

WireError wire_error(ErrorCode code);
// Also tells apart what the service tells apart by sub-statuses, and gives the numbers of errors that scripts throw.
WireError wire_error(const Error& error);

// The error's message; where clients look at the service's words for it, in those.
std::string service_message(const Error& error);

// What an answer says of an error at most: messages quote what a client sent, which may be long.
inline constexpr size_t kErrorMessageBytesMax = 8 * 1024;
// service_message(), cut to that and marked as cut, and where the service explains such errors. Goes into answers through
// append_json_string(), which makes it UTF-8.
std::string wire_message(const Error& error);

// {"code":"...","message":"..."}; always JSON in UTF-8, whatever bytes the message quotes. The message, wire_message() of the
// error, ends with the activity id, by which a user can ask about it. What clients are told besides goes into
// "additionalErrorInfo", as a string.
void append_error_body(std::string& out, const Error& error, std::string_view activity_id, std::string_view additional = {});

}  // namespace partita::cosmos
