#include "protocols/cosmos/authorization.h"

#include "auth/authorization_token.h"
#include "base/encodings.h"
#include "protocols/cosmos/directory_token.h"

namespace partita::cosmos {

bool is_write(const Exchange& exchange) {
  const std::string_view method = exchange.request().method;
  if (method == "GET" || method == "HEAD") return false;
  return !(method == "POST" && (exchange.is_header_true(header::kIsQuery) || exchange.is_header_true(header::kIsQueryPlan)));
}

namespace {

Result<auth::KeyKind> verify_signature(const Exchange& exchange, const auth::MasterKeyVerifier& keys, std::string_view base64) {
  const std::optional<std::string> signature = from_base64(base64);
  if (!signature) return fail(ErrorCode::kUnauthorized, "The signature in the authorization header is not base64.");
  const auth::SignedRequest request{.verb = exchange.request().method,
                                    .client_date = exchange.header(header::kClientDate),
                                    .date = exchange.header(header::kDate)};
  return keys.verify(request, exchange.path().signed_resources(), *signature);
}

Result<auth::KeyKind> verify(const Exchange& exchange, const auth::MasterKeyVerifier& keys, const Clock& clock,
                             const auth::AuthorizationToken& token) {
  if (token.type == auth::TokenType::kMaster) return verify_signature(exchange, keys, token.signature);
  if (token.type == auth::TokenType::kDirectory) return verify_directory_token(token.signature, keys, clock.unix_seconds());
  return fail(ErrorCode::kUnauthorized, "Only requests signed with an account key (type=master) are accepted.");
}

}  // namespace

Status authorize(const Exchange& exchange, const auth::MasterKeyVerifier& keys, const Clock& clock) {
  const std::string_view text = exchange.header(header::kAuthorization);
  if (text.empty()) {
    return fail(ErrorCode::kUnauthorized,
                "Required Header authorization is missing. Ensure a valid Authorization token is passed.");
  }
  TRY_ASSIGN(const auth::AuthorizationToken token, auth::parse_authorization_token(text));
  TRY_ASSIGN(const auth::KeyKind kind, verify(exchange, keys, clock, token));
  if (kind == auth::KeyKind::kReadOnly && is_write(exchange)) {
    return fail(ErrorCode::kForbidden, "The request was signed with a read-only key, which cannot write.");
  }
  return {};
}

}  // namespace partita::cosmos
