#pragma once

#include "auth/master_key.h"
#include "base/result.h"
#include "client/endpoint.h"
#include "client/options.h"
#include "client/request.h"

#include <optional>
#include <string>
#include <string_view>

namespace partita::client {

// RequestText: writes requests as they go over the wire, signed. Immutable and thread-safe.
class RequestText {
 public:
  // kInvalidInput: the key is not base64, or something in the options cannot stand in a header.
  static Result<RequestText> create(const Endpoint& endpoint, const Options& options);

  // kInvalidInput: something in the request cannot stand where it is. `session` is empty for none.
  Result<std::string> write(const Request& request, std::string_view session, int64_t unix_seconds) const;

 private:
  RequestText() = default;
  void append_authorization(std::string& out, const Request& request, std::string_view date) const;

  std::string fixed_;           // the lines that all requests have in common
  std::string resource_token_;  // percent-encoded
  std::optional<auth::MasterKeySigner> signer_;
};

// "Tue, 21 Jul 2020 17:55:31 GMT".
std::string http_date(int64_t unix_seconds);

}  // namespace partita::client
