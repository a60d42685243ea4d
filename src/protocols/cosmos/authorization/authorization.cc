#include "protocols/cosmos/authorization/authorization.h"

#include "auth/authorization_token.h"
#include "base/encodings.h"
#include "protocols/cosmos/authorization/computed_key.h"
#include "protocols/cosmos/authorization/directory_token.h"
#include "protocols/cosmos/authorization/permission_scope.h"
#include "protocols/cosmos/authorization/resource_token.h"

namespace partita::cosmos {

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
  if (token.type == auth::TokenType::kDirectory)
    return verify_directory_token(token.signature, keys.keyring(), clock.unix_seconds());
  return fail(ErrorCode::kUnauthorized,
              "Only requests signed with an account key (type=master) or with the token of a permission (type=resource) are "
              "accepted.");
}

Result<TokenLimits> check_resource_token(Exchange& exchange, const auth::MasterKeyVerifier& keys, const Catalog& catalog,
                                         const Clock& clock, std::string_view signature) {
  TRY_ASSIGN(const uint32_t number, verify_resource_token(keys.keyring(), signature, clock.unix_seconds()));
  const ChildPtr permission = catalog.children().find(number);
  if (!permission || permission->place.type != ChildType::kPermission) {
    return fail(ErrorCode::kForbidden, "The permission of this resource token has been deleted.");
  }
  const Result<PermissionTerms> terms = permission_terms(Value::view(permission->definition.properties));
  if (!terms) {
    return fail(ErrorCode::kForbidden, "The permission of this resource token grants nothing: " + terms.error().message);
  }
  compute_key(exchange, catalog);
  return check_permission(exchange, catalog, *terms);
}

}  // namespace

Result<TokenLimits> authorize(Exchange& exchange, const auth::MasterKeyVerifier& keys, const Catalog& catalog,
                              const Clock& clock) {
  const std::string_view text = exchange.header(header::kAuthorization);
  if (text.empty()) {
    return fail(ErrorCode::kUnauthorized,
                "Required Header authorization is missing. Ensure a valid Authorization token is passed.");
  }
  TRY_ASSIGN(const auth::AuthorizationToken token, auth::parse_authorization_token(text));
  if (token.type == auth::TokenType::kResource) return check_resource_token(exchange, keys, catalog, clock, token.signature);
  TRY_ASSIGN(const auth::KeyKind kind, verify(exchange, keys, clock, token));
  compute_key(exchange, catalog);
  if (kind == auth::KeyKind::kReadWrite) return TokenLimits{};
  if (exchange.operation().is_write()) {
    return fail(ErrorCode::kForbidden, "The request was signed with a read-only key, which cannot write.");
  }
  if (exchange.operation().kind == ResourceKind::kPermission) {
    return fail(ErrorCode::kForbidden,
                "The request was signed with a read-only key, which cannot read permissions: their tokens may write.");
  }
  return TokenLimits{};
}

}  // namespace partita::cosmos
