#include "document/decimal128.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace partita {

namespace {

std::string text_of(std::string_view text) {
  const auto parsed = Decimal128::parse(text);
  return parsed ? parsed->to_text() : "refused";
}

}  // namespace

TEST(Decimal128, ReadsAndWritesWhatAnotherImplementationDoes) {
  std::ifstream file(TEST_DATA_DIR "/decimal128.txt");
  size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string given, high, low, written;
    words >> given >> high >> low >> written;
    const auto parsed = Decimal128::parse(given);
    ASSERT_TRUE(parsed) << given;
    EXPECT_EQ(parsed->high(), std::stoull(high, nullptr, 16)) << given;
    EXPECT_EQ(parsed->low(), std::stoull(low, nullptr, 16)) << given;
    EXPECT_EQ(parsed->to_text(), written) << given;
    EXPECT_EQ(Decimal128::parse(written), parsed) << given;
    ++cases;
  }
  EXPECT_GT(cases, 300u);
}

TEST(Decimal128, RefusesWhatIsNoNumberOrHasNoExactDecimal) {
  for (std::string_view text : {"",
                                "-",
                                "+",
                                ".",
                                "e5",
                                "1e",
                                "1e+",
                                "1 ",
                                " 1",
                                "1.2.3",
                                "0x1",
                                "--1",
                                "infinit",
                                "NaN0",
                                "1,5",
                                "12345678901234567890123456789012345",
                                "1E+6145",
                                "1E-6177",
                                "1.5E-6176",
                                "1E+99999999999999999999",
                                "1E-99999999999999999999"}) {
    EXPECT_FALSE(Decimal128::parse(text)) << text;
  }
  EXPECT_EQ(text_of("0E+99999999999999999999"), "0E+6111");
  // Zeros that do not fit are no loss, however many they are.
  EXPECT_EQ(text_of("1" + std::string(5000, '0') + "E-5000"), "1.000000000000000000000000000000000");
  EXPECT_EQ(text_of("0." + std::string(5000, '0') + "1E+5001"), "1");
}

TEST(Decimal128, TakesImpossibleCoefficientsForZero) {
  const Decimal128 beyond(0x3041FFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(beyond.to_text(), "0");
  const Decimal128 other_form(uint64_t{3} << 61, 7);
  EXPECT_TRUE(other_form.is_finite());
  EXPECT_EQ(other_form.number().coefficient, 0u);
  EXPECT_EQ(Decimal128().to_text(), "0E-6176");
}

TEST(Decimal128, IsNearADouble) {
  EXPECT_EQ(Decimal128::parse("0.1")->nearest_double(), 0.1);
  EXPECT_EQ(Decimal128::parse("-1.5E+3")->nearest_double(), -1500);
  EXPECT_EQ(Decimal128::parse("1E+400")->nearest_double(), INFINITY);
  EXPECT_EQ(Decimal128::parse("-1E+400")->nearest_double(), -INFINITY);
  EXPECT_EQ(Decimal128::parse("1E-400")->nearest_double(), 0);
  EXPECT_EQ(Decimal128::parse("-inf")->nearest_double(), -INFINITY);
  EXPECT_TRUE(std::isnan(Decimal128::parse("nan")->nearest_double()));
}

TEST(Decimal128, IsAnIntegerWhenItIsOne) {
  const auto integer = [](std::string_view text) { return Decimal128::parse(text)->exact_integer(); };
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("84.00"), 84);
  EXPECT_EQ(integer("84.5"), std::nullopt);
  EXPECT_EQ(integer("1E+18"), 1'000'000'000'000'000'000);
  EXPECT_EQ(integer("1E+6000"), std::nullopt);
  EXPECT_EQ(integer("0E+6000"), 0);
  EXPECT_EQ(integer("-0"), std::nullopt);
  EXPECT_EQ(integer("NaN"), std::nullopt);
}

}  // namespace partita
