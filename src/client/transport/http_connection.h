#pragma once

#include "client/endpoint.h"
#include "client/transport/response_parser.h"
#include "client/transport/transport.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace partita::client {

namespace asio = boost::asio;
using SystemError = boost::system::error_code;
using Moment = std::chrono::steady_clock::time_point;

// HttpConnection: one connection to the endpoint, at one exchange at a time. Used by one thread.
class HttpConnection {
 public:
  using OnDone = std::function<void(HttpConnection&, Outcome)>;

  virtual ~HttpConnection() = default;
  // Opens the connection if it is not open. REQUIRES: none is under way. `on_done` is called later, never from within.
  virtual void begin(std::unique_ptr<Exchange> exchange, Moment deadline) = 0;
  // Ends an exchange that is late.
  virtual void end_if_late(Moment now) = 0;
  // Closes a connection on which nothing can come any more.
  virtual void close_if_stale(Moment now) = 0;

  bool is_busy() const { return exchange_ != nullptr; }
  std::unique_ptr<Exchange> take_exchange() { return std::move(exchange_); }

 protected:
  std::unique_ptr<Exchange> exchange_;
};

// What all connections of a transport have in common; outlives them.
struct ConnectionSettings {
  Endpoint endpoint;
  size_t answer_bytes_max;
  std::chrono::milliseconds connect_timeout;
  asio::ssl::context* tls;  // null for plain connections
  bool is_verified;
};

using PlainStream = asio::ip::tcp::socket;
using TlsStream = asio::ssl::stream<asio::ip::tcp::socket>;

template <typename Stream>
class StreamConnection final : public HttpConnection {
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;

 public:
  StreamConnection(asio::io_context& context, const ConnectionSettings& settings, OnDone on_done)
      : context_(context), settings_(settings), on_done_(std::move(on_done)), resolver_(context) {}

  void begin(std::unique_ptr<Exchange> exchange, Moment deadline) override {
    exchange_ = std::move(exchange);
    deadline_ = deadline;
    is_late_ = false;
    if (is_open_) return write();
    deadline_ = std::min(deadline_, std::chrono::steady_clock::now() + settings_.connect_timeout);
    final_deadline_ = deadline;
    resolver_.async_resolve(settings_.endpoint.host, settings_.endpoint.port,
                            [this](SystemError error, const asio::ip::tcp::resolver::results_type& found) {
                              if (error) return lose(Loss::Kind::kNotSent, error);
                              connect(found);
                            });
  }

  void end_if_late(Moment now) override {
    if (!is_busy() || now < deadline_ || is_late_) return;
    is_late_ = true;
    late_kind_ = is_open_ ? Loss::Kind::kTimeout : Loss::Kind::kNotSent;
    resolver_.cancel();
    close();
  }

  void close_if_stale(Moment now) override {
    constexpr std::chrono::seconds kIdleMax{100};       // longer than any pause of a busy client, shorter than usual servers wait
    constexpr std::chrono::milliseconds kTrusted{500};  // a connection that was just used is still open
    if (!is_open_ || now - used_at_ < kTrusted) return;
    char byte = 0;
    const ssize_t got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool has_ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (has_ended || now - used_at_ > kIdleMax) close();
  }

 private:
  PlainStream& socket() {
    if constexpr (kIsTls) {
      return stream_->next_layer();
    } else {
      return *stream_;
    }
  }

  void connect(const asio::ip::tcp::resolver::results_type& found) {
    if (is_late_) return lose(Loss::Kind::kNotSent, asio::error::timed_out);
    if constexpr (kIsTls) {
      stream_.emplace(context_, *settings_.tls);
    } else {
      stream_.emplace(context_);
    }
    asio::async_connect(socket(), found, [this](SystemError error, const asio::ip::tcp::endpoint&) {
      if (error) return lose(Loss::Kind::kNotSent, error);
      SystemError ignored;  // it only makes things slower
      socket().set_option(asio::ip::tcp::no_delay(true), ignored);
      if constexpr (kIsTls) {
        shake_hands();
      } else {
        be_open();
      }
    });
  }

