#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace partita::net {

// What a connection holds of a body that is streamed, in each direction; borrowed like any other memory. A piece that a source
// makes may be larger only while there is memory for it.
inline constexpr size_t kStreamedBytesMax = 128 * 1024;

// RequestBody: the body of a request, as it comes. Nothing is received before it is asked for, so that a client sends as fast as
// its handler takes.
class RequestBody {
 public:
  // Empty: that was all of it. An error: no more comes, because the client is gone, too slow, or breaks the rules.
  using OnPiece = std::move_only_function<void(Result<std::string_view>)>;

  // Tells the next piece, on the connection's thread, where it must not wait for anything; views of the piece before die. On any
  // thread, while no piece is awaited, and neither after an end or an error nor after the request is done.
  virtual void next(OnPiece on_piece) = 0;

 protected:
  ~RequestBody() = default;
};

// ResponseSource: the body of an answer, made as the client takes it. Its end is told by its destruction, on the connection's
// thread: when all was sent, when the client is gone or too slow, or when nobody wants a body (HEAD). For what works for long on
// one piece, HttpRequest::is_abandoned tells earlier; it lives as long as the source.
class ResponseSource {
 public:
  enum class Progress {
    kMore,
    kEnd,     // with this piece, which may be empty
    kFailed,  // the client must not take what it has for the whole: the connection is reset
  };
  // On any thread; dropping it uncalled is kFailed.
  using OnMade = std::move_only_function<void(Progress)>;

  virtual ~ResponseSource() = default;
  // Appends the next piece, of kStreamedBytesMax bytes at most, then calls on_made. Runs on the connection's thread and must not
  // block; asked again when the piece was sent.
  virtual void make(std::string& piece, OnMade on_made) = 0;
};

}  // namespace partita::net
