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

// {"code":"...","message":"..."}; the message ends with the activity id, by which a user can ask about it. What clients are told
// besides goes into "additionalErrorInfo", as a string.
void append_error_body(std::string& out, std::string_view code, std::string_view message, std::string_view activity_id,
                       std::string_view additional = {});

}  // namespace partita::cosmos
