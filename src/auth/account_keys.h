#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/keyed_hash.h"
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

// Keyring: an account's keys, ready to check what was signed with them. Immutable and thread-safe.
//
// It knows nothing of what a signed text looks like: each scheme that signs with account keys writes its own text and asks here
// who signed it.
class Keyring {
 public:
  // kInvalidInput when a key is not base64.
  static Result<Keyring> create(const AccountKeys& keys);

  // The kind of the key that made this signature of the text; nothing when none of the account's did. `signature` is decoded.
  // Takes the same time for a wrong signature wherever it differs.
  std::optional<KeyKind> signer_of(std::string_view text, std::string_view signature) const;
  // The kind of a key of the account, given as base64 text; nothing when it is none.
  std::optional<KeyKind> find(std::string_view key) const;

  // A seal shows that a holder of a key that can write, thus this server, made the text. It is never a request's signature:
  // what is hashed begins with a zero byte, which no signed text does.
  std::string seal(std::string_view text) const;
  bool is_seal(std::string_view seal, std::string_view text) const;

 private:
  struct Key {
    std::string bytes;
    KeyedHash hash;
    KeyKind kind;
  };
  explicit Keyring(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;  // the primary one first; the order in which they are tried
};

// The signature that signer_of() accepts, as base64 text. `key` is base64 too, and kInvalidInput if it is not.
Result<std::string> sign_text(std::string_view key, std::string_view text);

}  // namespace partita::auth
