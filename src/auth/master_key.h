#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/keyed_hash.h"
#include "base/clock.h"
#include "base/result.h"

namespace partita::auth {

// Base64 texts. Only the primary key is required; an empty one is a key that the account does not have.
struct AccountKeys {
  std::string primary = {};
  std::string secondary = {};
  std::string primary_read_only = {};
  std::string secondary_read_only = {};
};

enum class KeyKind { kReadWrite, kReadOnly };

// What a signature covers besides the resource. The library that a client uses for its transport may overwrite `date`, so
// clients send their own date beside it; when that is there, `date` is not part of the signature.
struct SignedRequest {
  std::string_view verb;
  std::string_view client_date;
  std::string_view date;
};

// One way to write down which resource a request addresses.
struct SignedResource {
  std::string_view type;
  std::string_view link;
};

// MasterKeyVerifier: which of an account's keys signed a request, if any.
//
// Immutable and thread-safe. A signature is HMAC-SHA256 over five lines: verb, resource type, resource link, client date,
// date; all but the link in lower case.
class MasterKeyVerifier {
 public:
  static constexpr int64_t kClockSkewMaxSeconds = 15 * 60;

  // kInvalidInput when a key is not base64. `clock` must outlive the verifier.
  static Result<MasterKeyVerifier> create(const AccountKeys& keys, const Clock& clock);

  // Tries the spellings of the resource in order. `signature` is decoded, 32 bytes.
  // kUnauthorized: no date, or no key made this signature; the message shows the payload of the first spelling.
  // kAuthorizationExpired: the date is more than kClockSkewMaxSeconds away from the clock.
  Result<KeyKind> verify(const SignedRequest& request, std::span<const SignedResource> spellings,
                         std::string_view signature) const;
  // The kind of a key of the account, given as base64 text; nothing when it is none.
  std::optional<KeyKind> find(std::string_view key) const;

  // A seal shows that a holder of a key that can write, thus this server, made the text. It is never a request's signature:
  // what is hashed begins with a zero byte, which no verb has.
  std::string seal(std::string_view text) const;
  bool is_seal(std::string_view seal, std::string_view text) const;

 private:
  struct Key {
    std::string bytes;
    KeyedHash hash;
    KeyKind kind;
  };
  MasterKeyVerifier(std::vector<Key> keys, const Clock& clock) : keys_(std::move(keys)), clock_(&clock) {}

  Status check_date(const SignedRequest& request) const;

  std::vector<Key> keys_;  // the primary one first; the order in which they are tried
  const Clock* clock_;
};

// The signature that verify() accepts, as base64 text. `key` is base64 too, and kInvalidInput if it is not.
Result<std::string> sign(std::string_view key, const SignedRequest& request, const SignedResource& resource);

// What a client sends: the URL-encoded master token around a signature.
std::string master_token(std::string_view signature_base64);

}  // namespace partita::auth
