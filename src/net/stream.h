#pragma once

#include "net/input_buffer.h"
#include "net/task.h"
#include "net/tls.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string_view>

namespace partita::net {

namespace asio = boost::asio;
using ErrorCondition = boost::system::error_code;
// A concrete executor: the default one is type-erased and costs an allocation per operation.
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

// Stream: a connected socket, with or without TLS. Used on its event loop's thread only.
//
// cancel() may be called while a task is suspended; that task then fails, and so does every later one.
class Stream {
 public:
  explicit Stream(Socket socket) : socket_(std::move(socket)) {}

  // Appends at least one byte. False: the peer closed, the connection broke, or cancel() was called.
  Task<bool> receive(InputBuffer& input);
  // Sends both, in order. False as above.
  Task<bool> send(std::string_view first, std::string_view second);
  // Continues in TLS; what `input` holds is ciphertext and is taken out of it.
  Task<bool> start_tls(const TlsContext& context, InputBuffer& input);

  // As much as the socket takes now, also after cancel(): last words to a client that is cut off.
  void send_at_once(std::string_view text);

  void cancel();
  bool is_cancelled() const { return is_cancelled_; }
  bool is_tls() const { return tls_ != nullptr; }
  // Closing drops what the peer did not read yet, so that it holds no memory of ours.
  void reset_on_close();
  // Tells the peer that nothing more comes. Does not wait.
  void shutdown_send();

 private:
  struct Receipt;
  struct Writable;

  Task<bool> receive_ciphertext(InputBuffer& input);
  Task<bool> send_plain(std::string_view first, std::string_view second);
  Task<bool> send_encrypted(std::string_view plaintext);
  Task<bool> send_ciphertext();

  Socket socket_;
  std::unique_ptr<TlsSession> tls_;
  InputBuffer encrypted_input_;  // with TLS: what the pending receive writes to
  bool is_cancelled_ = false;
};

}  // namespace partita::net
