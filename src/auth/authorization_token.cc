#include "auth/authorization_token.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/encodings.h"

namespace partita::auth {
namespace {

struct KnownType {
  std::string_view name;
  TokenType type;
  size_t bytes_max;  // of the whole token as sent
};
constexpr std::array kKnownTypes{
    KnownType{"master", TokenType::kMaster, 1024},
    KnownType{"resource", TokenType::kResource, 8 * 1024},
    KnownType{"aad", TokenType::kDirectory, 16 * 1024},
    KnownType{"sas", TokenType::kSharedAccess, 8 * 1024},
};
constexpr size_t kTokenBytesMax = 16 * 1024;
constexpr std::array<std::string_view, 2> kVersions = {"1.0", "1"};  // as clients and as services write it

std::unexpected<Error> malformed(std::string_view why) {
  return fail(ErrorCode::kUnauthorized,
              "The authorization token is malformed: " + std::string(why) +
                  ". Expected the URL-encoded form of 'type={master|resource|aad|sas}&ver={version}&sig={signature}'.");
}

// Cuts "name=value" off the front of `rest`, up to the next '&' or the end.
std::optional<std::string_view> take_part(std::string_view& rest, std::string_view name) {
  const size_t end = name == "sig" ? rest.size() : std::min(rest.find('&'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (!part.starts_with(name) || part.substr(name.size()).size() < 2 || part[name.size()] != '=') return std::nullopt;
  return part.substr(name.size() + 1);
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char left, char right) {
    return (left >= 'A' && left <= 'Z' ? static_cast<char>(left - 'A' + 'a') : left) == right;
  });
}

}  // namespace

Result<AuthorizationToken> parse_authorization_token(std::string_view text) {
  if (text.empty()) {
    return fail(ErrorCode::kUnauthorized,
                "Required authorization token is missing. Ensure that a valid authorization token is passed.");
  }
  if (text.size() > kTokenBytesMax) return malformed("it is too long");
  const std::optional<std::string> decoded = percent_decode(text);
  if (!decoded) return malformed("a percent escape in it is cut short");

  // An intermediary may have joined a second token with a comma; no valid token has one inside.
  std::string_view rest = std::string_view(*decoded).substr(0, decoded->find(','));
  const auto type_name = take_part(rest, "type");
  if (!type_name) return malformed("it does not start with 'type='");
  const auto version = take_part(rest, "ver");
  if (!version) return malformed("'ver=' does not follow the type");
  if (std::ranges::find(kVersions, *version) == kVersions.end()) return malformed("its version is unknown");
  const auto signature = take_part(rest, "sig");
  if (!signature) return malformed("'sig=' does not follow the version");

  for (const KnownType& known : kKnownTypes) {
    if (!equals_ignoring_case(*type_name, known.name)) continue;
    if (text.size() > known.bytes_max) return malformed("it is too long");
    return AuthorizationToken{known.type, std::string(*version), std::string(*signature)};
  }
  return malformed("its type is unknown");
}

}  // namespace partita::auth
