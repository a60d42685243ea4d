#include "document/key/extended_key_form.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/key/key_form.h"
#include "document/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace partita {

namespace {

using random_values::Random;

std::string form_of(const Value& value) {
  std::string out;
  append_whole_extended_key_form(out, value);
  return out;
}

std::string written(const std::function<void(StoredWriter&)>& write) {
  StoredWriter writer;
  write(writer);
  return writer.take();
}

std::string form(const std::function<void(StoredWriter&)>& write) { return hex_upper(form_of(Value::view(written(write)))); }

// A number as its exact decimal digits, taken from the C library's printing, which shares nothing with the code under test.
struct ExactDigits {
  int sign = 0;  // -2: not a number; infinities have an exponent beyond all
  int exponent = 0;
  std::string digits = {};

  std::strong_ordering operator<=>(const ExactDigits& other) const {
    if (sign != other.sign) return sign <=> other.sign;
    const auto order = exponent != other.exponent ? exponent <=> other.exponent : digits.compare(other.digits) <=> 0;
    return sign < 0 ? 0 <=> order : order;
  }
};

ExactDigits digits_of(bool is_negative, std::string digits, int exponent_of_last) {
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return {};
  ExactDigits exact{.sign = is_negative ? -1 : 1, .exponent = exponent_of_last + static_cast<int>(digits.size())};
  digits.erase(digits.find_last_not_of('0') + 1);
  exact.digits = digits;
  return exact;
}

ExactDigits special(double value) {
  if (std::isnan(value)) return {.sign = -2};
  return {.sign = value < 0 ? -1 : 1, .exponent = 1'000'000};
}

ExactDigits exact_digits(const Value& value) {
  if (value.kind() == ValueKind::kDecimal128) {
    const Decimal128 decimal = value.decimal();
    if (!decimal.is_finite()) return special(decimal.is_nan() ? NAN : decimal.is_negative() ? -INFINITY : INFINITY);
    char buffer[kUint128DigitsMax];
    const size_t count = write_digits(buffer, decimal.number().coefficient);
    return digits_of(decimal.is_negative(), std::string(buffer, count), decimal.number().exponent);
  }
  if (value.kind() == ValueKind::kFloat64 && !std::isfinite(value.float64())) return special(value.float64());
  if (const auto integer = value.integer()) {
    const std::string text = std::to_string(*integer);
    return digits_of(*integer < 0, text.substr(*integer < 0 ? 1 : 0), 0);
  }
  char text[1500];
  std::snprintf(text, sizeof text, "%.1074f", std::abs(value.number()));
  const std::string_view printed = text;
  const size_t point = printed.find('.');
  return digits_of(std::signbit(value.number()), std::string(printed.substr(0, point)).append(printed.substr(point + 1)), -1074);
}

}  // namespace

