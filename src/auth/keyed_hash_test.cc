#include "auth/keyed_hash.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/encodings.h"

namespace partita::auth {
namespace {

std::string hash(std::string_view key, std::string_view message) {
  const Signature signature = KeyedHash(key).of(message);
  return hex_upper({reinterpret_cast<const char*>(signature.data()), signature.size()});
}

// RFC 4231, test cases 1, 2 and 6.
TEST(KeyedHash, MatchesThePublishedVectors) {
  EXPECT_EQ(hash(std::string(20, '\x0b'), "Hi There"), "B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7");
  EXPECT_EQ(hash("Jefe", "what do ya want for nothing?"), "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843");
  EXPECT_EQ(hash(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60E431591EE0B67F0D8A26AACBF5B77F8E0BC6213728C5140546040F0EE37F54");
  EXPECT_EQ(hash("", ""), "B613679A0814D9EC772F95D778C35FC5FF1697C493715653C6C712144292C5AD");
}

TEST(KeyedHash, ServesOneMessageAfterAnother) {
  const KeyedHash keyed("key");
  const Signature first = keyed.of("message");
  EXPECT_NE(keyed.of(std::string(1000, 'm')), first);
  EXPECT_EQ(keyed.of("message"), first);
}

TEST(KeyedHash, IsTheSameOnEveryThread) {
  const KeyedHash keyed("key");
  const Signature expected = keyed.of("message");
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        if (keyed.of("message") != expected) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(KeyedHash, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace partita::auth
