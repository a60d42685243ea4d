#include "auth/master_key.h"

#include <gtest/gtest.h>

#include "auth/authorization_token.h"
#include "base/encodings.h"

namespace partita::auth {
namespace {

constexpr int64_t kNow = 1595354131;  // Tue, 21 Jul 2020 17:55:31 GMT
constexpr std::string_view kDate = "Tue, 21 Jul 2020 17:55:31 GMT";
// The key of the baselines below.
constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
constexpr std::string_view kOtherKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

MasterKeyVerifier verifier(const AccountKeys& keys, const Clock& clock) {
  auto created = MasterKeyVerifier::create(keys, clock);
  EXPECT_TRUE(created);
  return std::move(*created);
}

std::string signature_by(std::string_view key, const SignedRequest& request, const SignedResource& resource) {
  return *from_base64(*sign(key, request, resource));
}

struct Baseline {
  std::string_view verb, type, link, date, token;
};
// From the tests of the service's .NET client, whose server uses the same code.
constexpr Baseline kBaselines[] = {
    {"GET", "", "", "Tue, 21 Jul 2020 17:55:31 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3d4ldo2CcZsh80o%2fVDqZFPS%2b3d2O0hTGfsVmhTfnSlE8g%3d"},
    {"GET", "dbs", "", "Tue, 21 Jul 2020 17:55:33 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3deGk7x5lvE1VKgZ4286y6%2baxcDJfDbfOFeCDHVg%2f9sZo%3d"},
    {"DELETE", "dbs", "dbs/02cae8a7583d41aca2a39d41fce2756c", "Tue, 21 Jul 2020 17:55:35 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3d8NkuMW4MRhfcWRZCoyztUXMfIVMui8wNHIu6vd6sy3o%3d"},
    {"POST", "colls", "dbs/92dc837c73484349852a2c8f05777565", "Tue, 21 Jul 2020 17:55:36 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3d2MIgOuCzkrWLI6%2bj5NYnmKYm8a7oS1dmcvETQAs3sEQ%3d"},
    {"GET", "pkranges", "dpztakyoj5g=", "Tue, 21 Jul 2020 17:55:37 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3dqH73yd16s9pr9e3X4azaZc97zyqs4oyxkB1L%2bLdsGbk%3d"},
    {"GET", "docs",
     "dbs/92dc837c73484349852a2c8f05777565/colls/ea9ebd7de6aa46d8bc0aa7e29b89236c/docs/9f39cb554e0f48e7a829dda4f441e147",
     "Tue, 21 Jul 2020 17:55:37 GMT", "type%3dmaster%26ver%3d1.0%26sig%3d0QVIU7gETTwkjcRWYKwHUOYKKdXi6FyuV8KsDSnVdeA%3d"},
    {"GET", "attachments", "dpztakyoj5gbaaaaaaaaacrx8zg=", "Tue, 21 Jul 2020 17:55:37 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3d3GdkZIIRiH4H8V85H1Af7lq4ddabXYosLVHfaf0kyQQ%3d"},
    {"DELETE", "docs", "dpztakyoj5gbaaaaaaaaaa==", "Tue, 21 Jul 2020 17:55:38 GMT",
     "type%3dmaster%26ver%3d1.0%26sig%3dyw%2fThc12voLUXMZ7NMDp5VsCgAwRGNF2K38oulEfpGg%3d"},
};

TEST(MasterKey, AcceptsAndMakesTheServicesSignatures) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  for (const Baseline& baseline : kBaselines) {
    const auto token = parse_authorization_token(baseline.token);
    ASSERT_TRUE(token);
    const SignedRequest request{baseline.verb, baseline.date, ""};
    const SignedResource resource{baseline.type, baseline.link};
    EXPECT_EQ(keys.verify(request, {{resource}}, *from_base64(token->signature)), KeyKind::kReadWrite) << baseline.link;
    EXPECT_EQ(sign(kKey, request, resource), token->signature) << baseline.link;
    const auto ours = parse_authorization_token(master_token(token->signature));
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->signature, token->signature);
    EXPECT_EQ(MasterKeySigner::create(kKey).value().token(request, resource), master_token(token->signature));
  }
}

