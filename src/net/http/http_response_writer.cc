#include "net/http/http_response_writer.h"

#include <fmt/format.h>

#include <ctime>

namespace partita::net {
namespace {

struct StatusText {
  int status;
  std::string_view reason;
  std::string_view code;  // of the JSON body, when the server itself answers
};

constexpr StatusText kStatusTexts[] = {
    {200, "OK", ""},
    {201, "Created", ""},
    {202, "Accepted", ""},
    {204, "No Content", ""},
    {206, "Partial Content", ""},
    {207, "Multi-Status", ""},
    {304, "Not Modified", ""},
    {400, "Bad Request", "BadRequest"},
    {401, "Unauthorized", "Unauthorized"},
    {403, "Forbidden", "Forbidden"},
    {404, "Not Found", "NotFound"},
    {405, "Method Not Allowed", "MethodNotAllowed"},
    {408, "Request Timeout", "RequestTimeout"},
    {409, "Conflict", "Conflict"},
    {410, "Gone", "Gone"},
    {411, "Length Required", "LengthRequired"},
    {412, "Precondition Failed", "PreconditionFailed"},
    {413, "Request Entity Too Large", "RequestEntityTooLarge"},
    {414, "URI Too Long", "UriTooLong"},
    {415, "Unsupported Media Type", "UnsupportedMediaType"},
    {416, "Range Not Satisfiable", "RangeNotSatisfiable"},
    {417, "Expectation Failed", "ExpectationFailed"},
    {424, "Failed Dependency", "FailedDependency"},
    {429, "Too Many Requests", "TooManyRequests"},
    {431, "Request Header Fields Too Large", "RequestHeaderFieldsTooLarge"},
    {449, "Retry With", "RetryWith"},
    {500, "Internal Server Error", "InternalServerError"},
    {501, "Not Implemented", "NotImplemented"},
    {503, "Service Unavailable", "ServiceUnavailable"},
    {505, "HTTP Version Not Supported", "HttpVersionNotSupported"},
};

StatusText text_of(int status) {
  for (const StatusText& text : kStatusTexts) {
    if (text.status == status) return text;
  }
  return {status, "Status", "Error"};
}

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_number(std::string& out, size_t number) {
  fmt::format_int text(number);
  out.append(text.data(), text.size());
}

}  // namespace

std::string_view DateText::now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  if (time.tv_sec != second_) {
    second_ = time.tv_sec;
    tm calendar{};
    gmtime_r(&time.tv_sec, &calendar);
    strftime(text_, sizeof text_, "%a, %d %b %Y %H:%M:%S GMT", &calendar);
  }
  return text_;
}

void append_response_head(std::string& out, const HttpResponse& response, ResponseFraming framing, std::string_view date) {
  if (response.status == 200) {
    out.append("HTTP/1.1 200 OK\r\nDate: ");
  } else {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<size_t>(response.status));
    out.push_back(' ');
    out.append(text_of(response.status).reason);
    out.append("\r\nDate: ");
  }
  out.append(date);
  if (status_has_body(response.status)) {
    if (!framing.is_streamed || response.source_bytes) {
      out.append("\r\nContent-Length: ");
      append_number(out, framing.is_streamed ? *response.source_bytes : response.body.size());
    } else if (!framing.is_http_1_0) {
      out.append("\r\nTransfer-Encoding: chunked");
    }
  }
  out.append("\r\n");
  out.append(response.header_block());
  if (!framing.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (framing.is_http_1_0) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

bool body_is_sent(std::string_view method, int status) { return method != "HEAD" && status_has_body(status); }

void fill_failure(HttpResponse& response, const HttpFailure& failure) {
  response.clear();
  response.status = failure.status;
  response.header("Content-Type", "application/json");
  response.body = fmt::format(R"({{"code":"{}","message":"{}"}})", text_of(failure.status).code, failure.message);
}

}  // namespace partita::net
