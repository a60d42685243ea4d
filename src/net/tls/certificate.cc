#include "net/tls/certificate.h"

#include "net/tls/tls.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

namespace partita::net {
namespace {

template <typename T, void (*free_function)(T*)>
struct Free {
  void operator()(T* object) const { free_function(object); }
};
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION, X509_EXTENSION_free>>;
using Writer = std::unique_ptr<BIO, Free<BIO, BIO_free_all>>;

constexpr long kValidSeconds = 10L * 365 * 24 * 3600;
constexpr long kRenewSeconds = 30L * 24 * 3600;

Error openssl_error(std::string_view what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string message = fmt::format("{}: {}", what, reason == nullptr ? "unknown reason" : reason);
  ERR_clear_error();
  return {ErrorCode::kInternal, std::move(message)};
}

Error file_error(std::string_view what, const std::string& path) {
  return {ErrorCode::kStorageFailure, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

bool is_ip_address(const std::string& name) {
  in6_addr address{};
  return inet_pton(AF_INET, name.c_str(), &address) == 1 || inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

// What may stand in a certificate; also keeps the separators of OpenSSL's extension syntax out.
bool is_host_name(const std::string& name) {
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' ||
           c == '*';
  });
}

Result<std::string> alternative_names(const std::vector<std::string>& further_names) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1,DNS:host.docker.internal";
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0 && is_host_name(host) && !is_ip_address(host))
    names += fmt::format(",DNS:{}", host);
  for (const std::string& name : further_names) {
    if (!is_ip_address(name) && !is_host_name(name))
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("'{}' is neither a host name nor an IP address that a certificate can carry", name));
    names += fmt::format(",{}:{}", is_ip_address(name) ? "IP" : "DNS", name);
  }
  return names;
}

bool add_extension(X509* certificate, int type, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, type, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Positive and unpredictable, as clients that have seen an earlier certificate of the same name want it to differ.
bool set_serial_number(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);
  std::unique_ptr<BIGNUM, Free<BIGNUM, BN_free>> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool fill_certificate(X509* certificate, EVP_PKEY* key, const std::string& names) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  auto add_name = [subject](const char* field, std::string_view text) {
    return X509_NAME_add_entry_by_txt(subject, field, MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
  };
  constexpr long kClockSkewSeconds = 24 * 3600;
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial_number(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockSkewSeconds) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds) != nullptr && add_name("O", "Partita") &&
         add_name("CN", "localhost") && X509_set_issuer_name(certificate, subject) == 1 &&
         X509_set_pubkey(certificate, key) == 1 && add_extension(certificate, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") && add_extension(certificate, NID_subject_alt_name, names) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* writer) {
  char* data = nullptr;
  long bytes = BIO_get_mem_data(writer, &data);
  return {data, static_cast<size_t>(bytes)};
}

Certificate parse_certificate(const std::string& pem) {
  Writer reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

bool covers(X509* certificate, const std::string& name) {
  if (is_ip_address(name)) return X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
  return X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

// An identity of ours that is still good for all these names.
bool is_usable(const TlsIdentity& identity, const std::vector<std::string>& further_names) {
  if (!TlsContext::make(identity)) return false;
  Certificate certificate = parse_certificate(identity.certificate_pem);
  time_t renew_time = time(nullptr) + kRenewSeconds;
  if (!certificate || X509_cmp_time(X509_get0_notAfter(certificate.get()), &renew_time) <= 0) return false;
  return std::all_of(further_names.begin(), further_names.end(),
                     [&](const std::string& name) { return covers(certificate.get(), name); });
}

// Nothing when there is no such file.
Result<std::optional<std::string>> read_file(const std::string& path) {
  std::unique_ptr<FILE, decltype([](FILE* file) { std::fclose(file); })> file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return std::unexpected(file_error("read", path));
  }
  std::string text;
  char piece[4096];
  while (size_t bytes = std::fread(piece, 1, sizeof piece, file.get())) text.append(piece, bytes);
  if (std::ferror(file.get())) return std::unexpected(file_error("read", path));
  return text;
}

Status write_and_sync(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return std::unexpected(file_error("write", path));
    text.remove_prefix(static_cast<size_t>(bytes));
  }
  if (::fsync(file) != 0) return std::unexpected(file_error("write", path));
  return {};
}

// Whole or not at all: written beside its place, then renamed.
Status write_file(const std::string& path, std::string_view text, mode_t mode) {
  std::string beside = path + ".XXXXXX";
  int file = ::mkostemp(beside.data(), O_CLOEXEC);  // mode 0600
  if (file < 0) return std::unexpected(file_error("create", beside));
  Status status = write_and_sync(file, text, beside);
  if (status && ::fchmod(file, mode) != 0) status = std::unexpected(file_error("set the mode of", beside));
  ::close(file);
  if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = std::unexpected(file_error("create", path));
  if (!status) ::unlink(beside.c_str());
  return status;
}

}  // namespace

Result<TlsIdentity> make_self_signed_identity(const std::vector<std::string>& further_names) {
  TRY_ASSIGN(std::string names, alternative_names(further_names));
  Key key(EVP_EC_gen("P-256"));
  Certificate certificate(X509_new());
  if (!key || !certificate || !fill_certificate(certificate.get(), key.get(), names))
    return std::unexpected(openssl_error("a TLS certificate cannot be made"));
  Writer certificate_text(BIO_new(BIO_s_mem()));
  Writer key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return std::unexpected(openssl_error("a TLS certificate cannot be written"));
  return TlsIdentity{text_of(certificate_text.get()), text_of(key_text.get())};
}

Result<TlsIdentity> load_or_make_identity(const std::string& directory, const std::vector<std::string>& further_names) {
  std::string certificate_path = directory + "/certificate.pem";
  std::string key_path = directory + "/private-key.pem";
  TRY_ASSIGN(std::optional<std::string> certificate, read_file(certificate_path));
  TRY_ASSIGN(std::optional<std::string> key, read_file(key_path));
  if (certificate && key) {
    TlsIdentity kept{std::move(*certificate), std::move(*key)};
    if (is_usable(kept, further_names)) return kept;
  }
  // A crash between the two files leaves a pair that does not match, which the next start replaces.
  TRY_ASSIGN(TlsIdentity made, make_self_signed_identity(further_names));
  TRY(write_file(key_path, made.private_key_pem, 0600));
  TRY(write_file(certificate_path, made.certificate_pem, 0600));
  return made;
}

Result<TlsIdentity> load_identity(const std::string& certificate_path, const std::string& private_key_path) {
  TRY_ASSIGN(std::optional<std::string> certificate, read_file(certificate_path));
  if (!certificate) return fail(ErrorCode::kNotFound, fmt::format("there is no certificate file {}", certificate_path));
  TRY_ASSIGN(std::optional<std::string> key, read_file(private_key_path));
  if (!key) return fail(ErrorCode::kNotFound, fmt::format("there is no private key file {}", private_key_path));
  TlsIdentity identity{std::move(*certificate), std::move(*key)};
  if (auto context = TlsContext::make(identity); !context)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} and {}: {}", certificate_path, private_key_path, context.error().message));
  return identity;
}

}  // namespace partita::net
