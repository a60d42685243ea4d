#pragma once

#include "base/result.h"
#include "net/input_buffer.h"
#include "net/tls/certificate.h"

#include <memory>
#include <string_view>

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;
using BIO = struct bio_st;

namespace partita::net {

// TlsContext: an identity and what is negotiated with it: TLS 1.2 or later, HTTP/1.1, session resumption. Thread-safe.
class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> make(const TlsIdentity& identity);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  SSL_CTX* get() const { return context_; }

 private:
  explicit TlsContext(SSL_CTX* context) : context_(context) {}
  SSL_CTX* context_;
};

// TlsSession: one server-side TLS connection as a transformation of bytes; the socket is its owner's. Not thread-safe.
//
// After every call there may be ciphertext() to send.
class TlsSession {
 public:
  enum class Progress { kDone, kNeedMore, kClosed };

  explicit TlsSession(const TlsContext& context);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  void receive(std::string_view ciphertext);
  Progress handshake();
  // Appends all plaintext there is; kDone when that was at least one byte.
  Progress decrypt(InputBuffer& out);
  // False when the session is broken.
  bool encrypt(std::string_view plaintext);
  // Says goodbye to the peer.
  void close();

  std::string_view ciphertext() const;
  // The first bytes of ciphertext() were sent.
  void consume_ciphertext(size_t bytes);

 private:
  Progress progress_of(int result);

  SSL* ssl_;
  BIO* from_peer_;  // both owned by ssl_
  BIO* to_peer_;
};

}  // namespace partita::net
