#include "base/encodings.h"

#include <gtest/gtest.h>

namespace partita {

TEST(Encodings, Base64RoundTripsEveryLength) {
  std::string bytes;
  for (int i = 0; i < 260; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    bytes += static_cast<char>(i * 37);
  }
  EXPECT_EQ(base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
}

TEST(Encodings, Base64RejectsWhatIsNotBase64) {
  for (const char* text : {"A", "AA", "AAA", "AA=A", "AAA*", "AA A", "AAAA\n"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

TEST(Encodings, HexRoundTrips) {
  EXPECT_EQ(hex_upper(std::string("\x00\xAB\xFF", 3)), "00ABFF");
  EXPECT_EQ(from_hex("00abFF"), std::string("\x00\xAB\xFF", 3));
  EXPECT_EQ(from_hex("0"), std::nullopt);
  EXPECT_EQ(from_hex("0g"), std::nullopt);
}

TEST(Encodings, PercentDecodingKeepsPlusAndRejectsCutEscapes) {
  EXPECT_EQ(percent_decode("a%20b+c%C3%A4"), "a b+c\xC3\xA4");
  EXPECT_EQ(percent_decode("%"), std::nullopt);
  EXPECT_EQ(percent_decode("%2"), std::nullopt);
  EXPECT_EQ(percent_decode("%zz"), std::nullopt);
  EXPECT_EQ(percent_encode("a b/\xC3\xA4~"), "a%20b%2F%C3%A4~");
}

}  // namespace partita
