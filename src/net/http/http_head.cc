#include "net/http/http_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace partita::net {
namespace {

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<uint8_t>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<uint8_t>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<uint8_t>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<uint8_t>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenTable = make_token_table();

bool is_token_char(char c) { return kTokenTable[static_cast<uint8_t>(c)]; }

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char); }

// Without early exit, so that the compiler makes vector code of it.
bool has_control(std::string_view value) {
  bool found = false;
  for (char c : value) {
    auto byte = static_cast<uint8_t>(c);
    found |= (byte < 0x20 && byte != '\t') || byte == 0x7f;
  }
  return found;
}

bool has_control_or_space(std::string_view target) {
  bool found = false;
  for (char c : target) {
    auto byte = static_cast<uint8_t>(c);
    found |= byte <= 0x20 || byte == 0x7f;
  }
  return found;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::unexpected<HttpFailure> refuse(int status, std::string message) {
  return std::unexpected(HttpFailure{status, std::move(message)});
}

using Checked = std::expected<void, HttpFailure>;

Checked parse_version(std::string_view version, RequestFraming& framing) {
  if (version == "HTTP/1.1") return {};
  if (version == "HTTP/1.0") {
    framing.is_http_1_0 = true;
    framing.keep_alive = false;
    return {};
  }
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' && is_digit(version[7]))
    return refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  return refuse(400, "the request line does not end with an HTTP version such as HTTP/1.1");
}

// Origin-form "/path?query", absolute-form "http://authority/path?query" (authority dropped), and "*" for OPTIONS.
Checked parse_target(std::string_view target, HttpRequest& request) {
  if (target.empty()) return refuse(400, "the request target is empty");
  if (has_control_or_space(target)) return refuse(400, "the request target contains a control character");
  if (target == "*" && request.method == "OPTIONS") {
    request.path = target;
    request.query = {};
    return {};
  }
  if (target.front() != '/') {
    size_t scheme_bytes = equal_without_case(target.substr(0, 7), "http://")    ? 7
                          : equal_without_case(target.substr(0, 8), "https://") ? 8
                                                                                : 0;
    if (scheme_bytes == 0) return refuse(400, "the request target must start with a slash or be an http or https URL");
    target.remove_prefix(scheme_bytes);
    size_t authority_bytes = std::min(target.find_first_of("/?"), target.size());
    if (authority_bytes == 0) return refuse(400, "the URL in the request target names no host");
    target.remove_prefix(authority_bytes);
  }
  size_t question = std::min(target.find('?'), target.size());
  request.path = question == 0 ? std::string_view("/") : target.substr(0, question);
  request.query = question < target.size() ? target.substr(question + 1) : std::string_view();
  return {};
}

Checked parse_request_line(std::string_view line, HttpRequest& request, RequestFraming& framing) {
  size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos)
    return refuse(400, "the request line must be: method, space, target, space, HTTP version");
  request.method = line.substr(0, method_end);
  if (!is_token(request.method)) return refuse(400, "the request method is not a token");
  size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos)
    return refuse(400, "the request line must be: method, space, target, space, HTTP version");
  if (Checked version = parse_version(line.substr(target_end + 1), framing); !version) return version;
  return parse_target(line.substr(method_end + 1, target_end - method_end - 1), request);
}

// What a host name, an address or a port may consist of (RFC 3986, host and port). Answers repeat the host, so nothing else gets
// in.
bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~%!$&'()*+,;=:[]").find(c) != std::string_view::npos;
}

// FramingFields: the header fields that decide where a request ends; each may appear once.
class FramingFields {
 public:
  FramingFields(const HttpLimits& limits, RequestFraming& framing) : limits_(limits), framing_(framing) {}

  // Told apart by length first: almost every field of a request fails that test.
  Checked take(const HttpHeader& field) {
    switch (field.name.size()) {
      case 4: return equal_without_case(field.name, "Host") ? take_host(field.value) : Checked();
      case 6: return equal_without_case(field.name, "Expect") ? take_expect(field.value) : Checked();
      case 10: return equal_without_case(field.name, "Connection") ? take_connection(field.value) : Checked();
      case 14: return equal_without_case(field.name, "Content-Length") ? take_content_length(field.value) : Checked();
      case 17: return equal_without_case(field.name, "Transfer-Encoding") ? take_transfer_encoding(field.value) : Checked();
      default: return {};
    }
  }

  Checked finish() {
    if (!has_host_ && !framing_.is_http_1_0) return refuse(400, "the Host header is missing");
    if (framing_.is_chunked && has_content_length_) return refuse(400, "Content-Length and Transfer-Encoding exclude each other");
    if (framing_.is_chunked && framing_.is_http_1_0) return refuse(400, "Transfer-Encoding needs HTTP/1.1");
    if (asks_close_) framing_.keep_alive = false;
    if (framing_.is_http_1_0) framing_.expects_continue = false;
    return {};
  }

 private:
  Checked take_host(std::string_view value) {
    if (std::exchange(has_host_, true)) return refuse(400, "the Host header appears more than once");
    if (!std::ranges::all_of(value, is_host_character))
      return refuse(400, "the Host header is not a host name, with or without a port");
    return {};
  }