// These bytes are on disks: a change of them is a new format version.
TEST(ExtendedKeyForm, IsPinned) {
  EXPECT_EQ(hex_upper(form_of(Value())), "14");
  EXPECT_EQ(form([](StoredWriter& out) { out.min_key(); }), "10");
  EXPECT_EQ(form([](StoredWriter& out) { out.null(); }), "18");
  EXPECT_EQ(form([](StoredWriter& out) { out.int32(1); }), "20BFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.int64(1); }), "20BFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(1); }), "20BFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.integer(1); }), "20BFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.decimal(*Decimal128::parse("1.00")); }), "20BFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(-1); }), "20400FFFFFFFFFFFFFFF");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(-0.0); }), "20800000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(NAN); }), "20000000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(INFINITY); }), "20FFF000000000000000");
  EXPECT_EQ(form([](StoredWriter& out) { out.float64(-INFINITY); }), "20000FFFFFFFFFFFFFFF");
  // The double below 0.1 toward zero, then 1 * 10^-1.
  EXPECT_EQ(form([](StoredWriter& out) { out.decimal(*Decimal128::parse("0.1")); }), "20BFB9999999999999013FFF20");
  EXPECT_EQ(form([](StoredWriter& out) { out.decimal(*Decimal128::parse("-0.12")); }), "20404147AE147AE147FEC000DCFF");
  EXPECT_EQ(form([](StoredWriter& out) { out.int64(9007199254740993); }), "20C34000000000000001400FA1182AA365851AA400");
  EXPECT_EQ(form([](StoredWriter& out) { out.string(std::string_view("a\0b", 3)); }), "286100FF620001");
  EXPECT_EQ(form([](StoredWriter& out) { out.symbol("a"); }), "28610001");
  EXPECT_EQ(form([](StoredWriter& out) {
              out.begin_object();
              out.key("a");
              out.boolean(true);
              out.end_object();
            }),
            "30506100010100");
  EXPECT_EQ(form([](StoredWriter& out) {
              out.begin_array();
              out.null();
              out.string("");
              out.end_array();
            }),
            "381828000100");
  EXPECT_EQ(form([](StoredWriter& out) { out.binary(4, "xy"); }), "4000000002047879");
  EXPECT_EQ(form([](StoredWriter& out) { out.object_id("0123456789ab"); }), "48303132333435363738396162");
  EXPECT_EQ(form([](StoredWriter& out) { out.boolean(false); }), "5000");
  EXPECT_EQ(form([](StoredWriter& out) { out.date_time(-1); }), "587FFFFFFFFFFFFFFF");
  EXPECT_EQ(form([](StoredWriter& out) { out.timestamp(1); }), "600000000000000001");
  EXPECT_EQ(form([](StoredWriter& out) { out.regular_expression("a", "i"); }), "68610001690001");
  EXPECT_EQ(form([](StoredWriter& out) { out.code("x"); }), "6C780001");
  EXPECT_EQ(form([](StoredWriter& out) { out.max_key(); }), "70");
}

TEST(ExtendedOrder, IsTotalAcrossTypes) {
  // Each before the next.
  const std::vector<std::function<void(StoredWriter&)>> ascending = {
      [](auto& out) { out.min_key(); }, [](auto& out) { out.null(); }, [](auto& out) { out.float64(NAN); },
      [](auto& out) { out.decimal(*Decimal128::parse("-Infinity")); },
      [](auto& out) { out.decimal(*Decimal128::parse("-1E+400")); }, [](auto& out) { out.float64(-1.7976931348623157e308); },
      [](auto& out) { out.int64(-9007199254740993); }, [](auto& out) { out.float64(-9007199254740992); },
      [](auto& out) { out.int32(-1); }, [](auto& out) { out.decimal(*Decimal128::parse("-1E-400")); },
      [](auto& out) { out.decimal(*Decimal128::parse("-0E+5")); }, [](auto& out) { out.decimal(*Decimal128::parse("1E-400")); },
      [](auto& out) { out.float64(5e-324); }, [](auto& out) { out.decimal(*Decimal128::parse("0.1")); },
      [](auto& out) { out.float64(0.1); },  // a little more than that
      [](auto& out) { out.int32(1); }, [](auto& out) { out.decimal(*Decimal128::parse("1.000000000000000000000000000000001")); },
      [](auto& out) { out.int64(9223372036854775807); }, [](auto& out) { out.float64(0x1p63); },
      [](auto& out) { out.decimal(*Decimal128::parse("9223372036854775808.5")); },
      [](auto& out) { out.decimal(*Decimal128::parse("1E+400")); }, [](auto& out) { out.float64(INFINITY); },
      [](auto& out) { out.string(""); }, [](auto& out) { out.symbol("a"); }, [](auto& out) { out.string("b"); },
      [](auto& out) { out.begin_object(), out.end_object(); },
      [](auto& out) { out.begin_object(), out.key("z"), out.int32(1), out.end_object(); },
      // What the value is comes before the name.
      [](auto& out) { out.begin_object(), out.key("a"), out.string("x"), out.end_object(); },
      [](auto& out) { out.begin_array(), out.end_array(); }, [](auto& out) { out.begin_array(), out.int32(1), out.end_array(); },
      [](auto& out) { out.begin_array(), out.int32(1), out.null(), out.end_array(); },
      [](auto& out) { out.begin_array(), out.int32(2), out.end_array(); }, [](auto& out) { out.binary(9, "b"); },
      [](auto& out) { out.binary(0, "aa"); }, [](auto& out) { out.binary(1, "aa"); },
      [](auto& out) { out.object_id("0123456789ab"); }, [](auto& out) { out.boolean(false); },
      [](auto& out) { out.boolean(true); }, [](auto& out) { out.date_time(-1); }, [](auto& out) { out.date_time(0); },
      [](auto& out) { out.timestamp(0); }, [](auto& out) { out.timestamp(uint64_t{1} << 63); },
      [](auto& out) { out.regular_expression("a", "x"); }, [](auto& out) { out.regular_expression("b", ""); },
      [](auto& out) { out.code("x"); }, [](auto& out) { out.max_key(); }};
  for (size_t left = 0; left < ascending.size(); ++left) {
    for (size_t right = 0; right < ascending.size(); ++right) {
      const std::string one = written(ascending[left]);
      const std::string other = written(ascending[right]);
      EXPECT_EQ(compare_extended(Value::view(one), Value::view(other)), left <=> right) << left << " " << right;
      EXPECT_EQ(form_of(Value::view(one)).compare(form_of(Value::view(other))) <=> 0, left <=> right) << left << " " << right;
    }
  }
}

