#include "client/endpoint.h"

#include <gtest/gtest.h>

namespace partita::client {
namespace {

TEST(Endpoint, ChoosesThePortThatPeopleMean) {
  EXPECT_EQ(Endpoint::parse("http://localhost").value(), (Endpoint{false, "localhost", "8081"}));
  EXPECT_EQ(Endpoint::parse("https://127.0.0.1/").value(), (Endpoint{true, "127.0.0.1", "8081"}));
  EXPECT_EQ(Endpoint::parse("https://account.example.com/").value(), (Endpoint{true, "account.example.com", "443"}));
  EXPECT_EQ(Endpoint::parse("http://db:80").value(), (Endpoint{false, "db", "80"}));
  EXPECT_EQ(Endpoint::parse("https://[::1]:8443/").value().text(), "https://[::1]:8443/");
  EXPECT_EQ(Endpoint::parse("https://[::1]").value().authority(), "[::1]:8081");
}

TEST(Endpoint, RefusesWhatIsNone) {
  for (const char* text :
       {"", "localhost:8081", "ftp://a/", "http://", "http://:80", "http://a:0", "http://a:65536", "http://a:b", "http://a/b",
        "http://[::1", "http://::1/", "http://[::1]x", "http://a b/", "https://u@a/"}) {
    EXPECT_FALSE(Endpoint::parse(text)) << text;
  }
}

TEST(Endpoint, KnowsLoopbackAddressesFromNamesThatLookSo) {
  EXPECT_TRUE(Endpoint::parse("https://127.8.9.1").value().is_loopback());
  EXPECT_TRUE(Endpoint::parse("https://[::1]").value().is_loopback());
  EXPECT_FALSE(Endpoint::parse("https://127.0.0.1.example.com").value().is_loopback());
  EXPECT_FALSE(Endpoint::parse("https://localhost.example.com").value().is_loopback());
}

}  // namespace
}  // namespace partita::client
