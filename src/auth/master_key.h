#pragma once

#include <span>
#include <string>
#include <string_view>

#include "auth/account_keys.h"
#include "auth/keyed_hash.h"
#include "base/clock.h"
#include "base/result.h"

namespace partita::auth {

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

// MasterKeyVerifier: the master-key scheme. Which text a request signs, and whether its date is near; the keys are the keyring's.
//
// Immutable and thread-safe. A signature is HMAC-SHA256 over five lines: verb, resource type, resource link, client date,
// date; all but the link in lower case.
class MasterKeyVerifier {
 public:
  // kInvalidInput when a key is not base64. `clock` must outlive the verifier.
  static Result<MasterKeyVerifier> create(const AccountKeys& keys, const Clock& clock);

  // Tries the spellings of the resource in order. `signature` is decoded, 32 bytes.
  // kUnauthorized: no date, or no key made this signature; the message shows the payload of the first spelling.
  // kAuthorizationExpired: the date is more than kClockSkewMaxSeconds away from the clock.
  Result<KeyKind> verify(const SignedRequest& request, std::span<const SignedResource> spellings,
                         std::string_view signature) const;

  const Keyring& keyring() const { return keys_; }

 private:
  MasterKeyVerifier(Keyring keys, const Clock& clock) : keys_(std::move(keys)), clock_(&clock) {}

  Keyring keys_;
  const Clock* clock_;
};

// The signature that verify() accepts, as base64 text. `key` is base64 too, and kInvalidInput if it is not.
Result<std::string> sign(std::string_view key, const SignedRequest& request, const SignedResource& resource);

// MasterKeySigner: one account key, ready to sign any number of requests. Immutable and thread-safe.
class MasterKeySigner {
 public:
  // `key` is base64 text, and kInvalidInput if it is not.
  static Result<MasterKeySigner> create(std::string_view key);

  // The token that a client sends with this request, URL-encoded.
  std::string token(const SignedRequest& request, const SignedResource& resource) const;

 private:
  explicit MasterKeySigner(const KeyedHash& hash) : hash_(hash) {}

  KeyedHash hash_;
};

// What a client sends: the URL-encoded master token around a signature.
std::string master_token(std::string_view signature_base64);

}  // namespace partita::auth