TEST(MasterKey, TellsWhichKindOfKeySigned) {
  const ManualClock clock(kNow * 1000);
  const std::string read_only = "AAAA", other_read_only = "AAAB";
  const auto keys = verifier({std::string(kKey), std::string(kOtherKey), read_only, other_read_only}, clock);
  const SignedRequest request{"GET", kDate, ""};
  const SignedResource resource{"dbs", "dbs/Mixed"};
  const auto kind_of = [&](std::string_view key) {
    return keys.verify(request, {{resource}}, signature_by(key, request, resource));
  };
  EXPECT_EQ(kind_of(kKey), KeyKind::kReadWrite);
  EXPECT_EQ(kind_of(kOtherKey), KeyKind::kReadWrite);
  EXPECT_EQ(kind_of(read_only), KeyKind::kReadOnly);
  EXPECT_EQ(kind_of(other_read_only), KeyKind::kReadOnly);
  EXPECT_EQ(kind_of("AAAC").error().code, ErrorCode::kUnauthorized);
}

TEST(MasterKey, TriesEverySpellingOfTheResource) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  const SignedRequest request{"GET", kDate, ""};
  const SignedResource spellings[] = {{"docs", "dbs/d/colls/c/docs/a b"}, {"docs", "dbs/d/colls/c/docs/a%20b"}};
  EXPECT_TRUE(keys.verify(request, spellings, signature_by(kKey, request, spellings[0])));
  EXPECT_TRUE(keys.verify(request, spellings, signature_by(kKey, request, spellings[1])));
  EXPECT_FALSE(keys.verify(request, spellings, signature_by(kKey, request, {"docs", "dbs/d/colls/c/docs/A b"})));
}

TEST(MasterKey, UsesThePlainDateOnlyWithoutAClientDate) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  const SignedResource resource{"dbs", ""};
  const SignedRequest plain{"GET", "", kDate};
  EXPECT_TRUE(keys.verify(plain, {{resource}}, signature_by(kKey, plain, resource)));
  const SignedRequest both{"GET", kDate, "whatever a proxy wrote"};
  EXPECT_TRUE(keys.verify(both, {{resource}}, signature_by(kKey, {"GET", kDate, ""}, resource)));
}

TEST(MasterKey, ShowsThePayloadItExpected) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  const auto verdict = keys.verify({"GET", kDate, ""}, {{{"dbs", "dbs/Mixed"}}}, std::string(32, 'x'));
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(verdict.error().message.contains(R"(payload to sign: 'get\ndbs\ndbs/Mixed\ntue, 21 jul 2020 17:55:31 gmt\n\n')"))
      << verdict.error().message;
}

TEST(MasterKey, RefusesSignaturesOfAnyOtherLength) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  const SignedRequest request{"GET", kDate, ""};
  const std::string good = signature_by(kKey, request, {"dbs", ""});
  for (const std::string& signature : {std::string(), good.substr(0, 31), good + "x"}) {
    EXPECT_FALSE(keys.verify(request, {{{"dbs", ""}}}, signature));
  }
}

TEST(MasterKey, AllowsFifteenMinutesEitherWay) {
  ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  const SignedRequest request{"GET", kDate, ""};
  const std::string signature = signature_by(kKey, request, {"dbs", ""});
  const auto verify = [&] { return keys.verify(request, {{{"dbs", ""}}}, signature); };

  clock.advance_ms(15 * 60'000);
  EXPECT_TRUE(verify());
  clock.advance_ms(1000);
  ASSERT_FALSE(verify());
  EXPECT_EQ(verify().error().code, ErrorCode::kAuthorizationExpired);
  EXPECT_TRUE(verify().error().message.contains("901 seconds behind"));
  clock.advance_ms(-30 * 60'000 - 1000);
  EXPECT_TRUE(verify());
  clock.advance_ms(-1000);
  EXPECT_EQ(verify().error().code, ErrorCode::kAuthorizationExpired);
}

TEST(MasterKey, RefusesRequestsWithoutAReadableDate) {
  const ManualClock clock(kNow * 1000);
  const auto keys = verifier({.primary = std::string(kKey)}, clock);
  for (const SignedRequest& request :
       {SignedRequest{"GET", "", ""}, SignedRequest{"GET", "yesterday", ""}, SignedRequest{"GET", "x", kDate}}) {
    const auto verdict = keys.verify(request, {{{"dbs", ""}}}, signature_by(kKey, request, {"dbs", ""}));
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().code, ErrorCode::kUnauthorized);
  }
}

TEST(MasterKey, RefusesKeysThatAreNotBase64) {
  const ManualClock clock(0);
  EXPECT_FALSE(MasterKeyVerifier::create({}, clock));
  const auto bad = MasterKeyVerifier::create({.primary = std::string(kKey), .secondary = "not base64"}, clock);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(bad.error().message.contains("secondary account key"));
  EXPECT_FALSE(sign("!", {"GET", kDate, ""}, {"dbs", ""}));
  EXPECT_FALSE(MasterKeySigner::create("!"));
}

}  // namespace
}  // namespace partita::auth
