#include "protocols/cosmos/authorization/directory_token.h"

#include "base/clock.h"
#include "base/encodings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

constexpr int64_t kNow = 1'700'000'000;

std::string part(std::string_view text) {
  std::string encoded = base64(text);
  std::ranges::replace(encoded, '+', '-');
  std::ranges::replace(encoded, '/', '_');
  while (encoded.ends_with('=')) encoded.pop_back();
  return encoded;
}

std::string token(std::string_view claims, std::string_view key) {
  return fmt::format("{}.{}.{}", part(R"({"typ":"JWT"})"), part(claims), part(key));
}

std::string verdict(std::string_view text) {
  static const auth::Keyring keys = *auth::Keyring::create({.primary = "cHJpbWFyeQ==", .primary_read_only = "cmVhZGVy"});
  const Result<auth::KeyKind> kind = verify_directory_token(text, keys, kNow);
  if (!kind) return kind.error().code == ErrorCode::kUnauthorized ? "refused" : "?";
  return *kind == auth::KeyKind::kReadWrite ? "read-write" : "read-only";
}

const std::string kClaims = fmt::format(R"({{"nbf":{},"exp":{}}})", kNow - 60, kNow + 60);

}  // namespace

TEST(DirectoryToken, CarriesAKeyOfTheAccount) {
  EXPECT_EQ(verdict(token(kClaims, "cHJpbWFyeQ==")), "read-write");
  EXPECT_EQ(verdict(token(kClaims, "cmVhZGVy")), "read-only");
  EXPECT_EQ(verdict(token(kClaims, "b3RoZXI=")), "refused");
  EXPECT_EQ(verdict(token(kClaims, "")), "refused");
  EXPECT_EQ(verdict(token(kClaims, "not base64")), "refused");
}

TEST(DirectoryToken, HoldsForItsTime) {
  const auto between = [](int64_t from, int64_t to) {
    return verdict(token(fmt::format(R"({{"nbf":{},"exp":{}}})", from, to), "cHJpbWFyeQ=="));
  };
  EXPECT_EQ(between(kNow - 7200, kNow - 3600), "refused");
  EXPECT_EQ(between(kNow + 3600, kNow + 7200), "refused");
  EXPECT_EQ(between(kNow + 60, kNow + 7200), "read-write");  // clocks differ
  EXPECT_EQ(verdict(token(R"({})", "cHJpbWFyeQ==")), "refused");
}

TEST(DirectoryToken, TakesAnyNumberForATime) {
  const auto between = [](int64_t from, int64_t to) {
    return verdict(token(fmt::format(R"({{"nbf":{},"exp":{}}})", from, to), "cHJpbWFyeQ=="));
  };
  EXPECT_EQ(between(INT64_MIN, INT64_MAX), "read-write");
  EXPECT_EQ(between(INT64_MAX, INT64_MAX), "refused");
  EXPECT_EQ(between(INT64_MIN, INT64_MIN), "refused");
}

TEST(DirectoryToken, HasThreeParts) {
  for (const char* text : {"", ".", "..", "a.b", "a.b.c", "e30.e30.c.d", "e30.\x01.cHJpbWFyeQ"}) {
    EXPECT_EQ(verdict(text), "refused") << text;
  }
  EXPECT_EQ(verdict(fmt::format("{}.{}.{}", part("{}"), part("[1]"), part("cHJpbWFyeQ=="))), "refused");
}

}  // namespace partita::cosmos
