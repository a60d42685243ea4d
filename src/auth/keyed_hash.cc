#include "auth/keyed_hash.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string>

namespace partita::auth {
namespace {

struct FreeMac {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

MacContext keyed_context(std::string_view key) {
  const std::unique_ptr<EVP_MAC, FreeMac> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  MacContext context(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  // A null key means "the key set before" to the library, so an empty one needs an address too.
  const unsigned char empty = 0;
  const auto* bytes = key.empty() ? &empty : reinterpret_cast<const unsigned char*>(key.data());
  if (!context || EVP_MAC_init(context.get(), bytes, key.size(), parameters) != 1) return nullptr;
  return context;
}

// ContextCache: the last few keyed contexts of one thread, found by the key itself, so that a key that is gone can never be
// mistaken for another one.
class ContextCache {
 public:
  // A context ready for a message, or null when the library has no memory. Valid until the next call.
  EVP_MAC_CTX* ready_for(std::string_view key) {
    for (Entry& entry : entries_) {
      if (entry.context && entry.key == key) {
        return EVP_MAC_init(entry.context.get(), nullptr, 0, nullptr) == 1 ? entry.context.get() : nullptr;
      }
    }
    Entry& victim = entries_[next_victim_++ % entries_.size()];
    OPENSSL_cleanse(victim.key.data(), victim.key.size());
    victim.key.assign(key);
    victim.context = keyed_context(key);
    return victim.context.get();
  }

 private:
  struct Entry {
    std::string key;
    MacContext context;
  };
  std::array<Entry, 8> entries_;  // an account has four keys; two accounts in one process fit
  size_t next_victim_ = 0;
};

}  // namespace

Result<Signature> hmac_sha256(std::string_view key, std::string_view message) {
  thread_local ContextCache cache;
  EVP_MAC_CTX* context = cache.ready_for(key);
  Signature signature;
  size_t written = 0;
  if (context == nullptr ||
      EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(message.data()), message.size()) != 1 ||
      EVP_MAC_final(context, signature.data(), &written, signature.size()) != 1 || written != signature.size()) {
    return fail(ErrorCode::kInternal, "HMAC-SHA256 is not available");
  }
  return signature;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace partita::auth
