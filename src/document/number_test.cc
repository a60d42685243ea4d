#include "document/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace partita {

namespace {

std::string text_of(double value) {
  char text[kNumberTextBytesMax];
  return {text, write_double(text, value)};
}

}  // namespace

TEST(Number, PrintsDoublesAsJavaScriptDoes) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {-0.0, "-0"},
      {84.0, "84"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.25e-7, "1.25e-7"},
      {123456789012.0, "123456789012"},
      {1e20, "100000000000000000000"},
      {1.5e20, "150000000000000000000"},
      {1e21, "1e+21"},
      {1.5e300, "1.5e+300"},
      {1152921504606846976.0, "1152921504606847000"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {std::numeric_limits<double>::denorm_min(), "5e-324"},
      {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(text_of(value), text);
}

TEST(Number, EveryPrintedDoubleReadsBackTheSame) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = text_of(value);
    ASSERT_LE(text.size(), kNumberTextBytesMax);
    const ParsedNumber parsed = parse_number(text);
    EXPECT_EQ(std::bit_cast<uint64_t>(parsed.real), std::bit_cast<uint64_t>(value)) << text;
    EXPECT_NE(parsed.kind, NumberKind::kText) << text;
  }
}

TEST(Number, PrintsFewDecimalsInTheirShortestForm) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 200'000; ++i) {
    const double digits = static_cast<double>(random() >> (16 + random() % 48));
    const double value = (random() % 2 == 0 ? digits : -digits) / std::pow(10.0, static_cast<double>(random() % 8));
    if (value == 0 || std::abs(value) < 1e-6) continue;
    char expected[64];
    char* end = std::to_chars(expected, expected + sizeof expected, value, std::chars_format::fixed).ptr;
    EXPECT_EQ(text_of(value), std::string(expected, end));
  }
}

TEST(Number, ReadsWhatStrtodReads) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100'000; ++i) {
    std::string token = std::to_string(random() >> random() % 64) + "." + std::to_string(random() >> random() % 64);
    if (random() % 2 == 0) token += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
    EXPECT_EQ(parse_number(token).real, std::strtod(token.c_str(), nullptr)) << token;
  }
}

TEST(Number, IntegersAreIntegersHoweverTheyAreSpelled) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"84.0", 84},
      {"840e-1", 84},
      {"8.4E+1", 84},
      {"-1e3", -1000},
      {"0e400", 0},
      {"0.000", 0},
      {"9223372036854775807", std::numeric_limits<int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<int64_t>::min()},
      {"9223372036854775807.000", std::numeric_limits<int64_t>::max()},
      {"1e18", 1'000'000'000'000'000'000},
  };
  for (const auto& [token, integer] : cases) {
    const ParsedNumber parsed = parse_number(token);
    EXPECT_EQ(parsed.kind, NumberKind::kInteger) << token;
    EXPECT_EQ(parsed.integer, integer) << token;
  }
}

TEST(Number, DoublesAreThoseThatPrintTheSameDecimal) {
  for (const char* token : {"0.1", "1.50", "15e-1", "-0", "-0.0e5", "1e22", "1e308", "100000000000000000000",
                            "0.30000000000000004", "5e-324", "1.7976931348623157e308", "12345678901234568e10"}) {
    EXPECT_EQ(parse_number(token).kind, NumberKind::kDouble) << token;
  }
  EXPECT_TRUE(std::signbit(parse_number("-0").real));
}

TEST(Number, KeepsTextOfWhatNothingElseReproduces) {
  for (const char* token : {"9223372036854775808", "18446744073709551616", "123456789012345678901234567890",
                            "0.1000000000000000055", "1e-400", "-1e-400", "1.00000000000000000001", "3.14159265358979323846"}) {
    EXPECT_EQ(parse_number(token).kind, NumberKind::kText) << token;
  }
  EXPECT_EQ(parse_number("18446744073709551616").real, 18446744073709551616.0);
  EXPECT_EQ(parse_number("1e-400").real, 0.0);
}

TEST(Number, KnowsWhatIsTooLarge) {
  for (const char* token : {"1e400", "-1e309", "1.8e308", "1e99999999999999999999"}) {
    EXPECT_EQ(parse_number(token).kind, NumberKind::kTooLarge) << token;
  }
  EXPECT_EQ(parse_number(std::string(400, '9')).kind, NumberKind::kTooLarge);
}

TEST(Number, RejectsWhatIsNotANumberOfJson) {
  for (const char* token :
       {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x10", "1 ", "NaN", "Infinity", "1a", "--1", "1.e5", "1\"a\""}) {
    EXPECT_EQ(parse_number(token).kind, NumberKind::kInvalid) << token;
  }
}

TEST(Number, ExactIntegerOfADouble) {
  EXPECT_EQ(exact_integer(3.0), 3);
  EXPECT_EQ(exact_integer(-9223372036854775808.0), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(exact_integer(9223372036854775808.0), std::nullopt);
  EXPECT_EQ(exact_integer(0.5), std::nullopt);
  EXPECT_EQ(exact_integer(-0.0), std::nullopt);
}

}  // namespace partita
