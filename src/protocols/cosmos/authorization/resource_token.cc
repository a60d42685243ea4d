#include "protocols/cosmos/authorization/resource_token.h"

#include "base/bytes.h"
#include "base/encodings.h"

#include <optional>

namespace partita::cosmos {
namespace {

constexpr size_t kSealedBytes = sizeof(uint32_t) + sizeof(int64_t);

std::unexpected<Error> not_ours() {
  return fail(ErrorCode::kUnauthorized, "The resource token (type=resource) was not made by this account.");
}

// Cuts the part up to the next semicolon off the front, decoded.
std::optional<std::string> take_part(std::string_view& rest) {
  const size_t end = rest.find(';');
  if (end == std::string_view::npos) return std::nullopt;
  std::optional<std::string> bytes = from_base64(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return bytes;
}

}  // namespace

std::string make_resource_token(const auth::Keyring& keys, uint32_t permission, int64_t expires_unix_seconds) {
  std::string sealed;
  append_big_endian(sealed, permission);
  append_big_endian(sealed, static_cast<uint64_t>(expires_unix_seconds));
  return "type=resource&ver=1.0&sig=" + base64(keys.seal(sealed)) + ";" + base64(sealed) + ";";
}

Result<uint32_t> verify_resource_token(const auth::Keyring& keys, std::string_view signature, int64_t unix_seconds) {
  const std::optional<std::string> seal = take_part(signature);
  const std::optional<std::string> sealed = take_part(signature);
  if (!seal || !sealed || sealed->size() != kSealedBytes || !signature.empty()) return not_ours();
  if (!keys.is_seal(*seal, *sealed)) return not_ours();
  const auto expires = static_cast<int64_t>(load_big_endian<uint64_t>(sealed->data() + sizeof(uint32_t)));
  if (unix_seconds >= expires) {
    return fail(
        ErrorCode::kAuthorizationExpired,
        "The authorization token is not valid at the current time: the resource token has expired. Read its permission to "
        "get another one.");
  }
  return load_big_endian<uint32_t>(sealed->data());
}

}  // namespace partita::cosmos