  void shake_hands() {
    if constexpr (kIsTls) {
      SystemError error;
      if (settings_.is_verified) {
        stream_->set_verify_mode(asio::ssl::verify_peer, error);
        stream_->set_verify_callback(asio::ssl::host_name_verification(settings_.endpoint.host), error);
      } else {
        stream_->set_verify_mode(asio::ssl::verify_none, error);
      }
      if (error) return lose(Loss::Kind::kNotOpened, error);
      SSL_set_tlsext_host_name(stream_->native_handle(), settings_.endpoint.host.c_str());
      stream_->async_handshake(asio::ssl::stream_base::client, [this](SystemError failed) {
        // What the network does may be different next time, what a certificate says is not.
        const bool is_refused = failed.category() == asio::error::get_ssl_category();
        if (failed) return lose(is_refused ? Loss::Kind::kNotOpened : Loss::Kind::kNotSent, failed, doubt());
        be_open();
      });
    }
  }

  // What is wrong with the server's certificate; empty if that is not it.
  std::string doubt() {
    if constexpr (kIsTls) {
      const long verdict = SSL_get_verify_result(stream_->native_handle());
      if (settings_.is_verified && verdict != X509_V_OK)
        return fmt::format("its certificate is not trusted: {}", X509_verify_cert_error_string(verdict));
    }
    return {};
  }

  void be_open() {
    is_open_ = true;
    buffer_.clear();
    deadline_ = final_deadline_;
    write();
  }

  void write() {
    asio::async_write(*stream_, asio::buffer(exchange_->text), [this](SystemError error, size_t sent) {
      if (error) return lose(sent == 0 ? Loss::Kind::kNotSent : Loss::Kind::kUnknown, error);
      read();
    });
  }

  void read() {
    parser_.emplace(settings_.answer_bytes_max);
    boost::beast::http::async_read(*stream_, buffer_, *parser_, [this](SystemError error, size_t) {
      if (error) {
        const bool is_http =
            error.category() == boost::beast::http::make_error_code(boost::beast::http::error::bad_version).category();
        const bool has_ended =
            error == boost::beast::http::error::end_of_stream || error == boost::beast::http::error::partial_message;
        return lose(is_http && !has_ended ? Loss::Kind::kNotHttp : Loss::Kind::kUnknown, error);
      }
      used_at_ = std::chrono::steady_clock::now();
      if (!parser_->keep_alive()) close();
      on_done_(*this, parser_->take());
    });
  }

  // `reason` instead of the error's own words.
  void lose(Loss::Kind kind, SystemError error, std::string reason = {}) {
    const std::string where = settings_.endpoint.text();
    close();
    if (is_late_) {
      return on_done_(*this, std::unexpected(Loss{late_kind_, fmt::format("{} does not answer in time", where)}));
    }
    std::string why = reason.empty() ? error.message() : std::move(reason);
    if (kind == Loss::Kind::kUnknown) why = fmt::format("the connection was lost before the answer came: {}", why);
    if (kind == Loss::Kind::kNotHttp) why = fmt::format("its answer cannot be read: {}", why);
    on_done_(*this, std::unexpected(Loss{kind, fmt::format("{} does not answer: {}", where, why)}));
  }

  // What is pending on it ends with an error.
  void close() {
    is_open_ = false;
    if (!stream_) return;
    SystemError ignored;
    socket().close(ignored);
  }

  asio::io_context& context_;
  const ConnectionSettings& settings_;
  const OnDone on_done_;
  asio::ip::tcp::resolver resolver_;
  std::optional<Stream> stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<ResponseParser> parser_;
  bool is_open_ = false;
  bool is_late_ = false;
  Loss::Kind late_kind_ = Loss::Kind::kTimeout;
  Moment deadline_;
  Moment final_deadline_;
  Moment used_at_;
};

}  // namespace partita::client
