#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Requests as texts that people can read, for the corpora of fuzzers:
//
//   GET /dbs/db/colls/c/docs
//   authorization: key
//   x-ms-max-item-count: 1
//
//   body
//   ----
//   the next request
//
// "authorization: key", "readonly" and "token" are replaced by what belongs to the request; other texts are sent as they are.
// Content-Length is added, and Host where there is none.
namespace partita::cosmos::fuzz {

struct RequestText {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

inline constexpr std::string_view kSeparator = "\n----\n";

// What is in front of the mark; that and the mark are taken away. All of it when there is no mark.
inline std::string_view take_until(std::string_view& text, std::string_view mark) {
  const size_t end = std::min(text.find(mark), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return taken;
}

inline RequestText parse_request(std::string_view text) {
  RequestText request;
  std::string_view line = take_until(text, "\n");
  request.method = take_until(line, " ");
  request.target = line;
  while (!text.empty()) {
    std::string_view field = take_until(text, "\n");
    if (field.empty()) break;
    const std::string_view name = take_until(field, ": ");
    request.headers.emplace_back(name, field);
  }
  request.body = text;
  return request;
}

inline std::vector<RequestText> parse_requests(std::string_view text) {
  std::vector<RequestText> requests;
  while (!text.empty()) requests.push_back(parse_request(take_until(text, kSeparator)));
  return requests;
}

inline std::string print_request(const RequestText& request) {
  std::string out = request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) out += name + ": " + value + "\n";
  return out + "\n" + request.body;
}

inline std::string print_requests(const std::vector<RequestText>& requests) {
  std::string out;
  for (const RequestText& request : requests) {
    if (!out.empty()) out += kSeparator;
    out += print_request(request);
  }
  return out;
}

// As it comes over a connection.
inline std::string wire_text(const RequestText& request) {
  const bool has_host = std::ranges::any_of(request.headers, [](const auto& header) { return header.first == "host"; });
  std::string out = request.method + " " + request.target + " HTTP/1.1\r\n" + (has_host ? "" : "Host: localhost\r\n");
  for (const auto& [name, value] : request.headers) out += name + ": " + value + "\r\n";
  out += "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n";
  return out + request.body;
}

}  // namespace partita::cosmos::fuzz
