#pragma once

#include "net/http/http_stream.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::net {

// ASCII without case, as HTTP compares names and tokens.
bool equal_without_case(std::string_view left, std::string_view right);

struct HttpHeader {
  std::string_view name;  // as sent
  std::string_view value;
};

// HttpRequest: one whole request. All views point into the connection's buffer and die when the response is done.
struct HttpRequest {
  std::string_view method;
  std::string_view path;   // raw, without the query
  std::string_view query;  // raw, without the question mark
  std::vector<HttpHeader> headers;
  std::string_view body;
  RequestBody* streamed_body = nullptr;  // instead of `body`, if HttpHandler::streams() said so and it did not come with the head
  std::optional<size_t> announced_bytes;  // what the head says about the body's length; nothing when it comes in chunks
  std::string_view peer_address;          // for logs
  std::string_view wire = "http";         // Wire::name() of the one by which it came
  bool is_tls = false;
  // Becomes true when the client is gone: nobody waits for the answer any more. Null when that cannot be known.
  const std::atomic<bool>* is_abandoned = nullptr;
  bool is_alone = false;  // no other connection is on this one's thread

  // Names compare without case; the first one counts.
  std::optional<std::string_view> find_header(std::string_view name) const;
  // The same with an empty string for a missing header.
  std::string_view header(std::string_view name) const { return find_header(name).value_or(std::string_view()); }
};

// HttpResponse: what a handler writes. Reused from request to request on a connection, so its memory stays warm.
// Content-Length, Date and Connection are added by the server.
class HttpResponse {
 public:
  int status = 200;
  std::string body;
  // Something was changed, and the client must learn that: rather without a body than not at all.
  bool is_outcome = false;
  // The client was found to be one who may ask for this, whatever became of it.
  bool is_authorized = false;
  // Instead of `body`: of so many bytes, or of as many as there will be.
  std::shared_ptr<ResponseSource> source;
  std::optional<uint64_t> source_bytes;

  // The name is the server's own. Control characters in the value are dropped, so that no input can split a response.
  void header(std::string_view name, std::string_view value);
  std::string_view header_block() const { return headers_; }
  void clear();
  // Gives back the memory that is kept for the next answer.
  void release();

 private:
  std::string headers_;  // "Name: value\r\n"...
};

// Called exactly once per request, on any thread, when the response is complete; the handler must not touch request or response
// afterwards. Calling it before handle() returns is the fast path and costs no suspension. Destroying it uncalled answers 500.
using HttpDone = std::move_only_function<void()>;

struct HttpAdmission {
  bool is_admitted = true;
  size_t body_bytes_max = SIZE_MAX;  // of a body that comes in chunks, or is streamed
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Whether handle() takes the body of this request piece by piece. Asked with the head, before admit(), when the body is not
  // small and did not come with it. HttpLimits::body_bytes_max does not hold for it, the one of its admission does.
  virtual bool streams(const HttpRequest& /*head*/) const { return false; }
  // Whether the body of a request may come, of which only the head has arrived; if not, `refusal` is the answer to it. Not asked
  // for small bodies and for those that came with their head. As handle(), inline only.
  virtual HttpAdmission admit(const HttpRequest& /*head*/, HttpResponse& /*refusal*/) { return {}; }
  // In whose name memory is taken for a large body or answer.
  virtual uint64_t tenant_of(const HttpRequest& /*head*/) const { return 0; }
  // Answers a request for whose body, or whose answer, there is no memory at the moment.
  virtual void answer_busy(HttpResponse& response) const;
  // Whether it is answered even while there are too many connections.
  virtual bool is_vital(const HttpRequest& /*request*/) const { return false; }
  // Runs on a connection's thread and must not block, because others may come to it; thread-safe.
  virtual void handle(const HttpRequest& request, HttpResponse& response, HttpDone done) = 0;
};

}  // namespace partita::net
