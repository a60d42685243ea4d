#include "net/tls/tls.h"

#include "base/check.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <climits>

namespace partita::net {
namespace {

constexpr unsigned char kOurProtocols[] = "\x08http/1.1";

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes, const unsigned char* offered,
                    unsigned int offered_bytes, void*) {
  unsigned char* match = nullptr;
  int result = SSL_select_next_proto(&match, chosen_bytes, kOurProtocols, sizeof kOurProtocols - 1, offered, offered_bytes);
  *chosen = match;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

std::string openssl_reason() {
  unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

using BioPointer = std::unique_ptr<BIO, decltype(&BIO_free)>;
using CertificatePointer = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

BioPointer reader_of(const std::string& text) { return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free}; }

Status use_certificate_chain(SSL_CTX* context, const std::string& pem) {
  BioPointer reader = reader_of(pem);
  CertificatePointer leaf(PEM_read_bio_X509_AUX(reader.get(), nullptr, nullptr, nullptr), &X509_free);
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1)
    return fail(ErrorCode::kInvalidInput, fmt::format("the TLS certificate cannot be used: {}", openssl_reason()));
  while (X509* issuer = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, issuer) != 1) {
      X509_free(issuer);
      return fail(ErrorCode::kInvalidInput, fmt::format("the TLS certificate's chain cannot be used: {}", openssl_reason()));
    }
  }
  ERR_clear_error();  // the end of the file is reported as an error
  return {};
}

Status use_private_key(SSL_CTX* context, const std::string& pem) {
  BioPointer reader = reader_of(pem);
  KeyPointer key(PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  if (!key) return fail(ErrorCode::kInvalidInput, fmt::format("the TLS private key cannot be read: {}", openssl_reason()));
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the TLS private key does not belong to the certificate: {}", openssl_reason()));
  return {};
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::make(const TlsIdentity& identity) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return fail(ErrorCode::kInternal, fmt::format("TLS cannot be set up: {}", openssl_reason()));
  std::unique_ptr<TlsContext> made(new TlsContext(context));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Buffers are given back while a connection idles, and a write may be continued from a moved buffer.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE);
  constexpr unsigned char kSessionContext[] = "partita";
  SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
  SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
  TRY(use_certificate_chain(context, identity.certificate_pem));
  TRY(use_private_key(context, identity.private_key_pem));
  return made;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

TlsSession::TlsSession(const TlsContext& context)
    : ssl_(SSL_new(context.get())), from_peer_(BIO_new(BIO_s_mem())), to_peer_(BIO_new(BIO_s_mem())) {
  CHECK(ssl_ != nullptr && from_peer_ != nullptr && to_peer_ != nullptr);
  BIO_set_mem_eof_return(from_peer_, -1);  // empty means: ask again, not: closed
  SSL_set_bio(ssl_, from_peer_, to_peer_);
  SSL_set_accept_state(ssl_);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

void TlsSession::receive(std::string_view bytes) {
  // A memory BIO takes everything.
  CHECK(bytes.size() <= INT_MAX &&
        BIO_write(from_peer_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size()));
}

TlsSession::Progress TlsSession::progress_of(int result) {
  if (result > 0) return Progress::kDone;
  int error = SSL_get_error(ssl_, result);
  ERR_clear_error();
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? Progress::kNeedMore : Progress::kClosed;
}

TlsSession::Progress TlsSession::handshake() { return progress_of(SSL_do_handshake(ssl_)); }

TlsSession::Progress TlsSession::decrypt(InputBuffer& out) {
  constexpr size_t kRecordBytesMax = 16 * 1024;
  bool any = false;
  while (true) {
    std::span<char> room = out.prepare(any ? 1 : std::min<size_t>(kRecordBytesMax, 4096));
    int bytes = SSL_read(ssl_, room.data(), static_cast<int>(std::min<size_t>(room.size(), INT_MAX)));
    if (bytes <= 0) return any ? Progress::kDone : progress_of(bytes);
    out.commit(static_cast<size_t>(bytes));
    any = true;
  }
}

bool TlsSession::encrypt(std::string_view plaintext) {
  while (!plaintext.empty()) {
    int bytes = SSL_write(ssl_, plaintext.data(), static_cast<int>(std::min<size_t>(plaintext.size(), INT_MAX)));
    if (bytes <= 0) {
      ERR_clear_error();
      return false;
    }
    plaintext.remove_prefix(static_cast<size_t>(bytes));
  }
  return true;
}

void TlsSession::close() {
  if (SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
}

std::string_view TlsSession::ciphertext() const {
  char* data = nullptr;
  long bytes = BIO_get_mem_data(to_peer_, &data);
  return {data, static_cast<size_t>(bytes)};
}

void TlsSession::consume_ciphertext(size_t bytes) {
  if (bytes == ciphertext().size()) {
    BIO_reset(to_peer_);
    return;
  }
  char discarded[4096];
  while (bytes > 0) {
    int read = BIO_read(to_peer_, discarded, static_cast<int>(std::min(bytes, sizeof discarded)));
    CHECK(read > 0);
    bytes -= static_cast<size_t>(read);
  }
}

}  // namespace partita::net
