#include "protocols/cosmos/authorization/directory_token.h"

#include "auth/request_date.h"
#include "base/encodings.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace partita::cosmos {
namespace {

std::unexpected<Error> refuse(std::string_view why) {
  return fail(
      ErrorCode::kUnauthorized,
      fmt::format("The directory token (type=aad) is not accepted: {}. This server knows no directory service; it takes the "
                  "tokens of the emulators' credential, whose third part is an account key.",
                  why));
}

// Of a token's part: the URL's alphabet, without padding.
std::optional<std::string> decode_part(std::string_view part) {
  std::string text(part);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return from_base64(text);
}

std::optional<std::array<std::string, 3>> decode_parts(std::string_view token) {
  std::array<std::string, 3> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t dot = i + 1 < parts.size() ? token.find('.') : token.size();
    if (dot == std::string_view::npos) return std::nullopt;
    std::optional<std::string> part = decode_part(token.substr(0, dot));
    if (!part) return std::nullopt;
    parts[i] = std::move(*part);
    token.remove_prefix(std::min(dot + 1, token.size()));
  }
  return parts;
}

std::optional<int64_t> seconds(const Value& claims, std::string_view name) {
  const Value claim = claims.find(name);
  return claim.is_number() ? claim.integer() : std::nullopt;
}

}  // namespace

Result<auth::KeyKind> verify_directory_token(std::string_view token, const auth::Keyring& keys, int64_t unix_seconds) {
  const auto parts = decode_parts(token);
  if (!parts) return refuse("it is not three parts in base64url with dots between them");
  const auto& [head, claims_json, key] = *parts;
  const std::optional<auth::KeyKind> kind = keys.find(key);
  if (!kind) return refuse("it carries no key of this account");
  const Result<std::string> stored = stored_from_json(claims_json);
  if (!stored || !Value::view(*stored).is_object()) return refuse("its claims are not a JSON object");
  const Value claims = Value::view(*stored);
  constexpr int64_t kSkew = auth::kClockSkewMaxSeconds;
  const std::optional<int64_t> expires = seconds(claims, "exp");
  if (!expires) return refuse("it does not say when it expires (claim 'exp')");
  // The claims may be any numbers, so only the clock's is added to.
  if (*expires < unix_seconds - kSkew) return refuse("it has expired");
  if (seconds(claims, "nbf").value_or(unix_seconds) > unix_seconds + kSkew) return refuse("it is not valid yet");
  return *kind;
}

}  // namespace partita::cosmos
