#pragma once

#include "base/result.h"
#include "client/response.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace partita::client {

// What a server finds wrong with a query, and where in its text: bytes from `start` up to, not including, `end`.
struct QueryFault {
  std::string code = {};  // such as SC1001
  std::string message = {};
  size_t start = 0;
  size_t end = 0;

  bool operator==(const QueryFault&) const = default;
};

// Failure: an Error with what a server said about it. `code` and `message` are what the error means here; `status` is 0 when
// nobody answered.
struct Failure : Error {
  Failure(Error error) : Error(std::move(error)) {}

  int status = 0;
  int sub_status = 0;
  std::string name = {};  // the server's own, such as BadRequest
  std::vector<QueryFault> faults = {};
  std::string activity_id = {};
};

// A value or a Failure. TRY passes it up in functions of either kind.
template <typename T>
using Answer = std::expected<T, Failure>;

// What an answer that is no success means. The message is the server's own, without what wraps it.
Failure failure_of(const Response& response);

// The error that a status means.
ErrorCode code_of(int status, int sub_status);

}  // namespace partita::client
