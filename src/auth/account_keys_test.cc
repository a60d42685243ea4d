#include "auth/account_keys.h"

#include <gtest/gtest.h>

#include "base/encodings.h"

namespace partita::auth {
namespace {

constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
constexpr std::string_view kReadOnlyKey = "cmVhZGVy";
// The text that another wire of the account signs with the same keys: lines that a master token knows nothing of.
constexpr std::string_view kOtherText =
    "GET\n\n\n\n\n\n\n\n\n\n\n\ndate:Tue, 21 Jul 2020 17:55:31 GMT\nversion:2019-02-02\n/account/table";

Keyring keyring() { return *Keyring::create({.primary = std::string(kKey), .primary_read_only = std::string(kReadOnlyKey)}); }

TEST(Keyring, KnowsWhoSignedAnyText) {
  const Keyring keys = keyring();
  const std::string signature = *from_base64(*sign_text(kKey, kOtherText));
  EXPECT_EQ(keys.signer_of(kOtherText, signature), KeyKind::kReadWrite);
  EXPECT_EQ(keys.signer_of(kOtherText, *from_base64(*sign_text(kReadOnlyKey, kOtherText))), KeyKind::kReadOnly);
  EXPECT_EQ(keys.signer_of(kOtherText, *from_base64(*sign_text("AAAA", kOtherText))), std::nullopt);
  EXPECT_EQ(keys.signer_of("another text", signature), std::nullopt);
  EXPECT_EQ(keys.signer_of(kOtherText, signature.substr(0, 31)), std::nullopt);
  EXPECT_EQ(keys.signer_of(kOtherText, ""), std::nullopt);
}

TEST(Keyring, FindsItsKeys) {
  EXPECT_EQ(keyring().find(kKey), KeyKind::kReadWrite);
  EXPECT_EQ(keyring().find(kReadOnlyKey), KeyKind::kReadOnly);
  EXPECT_EQ(keyring().find("AAAA"), std::nullopt);
  EXPECT_EQ(keyring().find(""), std::nullopt);
  EXPECT_EQ(keyring().find("not base64"), std::nullopt);
}

// Whoever may only read must not be able to make what the server hands out, nor may a signed request be taken for it.
TEST(Keyring, SealsOnlyWithKeysThatCanWrite) {
  const Keyring keys = keyring();
  EXPECT_TRUE(keys.is_seal(keys.seal("text"), "text"));
  EXPECT_FALSE(keys.is_seal(keys.seal("text"), "other text"));
  EXPECT_FALSE(keys.is_seal(*from_base64(*sign_text(kKey, "text")), "text"));
  EXPECT_FALSE(keys.is_seal(*from_base64(*sign_text(kReadOnlyKey, std::string_view("\0text", 5))), "text"));
  EXPECT_EQ(keys.signer_of("text", keys.seal("text")), std::nullopt);
}

TEST(Keyring, RefusesKeysThatAreNotBase64) {
  EXPECT_FALSE(Keyring::create({}));
  const auto bad = Keyring::create({.primary = std::string(kKey), .secondary = "not base64"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(bad.error().message.contains("secondary account key"));
  EXPECT_FALSE(sign_text("!", "text"));
}

}  // namespace
}  // namespace partita::auth
