#include <cstddef>
#include <cstdint>
#include <string_view>

#include "auth/authorization_token.h"
#include "base/check.h"

// Any bytes are a token with three non-empty parts, or a refusal that says why.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto token = partita::auth::parse_authorization_token({reinterpret_cast<const char*>(data), size});
  if (token) {
    CHECK(!token->version.empty() && !token->signature.empty());
  } else {
    CHECK(token.error().code == partita::ErrorCode::kUnauthorized && !token.error().message.empty());
  }
  return 0;
}