TEST(ExtendedOrder, ComparesNumbersOfAllKindsByTheirExactValue) {
  Random random(5);
  for (int round = 0; round < 1'000; ++round) {
    const double near = random_values::any_double(random);
    std::vector<std::string> numbers;
    for (int i = 0; i < 6; ++i) {
      numbers.push_back(written([&](StoredWriter& out) {
        const double neighbour = random() % 3 == 0 ? std::nextafter(near, random() % 2 == 0 ? -INFINITY : INFINITY) : near;
        random_values::write_number(random, neighbour, out);
      }));
    }
    std::vector<std::pair<ExactDigits, std::string>> known;  // what it is, its key form
    for (const std::string& number : numbers) known.emplace_back(exact_digits(Value::view(number)), form_of(Value::view(number)));
    for (size_t left = 0; left < numbers.size(); ++left) {
      for (size_t right = 0; right < numbers.size(); ++right) {
        const Value one = Value::view(numbers[left]);
        const Value other = Value::view(numbers[right]);
        const std::strong_ordering expected = known[left].first <=> known[right].first;
        ASSERT_EQ(compare_extended(one, other), expected) << to_json(one) << " " << to_json(other);
        ASSERT_EQ(known[left].second.compare(known[right].second) <=> 0, expected) << to_json(one) << " " << to_json(other);
      }
    }
  }
}

TEST(ExtendedKeyForm, OrdersAllValuesLikeCompare) {
  Random random(7);
  std::string scratch;
  for (int round = 0; round < 700; ++round) {
    std::vector<std::string> values;
    for (int i = 0; i < 8; ++i) values.push_back(written([&](StoredWriter& out) { random_values::write_value(random, out); }));
    for (const std::string& left : values) {
      for (const std::string& right : values) {
        const std::string one = form_of(Value::view(left));
        const std::string other = form_of(Value::view(right));
        ASSERT_EQ(one.compare(other) <=> 0, compare(Value::view(left), Value::view(right), ValueOrder::kExtended))
            << to_json(Value::view(left)) << " " << to_json(Value::view(right));
        ASSERT_TRUE(one == other || !one.starts_with(other));
        // In the other order too, whose key forms say of arrays and objects only what they are.
        std::string json_one, json_other;
        append_key_form(json_one, Value::view(left));
        append_key_form(json_other, Value::view(right));
        const auto order = compare(Value::view(left), Value::view(right));
        if (json_one != json_other) ASSERT_EQ(json_one.compare(json_other) <=> 0, order);
        if (order == 0) ASSERT_EQ(json_one, json_other);
        ASSERT_TRUE(read_key_form(json_one, scratch));
        ASSERT_EQ(first_key_form_bytes(json_one + json_other), json_one.size());
      }
    }
  }
}

