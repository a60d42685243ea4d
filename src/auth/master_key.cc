#include "auth/master_key.h"

#include <fmt/format.h>

#include <optional>

#include "auth/request_date.h"
#include "base/check.h"
#include "base/encodings.h"

namespace partita::auth {
namespace {

char* write_lower(char* at, std::string_view text) {
  for (char c : text) *at++ = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return at;
}

void write_payload(std::string& out, const SignedRequest& request, const SignedResource& resource) {
  const std::string_view date = request.client_date.empty() ? request.date : std::string_view();
  const size_t size =
      request.verb.size() + resource.type.size() + resource.link.size() + request.client_date.size() + date.size() + 5;
  out.resize_and_overwrite(size, [&](char* at, size_t) {
    at = write_lower(at, request.verb);
    *at++ = '\n';
    at = write_lower(at, resource.type);
    *at++ = '\n';
    at += resource.link.copy(at, resource.link.size());
    *at++ = '\n';
    at = write_lower(at, request.client_date);
    *at++ = '\n';
    at = write_lower(at, date);
    *at = '\n';
    return size;
  });
}

std::unexpected<Error> wrong_signature(const SignedRequest& request, const SignedResource& resource) {
  std::string payload;
  write_payload(payload, request, resource);
  std::string shown;
  for (char c : payload) {
    if (c == '\n') {
      shown += "\\n";
    } else {
      shown += c;
    }
  }
  return fail(
      ErrorCode::kUnauthorized,
      fmt::format("The input authorization token can't serve the request. The wrong key is being used or the expected payload "
                  "is not built as per the protocol. Server used the following payload to sign: '{}'",
                  shown));
}

}  // namespace

Result<MasterKeyVerifier> MasterKeyVerifier::create(const AccountKeys& keys, const Clock& clock) {
  TRY_ASSIGN(Keyring keyring, Keyring::create(keys));
  return MasterKeyVerifier(std::move(keyring), clock);
}

Result<KeyKind> MasterKeyVerifier::verify(const SignedRequest& request, std::span<const SignedResource> spellings,
                                          std::string_view signature) const {
  CHECK(!spellings.empty());
  TRY(check_request_date(request.client_date.empty() ? request.date : request.client_date, clock_->unix_seconds()));
  std::string payload;
  for (const SignedResource& resource : spellings) {
    write_payload(payload, request, resource);
    if (const std::optional<KeyKind> kind = keys_.signer_of(payload, signature)) return *kind;
  }
  return wrong_signature(request, spellings.front());
}

Result<std::string> sign(std::string_view key, const SignedRequest& request, const SignedResource& resource) {
  std::string payload;
  write_payload(payload, request, resource);
  return sign_text(key, payload);
}

Result<MasterKeySigner> MasterKeySigner::create(std::string_view key) {
  const std::optional<std::string> bytes = from_base64(key);
  if (!bytes || bytes->empty()) {
    return fail(ErrorCode::kInvalidInput,
                "the account key is not base64: expected letters, digits, '+' and '/', padded with '='");
  }
  return MasterKeySigner(KeyedHash(*bytes));
}

std::string MasterKeySigner::token(const SignedRequest& request, const SignedResource& resource) const {
  std::string payload;
  write_payload(payload, request, resource);
  const Signature signature = hash_.of(payload);
  return master_token(base64({reinterpret_cast<const char*>(signature.data()), signature.size()}));
}

std::string master_token(std::string_view signature_base64) {
  return "type%3Dmaster%26ver%3D1.0%26sig%3D" + percent_encode(signature_base64);
}

}  // namespace partita::auth
