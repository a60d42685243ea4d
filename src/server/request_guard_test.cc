#include "server/request_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::server {
namespace {

using Headers = std::vector<net::HttpHeader>;

// "let in", or a word of why not.
std::string verdict(const RequestGuard& guard, const Headers& headers, std::string_view path = "/dbs",
                    std::string_view method = "GET", bool is_tls = false) {
  net::HttpRequest request;
  request.method = method;
  request.path = path;
  request.headers = headers;
  request.is_tls = is_tls;
  const std::optional<std::string> why = guard.refusal(request);
  if (!why) return "let in";
  if (why->contains("over https only")) return "plain";
  if (why->contains("is not known as")) return "host";
  return "page";
}

constexpr net::HttpHeader kHost{"Host", "localhost:8081"};

RequestGuard guard_with(std::vector<std::string> origins) {
  return RequestGuard({.origins = cosmos::OriginPolicy(std::move(origins))});
}

}  // namespace

TEST(RequestGuard, LetsInWhoIsNoPage) {
  const RequestGuard guard({});
  EXPECT_EQ(verdict(guard, {}), "let in");
  EXPECT_EQ(verdict(guard, {kHost}), "let in");
  EXPECT_EQ(verdict(guard, {kHost}, "/dbs", "POST"), "let in");
  EXPECT_EQ(verdict(guard, {kHost}, "/_partita/split", "POST"), "let in");
}

TEST(RequestGuard, KnowsItsNames) {
  const RequestGuard guard({.hosts = {"db.example.org", "*.test.example.org", "10.0.0.1", "[fe80::1]"}});
  for (const char* host : {"localhost", "LocalHost:8081", "127.0.0.1:8081", "127.1.2.3", "[::1]:8081", "[::1]",
                           "db.example.org:1", "DB.example.org", "a.test.example.org", "10.0.0.1:8081", "[fe80::1]:8081", ""}) {
    EXPECT_EQ(verdict(guard, {{"host", host}}), "let in") << host;
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil.example:8081", "xlocalhost",
        "db.example.org.", "test.example.org", "a.b.test.example.org", ".test.example.org", "10.0.0.2", "0.0.0.0", "[::2]:8081",
        "[::1", "::1", "2130706433", "localhost@evil.example", "localhost/evil", " "}) {
    EXPECT_EQ(verdict(guard, {{"host", host}}), "host") << host;
  }
  EXPECT_EQ(verdict(RequestGuard({.checks_host = false}), {{"host", "anything.example"}}), "let in");
}

TEST(RequestGuard, TurnsForeignPagesAway) {
  const RequestGuard guard({});
  for (const char* origin : {"https://evil.example", "http://localhost:3000", "http://localhost", "https://localhost:8081",
                             "null", "file://", "http://127.0.0.1:8081"}) {
    for (const char* method : {"GET", "POST", "OPTIONS", "DELETE"}) {
      for (const char* path : {"/", "/dbs", "/_partita/statistics", "/_explorer/", "/_metrics", "/_health"}) {
        EXPECT_EQ(verdict(guard, {kHost, {"Origin", origin}}, path, method), "page") << method << " " << path << " " << origin;
      }
    }
  }
}

TEST(RequestGuard, LetsItsOwnPagesIn) {
  EXPECT_EQ(verdict(RequestGuard({}), {kHost, {"origin", "http://localhost:8081"}}), "let in");
  EXPECT_EQ(verdict(RequestGuard({}), {kHost, {"origin", "https://localhost:8081"}}, "/dbs", "GET", true), "let in");
  EXPECT_EQ(verdict(RequestGuard({}), {kHost, {"origin", "http://localhost:8081"}}, "/dbs", "GET", true), "page");
  const RequestGuard behind_proxy({.checks_host = false, .public_origin = "https://db.example.org"});
  EXPECT_EQ(verdict(behind_proxy, {{"host", "inner"}, {"origin", "https://db.example.org"}}), "let in");
  // One that has no name of its own to compare with.
  EXPECT_EQ(verdict(RequestGuard({}), {{"origin", "http://"}}), "page");
}

// A page whose name leads here asks for its own origin, as it sees it.
TEST(RequestGuard, AReboundNameIsNotItsOwn) {
  EXPECT_EQ(verdict(RequestGuard({}), {{"host", "evil.example:8081"}, {"origin", "http://evil.example:8081"}}), "host");
}

TEST(RequestGuard, LetsNamedPagesUseTheAccountOnly) {
  const RequestGuard guard = guard_with({"https://app.example.org"});
  const Headers named = {
      kHost, {"origin", "https://app.example.org"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "cors"}};
  EXPECT_EQ(verdict(guard, named), "let in");
  EXPECT_EQ(verdict(guard, named, "/dbs", "OPTIONS"), "let in");
  EXPECT_EQ(verdict(guard, named, "/_metrics"), "page");
  EXPECT_EQ(verdict(guard, named, "/_partita/split", "POST"), "page");
  EXPECT_EQ(verdict(guard, {kHost, {"origin", "http://app.example.org"}}), "page");
  EXPECT_EQ(verdict(guard, {kHost, {"origin", "https://app.example.org:8443"}}), "page");
  EXPECT_EQ(verdict(guard_with({"*"}), {kHost, {"origin", "null"}}), "let in");
  EXPECT_EQ(verdict(guard_with({"*"}), {kHost, {"origin", "null"}}, "/_explorer/"), "page");
}

// Images, scripts and frames have no Origin, but browsers say that another site wants them.
TEST(RequestGuard, LetsPagesLinkButNotEmbed) {
  const RequestGuard guard({});
  const auto asked = [&](const char* site, const char* mode, const char* destination, const char* path) {
    return verdict(guard, {kHost, {"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", mode}, {"Sec-Fetch-Dest", destination}}, path);
  };
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(asked(site, "no-cors", "image", "/dbs"), "page");
    EXPECT_EQ(asked(site, "no-cors", "script", "/_metrics"), "page");
    EXPECT_EQ(asked(site, "navigate", "iframe", "/_explorer/"), "page");
    EXPECT_EQ(asked(site, "navigate", "document", "/_explorer/"), "let in");
    EXPECT_EQ(asked(site, "navigate", "document", "/_partita/statistics"), "page");
  }
  EXPECT_EQ(asked("none", "navigate", "document", "/_explorer/"), "let in");
  EXPECT_EQ(asked("same-origin", "no-cors", "image", "/_metrics"), "let in");
}

TEST(RequestGuard, TakesHttpsOnlyWhenToldTo) {
  const RequestGuard guard({.is_https_only = true});
  EXPECT_EQ(verdict(guard, {kHost}), "plain");
  EXPECT_EQ(verdict(guard, {kHost}, "/_metrics"), "plain");
  EXPECT_EQ(verdict(guard, {kHost}, "/_health/ready"), "let in");
  EXPECT_EQ(verdict(guard, {kHost}, "/dbs", "GET", true), "let in");
}

}  // namespace partita::server
