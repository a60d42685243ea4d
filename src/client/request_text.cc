#include "client/request_text.h"

#include "base/encodings.h"
#include "client/header_names.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace partita::client {
namespace {

constexpr std::string_view kVersion = "2020-07-15";
constexpr size_t kUsualHeadBytes = 768;

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
}
bool is_one_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

Status check(const Request& request) {
  if (!is_one_word(request.method) || !is_one_word(request.path) || !request.path.starts_with('/')) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{} {}' is not the beginning of a request", request.method, request.path));
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_one_word(name) || !is_one_line(value)) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("the value of the header '{}' has a character that headers must not have", name));
    }
  }
  return {};
}

// Most requests of a thread are of the same second.
std::string_view date_of(int64_t unix_seconds) {
  thread_local int64_t second = -1;
  thread_local std::string text;
  if (second != unix_seconds) {
    text = http_date(unix_seconds);
    second = unix_seconds;
  }
  return text;
}

}  // namespace

// A time point of the standard library would be formatted in the machine's time zone.
std::string http_date(int64_t unix_seconds) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(static_cast<std::time_t>(unix_seconds)));
}

Result<RequestText> RequestText::create(const Endpoint& endpoint, const Options& options) {
  RequestText text;
  if (!is_one_line(options.user_agent)) return fail(ErrorCode::kInvalidInput, "the user agent must be one line");
  append_line(text.fixed_, "host", endpoint.authority());
  append_line(text.fixed_, "user-agent", options.user_agent);
  append_line(text.fixed_, "accept", "application/json");
  append_line(text.fixed_, header::kApiVersion, kVersion);
  text.resource_token_ = options.resource_token.contains('%') ? options.resource_token : percent_encode(options.resource_token);
  if (!is_one_line(text.resource_token_)) return fail(ErrorCode::kInvalidInput, "the resource token must be one line");
  if (!options.key.empty()) {
    TRY_ASSIGN(text.signer_, auth::MasterKeySigner::create(options.key));
  }
  return text;
}

void RequestText::append_authorization(std::string& out, const Request& request, std::string_view date) const {
  append_line(out, header::kDate, date);
  if (signer_) {
    append_line(out, header::kAuthorization,
                signer_->token({.verb = request.method, .client_date = date, .date = {}},
                               {.type = request.resource_type, .link = request.resource_link}));
  } else if (!resource_token_.empty()) {
    append_line(out, header::kAuthorization, resource_token_);
  }
}

Result<std::string> RequestText::write(const Request& request, std::string_view session, int64_t unix_seconds) const {
  TRY(check(request));
  std::string out;
  out.reserve(kUsualHeadBytes + request.path.size() + session.size() + request.body.size());
  out.append(request.method).append(" ").append(request.path).append(" HTTP/1.1\r\n").append(fixed_);
  append_authorization(out, request, date_of(unix_seconds));
  for (const auto& [name, value] : request.headers) append_line(out, name, value);
  if (!session.empty()) append_line(out, header::kSessionToken, session);
  if (!request.body.empty() || (request.method != "GET" && request.method != "DELETE")) {
    fmt::format_to(std::back_inserter(out), "content-length: {}\r\n", request.body.size());
  }
  out.append("\r\n").append(request.body);
  return out;
}

}  // namespace partita::client
