#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

// No server makes anybody sleep for longer than a minute without being asked again.
inline constexpr int64_t kRetryAfterMsMax = 60'000;

// Response: a whole answer of a server, whatever its status.
//
// Not thread-safe. Views of headers live as long as the response and end when it is moved.
class Response {
 public:
  int status() const { return status_; }
  bool is_success() const { return status_ >= 200 && status_ < 300; }
  const std::string& body() const { return body_; }
  std::string take_body() { return std::move(body_); }

  // Empty when there is none. `name` in lower case.
  std::string_view header(std::string_view name) const;
  size_t header_count() const { return headers_.size(); }
  std::string_view header_name(size_t index) const;
  std::string_view header_value(size_t index) const;

  int sub_status() const;
  double charge() const;  // request units
  std::string_view session_token() const;
  std::string_view etag() const;
  std::string_view activity_id() const;
  // Where the next page begins; empty at the end.
  std::string_view continuation() const;
  int64_t retry_after_ms() const;  // kRetryAfterMsMax at most

  // How often the request was sent in vain before this answer, and why.
  uint32_t throttles = 0;
  uint32_t retries = 0;  // for other reasons

  // For those who read it from a wire.
  void set_status(int status) { status_ = status; }
  void add_header(std::string_view name, std::string_view value);
  void append_body(std::string_view piece) { body_.append(piece); }
  void reserve_body(size_t bytes) { body_.reserve(bytes); }
  void clear();

 private:
  struct Field {
    uint32_t start;
    uint32_t name_bytes;
    uint32_t value_bytes;
  };

  int status_ = 0;
  std::string header_text_;  // names in lower case and values, one behind the other
  std::vector<Field> headers_;
  std::string body_;
};

}  // namespace partita::client
