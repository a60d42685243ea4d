#include "net/http/http_message.h"

#include <algorithm>

namespace partita::net {
namespace {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void append_without_controls(std::string& out, std::string_view text) {
  // Without an early end the loop is done sixteen bytes at a time.
  bool has_controls = false;
  for (const char c : text) has_controls |= is_control(c);
  if (!has_controls) {
    out.append(text);
    return;
  }
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return !is_control(c); });
}

}  // namespace

bool equal_without_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) { return to_lower(a) == to_lower(b); });
}

std::optional<std::string_view> HttpRequest::find_header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (equal_without_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

void HttpResponse::header(std::string_view name, std::string_view value) {
  headers_.append(name);
  headers_.append(": ");
  append_without_controls(headers_, value);
  headers_.append("\r\n");
}

void HttpResponse::clear() {
  status = 200;
  is_outcome = is_authorized = false;
  source.reset();
  source_bytes.reset();
  body.clear();
  headers_.clear();
}

void HttpResponse::release() {
  status = 200;
  is_outcome = is_authorized = false;
  source.reset();
  source_bytes.reset();
  // An assignment of an empty string would keep the memory.
  std::string().swap(body);
  std::string().swap(headers_);
}

void HttpHandler::answer_busy(HttpResponse& response) const {
  response.clear();
  response.status = 503;
  response.header("Content-Type", "application/json");
  response.header("Retry-After", "1");
  response.body = R"({"code":"ServiceUnavailable","message":"the server has no memory for this request at the moment"})";
}

}  // namespace partita::net
