#include "auth/account_keys.h"

#include <fmt/format.h>

#include "base/encodings.h"

namespace partita::auth {
namespace {

std::string_view as_view(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

std::string sealed_payload(std::string_view text) { return '\0' + std::string(text); }

Result<std::string> decode_key(std::string_view text, std::string_view which) {
  std::optional<std::string> bytes = from_base64(text);
  if (!bytes || bytes->empty()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the {} account key is not base64: expected letters, digits, '+' and '/', padded "
                            "with '=' to a multiple of four characters",
                            which));
  }
  return std::move(*bytes);
}

}  // namespace

Result<Keyring> Keyring::create(const AccountKeys& keys) {
  if (keys.primary.empty()) return fail(ErrorCode::kInvalidInput, "the primary account key is missing");
  const struct {
    const std::string& text;
    std::string_view which;
    KeyKind kind;
  } given[] = {{keys.primary, "primary", KeyKind::kReadWrite},
               {keys.secondary, "secondary", KeyKind::kReadWrite},
               {keys.primary_read_only, "primary read-only", KeyKind::kReadOnly},
               {keys.secondary_read_only, "secondary read-only", KeyKind::kReadOnly}};
  std::vector<Key> decoded;
  for (const auto& key : given) {
    if (key.text.empty()) continue;
    TRY_ASSIGN(std::string bytes, decode_key(key.text, key.which));
    const KeyedHash hash(bytes);
    decoded.push_back({std::move(bytes), hash, key.kind});
  }
  return Keyring(std::move(decoded));
}

std::optional<KeyKind> Keyring::signer_of(std::string_view text, std::string_view signature) const {
  for (const Key& key : keys_) {
    if (equal_in_constant_time(as_view(key.hash.of(text)), signature)) return key.kind;
  }
  return std::nullopt;
}

std::optional<KeyKind> Keyring::find(std::string_view key) const {
  const std::optional<std::string> bytes = from_base64(key);
  if (!bytes) return std::nullopt;
  for (const Key& own : keys_) {
    if (equal_in_constant_time(own.bytes, *bytes)) return own.kind;
  }
  return std::nullopt;
}

std::string Keyring::seal(std::string_view text) const {
  return std::string(as_view(keys_.front().hash.of(sealed_payload(text))));
}

bool Keyring::is_seal(std::string_view seal, std::string_view text) const {
  for (const Key& key : keys_) {
    if (key.kind != KeyKind::kReadWrite) continue;
    if (equal_in_constant_time(as_view(key.hash.of(sealed_payload(text))), seal)) return true;
  }
  return false;
}

Result<std::string> sign_text(std::string_view key, std::string_view text) {
  TRY_ASSIGN(const std::string bytes, decode_key(key, "given"));
  return base64(as_view(KeyedHash(bytes).of(text)));
}

}  // namespace partita::auth
