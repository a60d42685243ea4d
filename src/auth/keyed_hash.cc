// The functions of a single kind of hash are deprecated by the library, which prefers exchangeable implementations; but only
// their states can be copied without being allocated.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "auth/keyed_hash.h"

#include <openssl/crypto.h>

namespace partita::auth {
namespace {

using Block = std::array<unsigned char, SHA256_CBLOCK>;

// RFC 2104: a key that is longer than a block is hashed first.
Block padded(std::string_view key) {
  Block block{};
  if (key.size() > block.size()) {
    SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), block.data());
  } else {
    key.copy(reinterpret_cast<char*>(block.data()), key.size());
  }
  return block;
}

SHA256_CTX after(Block block, unsigned char mask) {
  for (unsigned char& byte : block) byte ^= mask;
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, block.data(), block.size());
  OPENSSL_cleanse(block.data(), block.size());
  return state;
}

Signature finish(SHA256_CTX state, const void* data, size_t bytes) {
  Signature hash;
  SHA256_Update(&state, data, bytes);
  SHA256_Final(hash.data(), &state);
  return hash;
}

}  // namespace

KeyedHash::KeyedHash(std::string_view key) {
  Block block = padded(key);
  inner_ = after(block, 0x36);
  outer_ = after(block, 0x5c);
  OPENSSL_cleanse(block.data(), block.size());
}

Signature KeyedHash::of(std::string_view message) const {
  const Signature inner = finish(inner_, message.data(), message.size());
  return finish(outer_, inner.data(), inner.size());
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace partita::auth
