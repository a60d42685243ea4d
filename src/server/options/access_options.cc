#include "server/options/option_parts.h"

#include "base/encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

// The options that say who gets in, from where, and what keys must be like.
namespace partita::server {
namespace {

constexpr std::string_view kHowToMakeAKey = "openssl rand -base64 64 | tr -d '\\n'";

// Takes the slash off the end of an origin, which browsers do not send. Returns what is wrong with it.
std::string check_origin(std::string& origin) {
  if (origin == cosmos::OriginPolicy::kAll) return {};
  if (origin.ends_with('/')) origin.pop_back();
  const size_t scheme = origin.starts_with("http://") ? 7 : origin.starts_with("https://") ? 8 : 0;
  const bool is_origin = scheme > 0 && origin.size() > scheme && origin.find_first_of("/?#@*, ", scheme) == std::string::npos &&
                         std::ranges::none_of(origin, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_origin) return {};
  return use_instead(origin, "an origin as browsers send it, such as https://app.example.org or http://localhost:3000");
}

std::string check_host(std::string& host) {
  if (!host.empty() && host.find_first_of("/:@ ") == std::string::npos) return {};
  return use_instead(host, "a host name without a port, such as db.example.org or *.example.org");
}

struct GivenKey {
  std::string_view option;
  const std::string& text;
  std::string_view use;  // those with the same may be equal
};

std::array<GivenKey, 5> given_keys(const ServeOptions& options) {
  return {GivenKey{"--key", options.key, "write"}, GivenKey{"--secondary-key", options.secondary_key, "write"},
          GivenKey{"--read-only-key", options.read_only_key, "read"},
          GivenKey{"--secondary-read-only-key", options.secondary_read_only_key, "read"},
          GivenKey{"--metrics-key", options.metrics_key, "see metrics"}};
}

Status check_key(const GivenKey& key, const ServeOptions& options) {
  if (key.text == kWellKnownKey && !is_loopback(options.bind)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} is the emulator's well-known key, which is accepted on loopback only, not with --bind {}. "
                            "Use a key of your own, for example: {} \"$({})\"",
                            key.option, options.bind, key.option, kHowToMakeAKey));
  }
  const std::optional<std::string> bytes = from_base64(key.text);
  if (!bytes) {
    return fail(ErrorCode::kInvalidInput, fmt::format("{} is not base64. Make a key with: {}", key.option, kHowToMakeAKey));
  }
  if (bytes->size() >= kKeyBytesMin) return {};
  return fail(ErrorCode::kInvalidInput, fmt::format("{} has {} bytes; a key needs at least {}. Make one with: {}", key.option,
                                                    bytes->size(), kKeyBytesMin, kHowToMakeAKey));
}

}  // namespace

Status check_keys(const ServeOptions& options) {
  const auto keys = given_keys(options);
  if (options.key.empty()) return fail(ErrorCode::kInvalidInput, "--key is empty");
  for (const GivenKey& key : keys) {
    if (key.text.empty()) continue;
    TRY(check_key(key, options));
    for (const GivenKey& other : keys) {
      if (key.use == other.use || other.text.empty() || from_base64(other.text) != from_base64(key.text)) continue;
      return fail(ErrorCode::kInvalidInput, fmt::format("{} and {} must differ, because one may {} and the other may {}",
                                                        key.option, other.option, key.use, other.use));
    }
  }
  return {};
}

void add_access_options(CLI::App& serve, ServeOptions& options) {
  serve
      .add_option("--metrics-key", options.metrics_key,
                  "Key (base64) for reading /_metrics beyond loopback with 'Authorization: Bearer KEY', and for nothing else; "
                  "account keys work as well")
      ->envname("PARTITA_METRICS_KEY");
  serve
      .add_option(
          "--cors-origin", options.cors_origins,
          "Origin whose web pages may use the account from a browser, such as https://app.example.org; can be repeated; * "
          "allows all. Default: none")
      ->envname("PARTITA_CORS_ORIGIN")
      ->delimiter(',')
      ->transform(CLI::Validator(check_origin, "ORIGIN"));
  serve
      .add_option("--allow-host", options.allowed_hosts,
                  "Additional Host name to answer; can be repeated. On loopback the server answers only to localhost, loopback "
                  "addresses, --public-endpoint, --san and these; otherwise to every name, unless this option is given")
      ->envname("PARTITA_ALLOW_HOST")
      ->delimiter(',')
      ->transform(CLI::Validator(check_host, "HOST"));
  serve.add_flag("--https-only", options.is_https_only, "Refuse plain http, except for /_health")->envname("PARTITA_HTTPS_ONLY");
}

RequestGuard::Rules guard_rules(const ServeOptions& options) {
  RequestGuard::Rules rules{.is_https_only = options.is_https_only,
                            .checks_host = is_loopback(options.bind) || !options.allowed_hosts.empty(),
                            .hosts = options.allowed_hosts,
                            .public_origin = {},
                            .origins = cosmos::OriginPolicy(options.cors_origins)};
  for (const std::string& name : options.names) rules.hosts.push_back(name.contains(':') ? "[" + name + "]" : name);
  if (options.public_endpoint.empty()) return rules;
  rules.public_origin = options.public_endpoint.substr(0, options.public_endpoint.size() - 1);  // without the slash
  const std::string_view authority = std::string_view(rules.public_origin).substr(rules.public_origin.find("://") + 3);
  rules.hosts.emplace_back(host_without_port(authority));
  return rules;
}

}  // namespace partita::server