  Checked take_expect(std::string_view value) {
    if (!equal_without_case(value, "100-continue")) return refuse(417, "the only expectation understood is 100-continue");
    framing_.expects_continue = true;
    return {};
  }

  Checked take_connection(std::string_view list) {
    while (!list.empty()) {
      size_t comma = std::min(list.find(','), list.size());
      std::string_view option = trim(list.substr(0, comma));
      if (equal_without_case(option, "close")) asks_close_ = true;
      if (equal_without_case(option, "keep-alive")) framing_.keep_alive = true;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return {};
  }

  Checked take_content_length(std::string_view digits) {
    if (std::exchange(has_content_length_, true)) return refuse(400, "Content-Length appears more than once");
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return refuse(400, "Content-Length is not a decimal number");
    // Any number with more digits than this is over the limit of the body, and leading zeros are no reason to differ.
    if (digits.size() > 18) return refuse(413, fmt::format("the body is larger than {} bytes", limits_.body_bytes_max));
    for (char c : digits) framing_.content_length = framing_.content_length * 10 + static_cast<size_t>(c - '0');
    return {};
  }

  Checked take_transfer_encoding(std::string_view value) {
    if (framing_.is_chunked) return refuse(400, "Transfer-Encoding appears more than once");
    if (!equal_without_case(value, "chunked")) return refuse(501, "the only transfer encoding understood is chunked");
    framing_.is_chunked = true;
    return {};
  }

  const HttpLimits& limits_;
  RequestFraming& framing_;
  bool has_host_ = false;
  bool has_content_length_ = false;
  bool asks_close_ = false;
};

}  // namespace

HeadScanner::Progress HeadScanner::scan(std::string_view data, const HttpLimits& limits, HttpFailure& failure) {
  auto failed = [&failure](int status, std::string message) {
    failure = {status, std::move(message)};
    return Progress::kFailed;
  };
  if (!data.empty() && !is_token_char(data.front())) return failed(400, "a request must start with a method such as GET");
  while (true) {
    bool in_request_line = line_begin_ == 0;
    size_t limit = in_request_line ? std::min(limits.request_line_bytes_max, limits.header_bytes_max) : limits.header_bytes_max;
    size_t window = std::min(data.size(), limit);
    const void* found = searched_ < window ? std::memchr(data.data() + searched_, '\n', window - searched_) : nullptr;
    if (found == nullptr) {
      searched_ = window;
      if (data.size() < limit) return Progress::kNeedMore;
      return in_request_line ? failed(414, fmt::format("the request line is longer than {} bytes", limit))
                             : failed(431, fmt::format("the request's headers are larger than {} bytes", limit));
    }
    auto newline = static_cast<size_t>(static_cast<const char*>(found) - data.data());
    if (newline == line_begin_ || data[newline - 1] != '\r')
      return failed(400, "a line of the request's head ends with LF instead of CRLF");
    bool is_blank = newline - 1 == line_begin_;
    line_begin_ = searched_ = newline + 1;
    if (is_blank) {
      head_bytes_ = newline + 1;
      return Progress::kFound;
    }
  }
}

std::expected<HttpHeader, HttpFailure> parse_field(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t')
    return refuse(400, "a header line starts with white space; folded headers are obsolete and refused");
  size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse(400, "a header line has no colon");
  HttpHeader field{line.substr(0, colon), trim(line.substr(colon + 1))};
  if (field.name.empty()) return refuse(400, "a header has an empty name");
  if (field.name.back() == ' ' || field.name.back() == '\t')
    return refuse(400, "white space before the colon of a header is refused");
  if (!is_token(field.name)) return refuse(400, "a header's name contains a character that is not allowed in a token");
  if (has_control(field.value)) return refuse(400, "a header's value contains a control character");
  return field;
}

std::expected<RequestFraming, HttpFailure> parse_head(std::string_view head, const HttpLimits& limits, HttpRequest& request) {
  RequestFraming framing;
  FramingFields fields(limits, framing);
  request.headers.clear();
  bool is_first = true;
  while (true) {
    size_t newline = head.find('\n');
    std::string_view line = head.substr(0, newline - 1);
    head.remove_prefix(newline + 1);
    if (line.empty()) break;
    if (std::exchange(is_first, false)) {
      if (Checked parsed = parse_request_line(line, request, framing); !parsed) return std::unexpected(parsed.error());
      continue;
    }
    std::expected<HttpHeader, HttpFailure> field = parse_field(line);
    if (!field) return std::unexpected(std::move(field.error()));
    if (request.headers.size() == limits.header_count_max)
      return refuse(431, fmt::format("the request has more than {} headers", limits.header_count_max));
    request.headers.push_back(*field);
    if (Checked taken = fields.take(*field); !taken) return std::unexpected(taken.error());
  }
  if (Checked finished = fields.finish(); !finished) return std::unexpected(finished.error());
  return framing;
}

}  // namespace partita::net
