#include "auth/master_key.h"

#include <fmt/format.h>

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

Result<MasterKeyVerifier> MasterKeyVerifier::create(const AccountKeys& keys, const Clock& clock) {
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
  return MasterKeyVerifier(std::move(decoded), clock);
}

Status MasterKeyVerifier::check_date(const SignedRequest& request) const {
  const std::string_view text = request.client_date.empty() ? request.date : request.client_date;
  if (text.empty())
    return fail(ErrorCode::kUnauthorized, "The request carries no date, which is part of what its authorization token signs.");
  const Result<int64_t> seconds = parse_rfc1123(text);
  if (!seconds) return fail(ErrorCode::kUnauthorized, "The request's date cannot be read: " + seconds.error().message);
  const int64_t ahead = *seconds - clock_->unix_seconds();
  if (ahead <= kClockSkewMaxSeconds && ahead >= -kClockSkewMaxSeconds) return {};
  return fail(
      ErrorCode::kAuthorizationExpired,
      fmt::format(
          "The authorization token is not valid at the current time. The request is dated '{}', {} seconds {} this server's "
          "clock; at most {} are allowed. Check the clocks of both machines, or create another token and retry.",
          text, ahead < 0 ? -ahead : ahead, ahead < 0 ? "behind" : "ahead of", kClockSkewMaxSeconds));
}

Result<KeyKind> MasterKeyVerifier::verify(const SignedRequest& request, std::span<const SignedResource> spellings,
                                          std::string_view signature) const {
  CHECK(!spellings.empty());
  TRY(check_date(request));
  std::string payload;
  for (const SignedResource& resource : spellings) {
    write_payload(payload, request, resource);
    for (const Key& key : keys_) {
      if (equal_in_constant_time(as_view(key.hash.of(payload)), signature)) return key.kind;
    }
  }
  return wrong_signature(request, spellings.front());
}

std::optional<KeyKind> MasterKeyVerifier::find(std::string_view key) const {
  const std::optional<std::string> bytes = from_base64(key);
  if (!bytes) return std::nullopt;
  for (const Key& own : keys_) {
    if (equal_in_constant_time(own.bytes, *bytes)) return own.kind;
  }
  return std::nullopt;
}

std::string MasterKeyVerifier::seal(std::string_view text) const {
  return std::string(as_view(keys_.front().hash.of(sealed_payload(text))));
}

bool MasterKeyVerifier::is_seal(std::string_view seal, std::string_view text) const {
  for (const Key& key : keys_) {
    if (key.kind != KeyKind::kReadWrite) continue;
    if (equal_in_constant_time(as_view(key.hash.of(sealed_payload(text))), seal)) return true;
  }
  return false;
}

Result<std::string> sign(std::string_view key, const SignedRequest& request, const SignedResource& resource) {
  TRY_ASSIGN(const std::string bytes, decode_key(key, "given"));
  std::string payload;
  write_payload(payload, request, resource);
  return base64(as_view(KeyedHash(bytes).of(payload)));
}

std::string master_token(std::string_view signature_base64) {
  return "type%3Dmaster%26ver%3D1.0%26sig%3D" + percent_encode(signature_base64);
}

}  // namespace partita::auth
