#pragma once

#include <openssl/sha.h>

#include <array>
#include <string_view>

namespace partita::auth {

inline constexpr size_t kSignatureBytes = 32;
using Signature = std::array<unsigned char, kSignatureBytes>;

// KeyedHash: HMAC-SHA256 with one key. Immutable and thread-safe.
//
// The key is hashed once; a signature begins with copies of these two states, which halves what it costs.
class KeyedHash {
 public:
  explicit KeyedHash(std::string_view key);

  Signature of(std::string_view message) const;

 private:
  SHA256_CTX inner_;  // after the key, padded and masked for the hash of the message
  SHA256_CTX outer_;  // the same for the hash of that hash
};

// Takes the same time wherever the two differ; different lengths are different.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace partita::auth