TEST(ExtendedKeyForm, SaysAnEqualValue) {
  Random random(11);
  for (int round = 0; round < 10'000; ++round) {
    const std::string value = written([&](StoredWriter& out) { random_values::write_value(random, out); });
    const std::string key = form_of(Value::view(value));
    StoredWriter read;
    ASSERT_TRUE(read_extended_key_form(key, read)) << to_json(Value::view(value));
    ASSERT_TRUE(validate_stored_form(read.bytes()));
    ASSERT_EQ(compare_extended(read.view(), Value::view(value)), std::strong_ordering::equal) << to_json(Value::view(value));
    ASSERT_EQ(form_of(read.view()), key);
    ASSERT_EQ(first_extended_key_form_bytes(key + "\x20"), key.size());
    ASSERT_FALSE(first_extended_key_form_bytes(std::string_view(key).substr(0, key.size() - 1)));
  }
}

TEST(ExtendedKeyForm, IsCutWithoutLosingTheOrder) {
  Random random(13);
  std::vector<std::pair<std::string, std::string>> forms;  // whole, cut
  for (int i = 0; i < 400; ++i) {
    const std::string value = written([&](StoredWriter& out) {
      out.begin_array();
      // Long and equal at the beginning, so that the cut goes through everything.
      for (size_t j = 0; j < 60 + random() % 3; ++j) out.string("0123456789");
      for (size_t j = 0; j < 40; ++j) random_values::write_value(random, out, 2);
      out.end_array();
    });
    std::string cut;
    append_extended_key_form(cut, Value::view(value));
    forms.emplace_back(form_of(Value::view(value)), cut);
    ASSERT_LE(cut.size(), kExtendedKeyFormBytesMax);
    ASSERT_TRUE(forms.back().first.starts_with(cut));
    ASSERT_EQ(first_extended_key_form_bytes(cut + std::string(20, '\x20')), cut.size());
  }
  std::ranges::sort(forms);
  EXPECT_TRUE(std::ranges::is_sorted(forms, {}, &std::pair<std::string, std::string>::second));
  std::string cut;
  append_extended_key_form(cut, Value::view(written([](StoredWriter& out) { out.string(std::string(5'000'000, 'x')); })));
  EXPECT_EQ(cut.size(), kExtendedKeyFormBytesMax);
  EXPECT_LT(cut.capacity(), 10'000u);
}

TEST(ExtendedKeyForm, IsNotReadFromOtherBytes) {
  for (std::string_view hex : {"",
                               "00",
                               "11",
                               "20",
                               "20BFF0000000000000",
                               "20BFF000000000000002",
                               "207FFFFFFFFFFFFFFFFF",
                               "20FFF800000000000000",
                               "2000000000000000000100",
                               "20BFB999999999999A013FFF20",
                               "20BFB9999999999999013FFF2100",
                               "20BFB9999999999999013FFF02",
                               "2861",
                               "286100",
                               "28610002",
                               "28FF0001",
                               "30",
                               "3050610001",
                               "30146100010000",
                               "381400",
                               "38",
                               "400000000204787",
                               "5002",
                               "58",
                               "68610001",
                               "686100FF0001690001",
                               "7000"}) {
    const auto bytes = from_hex(hex);
    if (!bytes) continue;
    StoredWriter out;
    EXPECT_FALSE(read_extended_key_form(*bytes, out)) << hex;
  }
  // Deeper than anything that is stored.
  StoredWriter out;
  EXPECT_FALSE(read_extended_key_form(std::string(100'000, '\x38'), out));
}

}  // namespace partita
