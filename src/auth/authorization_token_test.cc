#include "auth/authorization_token.h"

#include <gtest/gtest.h>

namespace partita::auth {
namespace {

TEST(AuthorizationToken, ReadsEncodedAndPlainTokens) {
  for (const char* text : {"type%3dmaster%26ver%3d1.0%26sig%3dab%2bc%2f%3d", "type%3Dmaster%26ver%3D1.0%26sig%3Dab%2Bc%2F%3D",
                           "type=master&ver=1.0&sig=ab+c/=", "type=Master&ver=1.0&sig=ab+c/=,type=master&ver=1.0&sig=other"}) {
    const auto token = parse_authorization_token(text);
    ASSERT_TRUE(token) << text << ": " << token.error().message;
    EXPECT_EQ(token->type, TokenType::kMaster);
    EXPECT_EQ(token->version, "1.0");
    EXPECT_EQ(token->signature, "ab+c/=");
  }
}

TEST(AuthorizationToken, KnowsEveryType) {
  EXPECT_EQ(parse_authorization_token("type=resource&ver=1&sig=a==;b==;")->type, TokenType::kResource);
  EXPECT_EQ(parse_authorization_token("type=resource&ver=1&sig=a==;b==;")->signature, "a==;b==;");
  EXPECT_EQ(parse_authorization_token("type=aad&ver=1.0&sig=x.y.z")->type, TokenType::kDirectory);
  EXPECT_EQ(parse_authorization_token("type=sas&ver=1.0&sig=x;y")->type, TokenType::kSharedAccess);
}

TEST(AuthorizationToken, RefusesGarbageAndSaysWhatIsExpected) {
  for (const std::string& text :
       {std::string("garbage"), std::string("%"), std::string("type%3"), std::string("type=master"),
        std::string("type=master&ver=1.0"), std::string("type=master&ver=1.0&sig="), std::string("type=&ver=1.0&sig=a"),
        std::string("type=master&ver=&sig=a"), std::string("type=master&ver=99&sig=a"),
        std::string("type=resource&ver=1.1&sig=a;b;"), std::string("type=system&ver=1.0&sig=a"),
        std::string("ver=1.0&type=master&sig=a"), std::string("typ=master&ver=1.0&sig=a"),
        std::string("type=master&ver=1.0&sig=") + std::string(1024, 'a'), std::string(100'000, 'x')}) {
    const auto token = parse_authorization_token(text);
    ASSERT_FALSE(token) << text;
    EXPECT_EQ(token.error().code, ErrorCode::kUnauthorized);
    EXPECT_TRUE(token.error().message.contains("type={master|resource|aad|sas}&ver={version}&sig={signature}"));
  }
}

TEST(AuthorizationToken, RefusesAMissingToken) {
  const auto token = parse_authorization_token("");
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(token.error().message.contains("missing"));
}

TEST(AuthorizationToken, AllowsLongDirectoryTokensOnly) {
  const std::string long_signature(10'000, 'a');
  EXPECT_TRUE(parse_authorization_token("type=aad&ver=1.0&sig=" + long_signature));
  EXPECT_FALSE(parse_authorization_token("type=resource&ver=1.0&sig=" + long_signature));
}

}  // namespace
}  // namespace partita::auth
