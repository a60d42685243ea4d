#pragma once

#include "auth/account_keys.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

// The token of a permission: which permission it is of and until when it is good, sealed with an account key.
//
//   type=resource&ver=1.0&sig={base64 of the seal};{base64 of what is sealed};
//   sealed, 12 bytes: number of the permission (4), end in Unix seconds (8); big-endian
//
// What may be done with it is looked up in the permission, so a permission that is replaced or deleted changes its tokens.
namespace partita::cosmos {

inline constexpr int64_t kTokenSecondsDefault = 3'600;
inline constexpr int64_t kTokenSecondsMin = 10;
inline constexpr int64_t kTokenSecondsMax = 24 * 3'600;

std::string make_resource_token(const auth::Keyring& keys, uint32_t permission, int64_t expires_unix_seconds);

// The permission. `signature`: what follows `sig=`. kUnauthorized when this server did not make it, kAuthorizationExpired when it
// is no longer good.
Result<uint32_t> verify_resource_token(const auth::Keyring& keys, std::string_view signature, int64_t unix_seconds);

}  // namespace partita::cosmos
