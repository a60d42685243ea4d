#include "server/request_guard.h"

#include "server/admin/admin_api.h"
#include "server/options/options.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::server {
namespace {

bool is_vital(std::string_view path) {
  const AdminRoute* route = find_admin_route(path);
  return route != nullptr && route->is_vital;
}

// "*.example.org" has db.example.org, but neither example.org nor a.b.example.org.
bool has_name(std::string_view pattern, std::string_view host) {
  if (!pattern.starts_with("*.")) return net::equal_without_case(pattern, host);
  const size_t dot = host.find('.');
  return dot != std::string_view::npos && dot > 0 && net::equal_without_case(pattern.substr(1), host.substr(dot));
}

}  // namespace

// What a request says of where it comes from and goes to; empty where it says nothing.
struct RequestGuard::Came {
  std::string_view host;
  std::string_view origin;
  std::string_view site;
  std::string_view mode;
  std::string_view destination;

  // In one pass: this is asked on every request.
  explicit Came(const net::HttpRequest& request) {
    for (const net::HttpHeader& header : request.headers) {
      switch (header.name.size()) {
        case 4: take(header, "host", host); break;
        case 6: take(header, "origin", origin); break;
        case 14:
          take(header, "sec-fetch-site", site);
          take(header, "sec-fetch-mode", mode);
          take(header, "sec-fetch-dest", destination);
          break;
        default: break;
      }
    }
  }

  // Somebody follows a link or types an address; the page that has the link does not see what comes.
  bool is_navigation() const { return mode == "navigate" && destination == "document"; }
  bool is_from_elsewhere() const { return site == "cross-site" || site == "same-site"; }

 private:
  static void take(const net::HttpHeader& header, std::string_view name, std::string_view& value) {
    if (value.empty() && net::equal_without_case(header.name, name)) value = header.value;
  }
};

std::string_view host_without_port(std::string_view host) {
  const size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return host;
  return host.substr(0, host.find(':', bracket));
}

bool RequestGuard::knows_host(std::string_view host) const {
  if (host.empty()) return true;  // only what is older than HTTP/1.1, and no browser, may leave it out
  std::string_view name = host_without_port(host);
  if (net::equal_without_case(name, "localhost")) return true;
  if (std::ranges::any_of(rules_.hosts, [&](const std::string& known) { return has_name(known, name); })) return true;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return is_loopback(name);
}

bool RequestGuard::is_own_origin(const net::HttpRequest& request, const Came& came) const {
  if (!rules_.public_origin.empty() && came.origin == rules_.public_origin) return true;
  const std::string_view scheme = request.is_tls ? "https://" : "http://";
  return !came.host.empty() && came.origin.starts_with(scheme) && came.origin.substr(scheme.size()) == came.host;
}

std::optional<std::string> RequestGuard::refuse_page(const net::HttpRequest& request, const Came& came) const {
  const bool is_own_path = request.path.starts_with(kOwnPrefix);
  if (came.origin.empty()) {
    const bool only_shows = request.method == "GET" && came.is_navigation() && !request.path.starts_with(kAdminPrefix);
    if (!came.is_from_elsewhere() || only_shows) return std::nullopt;
    return "A page of another site asks for this, which is not allowed.";
  }
  if (is_own_origin(request, came)) return std::nullopt;
  if (is_own_path) return fmt::format("Pages of '{}' may not ask for this: it is for the server's own.", came.origin);
  if (rules_.origins.names(came.origin)) return std::nullopt;
  return fmt::format("Pages of '{}' may not use this account. Its operator can allow it: --cors-origin {}", came.origin,
                     came.origin);
}

std::optional<std::string> RequestGuard::refusal(const net::HttpRequest& request) const {
  if (rules_.is_https_only && !request.is_tls && !is_vital(request.path)) {
    return "This server answers over https only (--https-only). What was sent with this request has gone over the network as it "
           "is.";
  }
  const Came came(request);
  if (rules_.checks_host && !knows_host(came.host)) {
    return fmt::format("This server is not known as '{}'. If it shall be: --allow-host {}", came.host,
                       host_without_port(came.host));
  }
  if (came.origin.empty() && came.site.empty()) return std::nullopt;
  return refuse_page(request, came);
}

}  // namespace partita::server
