#pragma once

#include "auth/account_keys.h"

#include <cstdint>
#include <string_view>

namespace partita::cosmos {

// A directory service's token (a JSON web token) as Microsoft's emulators take it, so that programs that sign in with a
// credential run unchanged: no directory service vouches for it; its third part is an account key where others have a signature.
//
// The key that it carries; kUnauthorized when it carries none of the account's, or is not valid at this time.
Result<auth::KeyKind> verify_directory_token(std::string_view token, const auth::Keyring& keys, int64_t unix_seconds);

}  // namespace partita::cosmos
