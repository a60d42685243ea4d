#include "client/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace partita::client {
namespace {

constexpr std::string_view kLocalPort = "8081";

std::unexpected<Error> refused(std::string_view text, std::string_view why) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("'{}' is not an endpoint such as http://localhost:8081/ or https://account.example.com/: {}", text, why));
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port <= 65535;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' ||
         c == ':';
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  Endpoint endpoint;
  endpoint.is_https = text.starts_with(kHttps);
  if (!endpoint.is_https && !text.starts_with(kHttp)) return refused(text, "it begins with neither http:// nor https://");
  std::string_view rest = text.substr(endpoint.is_https ? kHttps.size() : kHttp.size());
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    if (slash + 1 != rest.size()) return refused(text, "it has a path");
    rest.remove_suffix(1);
  }
  size_t colon = rest.rfind(':');
  if (rest.starts_with('[')) {
    const size_t bracket = rest.find(']');
    if (bracket == std::string_view::npos) return refused(text, "a bracket is not closed");
    endpoint.host = rest.substr(1, bracket - 1);
    colon = bracket + 1;
    if (colon < rest.size() && rest[colon] != ':') return refused(text, "something other than a port follows the address");
    if (colon == rest.size()) colon = std::string_view::npos;
  } else {
    endpoint.host = rest.substr(0, colon);
    if (endpoint.host.contains(':')) return refused(text, "an IPv6 address needs brackets");
  }
  if (endpoint.host.empty() || !std::ranges::all_of(endpoint.host, is_host_character)) return refused(text, "it names no host");
  if (colon != std::string_view::npos) {
    endpoint.port = rest.substr(colon + 1);
    if (!is_port(endpoint.port)) return refused(text, "the port is not a number from 1 to 65535");
  } else {
    endpoint.port = endpoint.is_loopback() ? kLocalPort : endpoint.is_https ? "443" : "80";
  }
  return endpoint;
}

bool Endpoint::is_loopback() const {
  // Not every name that begins so is an address.
  const bool is_address = std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return host == "localhost" || host == "::1" || (is_address && host.starts_with("127."));
}

std::string Endpoint::authority() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Endpoint::text() const { return fmt::format("http{}://{}/", is_https ? "s" : "", authority()); }

}  // namespace partita::client
