#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

enum class TokenType {
  kMaster,        // a signature made with an account key
  kResource,      // a permission's token
  kDirectory,     // a directory service's token ("aad")
  kSharedAccess,  // a scoped token that a client derived from an account key ("sas")
};

// AuthorizationToken: the three parts of `type=master&ver=1.0&sig=...`. The signature is still text: what it encodes depends on
// the type.
struct AuthorizationToken {
  TokenType type;
  std::string version;
  std::string signature;
};

// `text` as a client sends it, percent-encoded or not. Whatever is not such a token is kUnauthorized, with a message that shows
// the expected form.
Result<AuthorizationToken> parse_authorization_token(std::string_view text);

}  // namespace partita::auth
