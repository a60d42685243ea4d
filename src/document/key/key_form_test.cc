#include "document/key/key_form.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/order.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace partita {

namespace {

std::string key_form_of(const Value& value) {
  std::string out;
  append_key_form(out, value);
  return out;
}

std::string key_form_hex(std::string_view json) { return hex_upper(key_form_of(Value::view(*stored_from_json(json)))); }

std::strong_ordering order_of(std::string_view left, std::string_view right) { return left.compare(right) <=> 0; }

// Few distinct bytes, so that shared prefixes, zero bytes and equal strings are common.
std::string random_string(std::mt19937_64& random) {
  constexpr std::string_view kBytes("\0\0\1\2a\x7F\xFF", 7);
  std::string text;
  for (size_t i = random() % 6; i > 0; --i) text += kBytes[random() % kBytes.size()];
  return text;
}

double random_double(std::mt19937_64& random) {
  if (random() % 2 == 0) return static_cast<double>(static_cast<int64_t>(random()) >> random() % 64);
  const auto any = std::bit_cast<double>(random());
  return std::isfinite(any) ? any : 0.0;
}

void write_random_scalar(std::mt19937_64& random, StoredWriter& out) {
  switch (random() % 4) {
    case 0: return out.null();
    case 1: return out.boolean(random() % 2 == 0);
    case 2: return out.number(random_double(random));
    default: return out.string(random_string(random));
  }
}

}  // namespace

// These bytes are on disks: a change of them is a new format version.
TEST(KeyForm, IsPinned) {
  EXPECT_EQ(hex_upper(key_form_of(Value())), "10");
  EXPECT_EQ(key_form_hex("null"), "20");
  EXPECT_EQ(key_form_hex("false"), "30");
  EXPECT_EQ(key_form_hex("true"), "38");
  EXPECT_EQ(key_form_hex("1"), "40BFF0000000000000");
  EXPECT_EQ(key_form_hex("0"), "408000000000000000");
  EXPECT_EQ(key_form_hex("-0"), "408000000000000000");
  EXPECT_EQ(key_form_hex("-1"), "40400FFFFFFFFFFFFF");
  EXPECT_EQ(key_form_hex(R"("a\u0000b")"), "506100FF620001");
  EXPECT_EQ(key_form_hex("\"\""), "500001");
  EXPECT_EQ(key_form_hex("[1,2]"), "60");
  EXPECT_EQ(key_form_hex("{\"a\":1}"), "70");
}

TEST(KeyForm, OrdersScalarsLikeCompare) {
  std::mt19937_64 random(13);
  StoredWriter left;
  StoredWriter right;
  for (int i = 0; i < 200'000; ++i) {
    left.clear();
    right.clear();
    write_random_scalar(random, left);
    write_random_scalar(random, right);
    const std::string left_form = key_form_of(left.view());
    const std::string right_form = key_form_of(right.view());
    ASSERT_EQ(order_of(left_form, right_form), compare(left.view(), right.view()));
    ASSERT_TRUE(left_form == right_form || (!left_form.starts_with(right_form) && !right_form.starts_with(left_form)));
  }
}

TEST(KeyForm, ConcatenationsOrderLikeTuples) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 100'000; ++i) {
    const std::pair left(random_string(random), random_double(random));
    const std::pair right(random_string(random), random_double(random));
    std::string left_form;
    std::string right_form;
    append_key_form_string(left_form, left.first);
    append_key_form_number(left_form, left.second);
    append_key_form_string(right_form, right.first);
    append_key_form_number(right_form, right.second);
    ASSERT_EQ(order_of(left_form, right_form), order_of(left.first, right.first) != 0 ? order_of(left.first, right.first)
                                               : left.second < right.second           ? std::strong_ordering::less
                                               : left.second > right.second           ? std::strong_ordering::greater
                                                                                      : std::strong_ordering::equal);
  }
}

TEST(KeyForm, CutsLongStringsDirectlyBehindTheirBeginning) {
  const auto form = [](const std::string& text) {
    std::string out;
    append_key_form_string(out, text);
    return out;
  };
  const std::string longest(kKeyStringBytesMax, 'a');
  const std::string cut = form(longest + "anything");
  EXPECT_EQ(cut, form(longest + "else"));
  EXPECT_EQ(cut.size(), form(longest).size());
  EXPECT_GT(cut, form(longest));
  std::string next = longest;
  next.back() = 'b';
  EXPECT_LT(cut, form(next));
  // Nothing fits between: the two differ only in the last byte, by one.
  EXPECT_EQ(cut.substr(0, cut.size() - 1), form(longest).substr(0, cut.size() - 1));
  EXPECT_EQ(cut.back(), form(longest).back() + 1);

  std::string whole;
  append_key_form_whole_string(whole, longest + "anything");
  EXPECT_EQ(whole.size(), longest.size() + 8 + 3);
}

TEST(KeyForm, SaysTheValueItWasMadeFrom) {
  std::mt19937_64 random(3);
  std::string scratch;
  for (int i = 0; i < 2000; ++i) {
    StoredWriter writer;
    write_random_scalar(random, writer);
    const Value value = writer.view();
    const std::string form = key_form_of(value);
    const auto read = read_key_form(form, scratch);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->type, value.type());
    if (value.is_bool()) EXPECT_EQ(read->boolean, value.boolean());
    if (value.is_number()) EXPECT_EQ(read->number, value.number());
    if (value.is_number()) EXPECT_EQ(read->is_exact, std::abs(value.number()) < kKeyIntegerMax);
    if (value.is_string()) EXPECT_EQ(read->string, value.string());
  }
  EXPECT_FALSE(read_key_form(key_form_of(Value::view(*stored_from_json("[1]"))), scratch)->is_exact);
  std::string cut;
  append_key_form_string(cut, std::string(kKeyStringBytesMax + 1, 'x'));
  EXPECT_FALSE(read_key_form(cut, scratch)->is_exact);
  EXPECT_EQ(read_key_form(cut, scratch)->string, std::string(kKeyStringBytesMax, 'x'));
}

TEST(KeyForm, IsNotReadFromOtherBytes) {
  std::string scratch;
  for (std::string_view bytes : {"", "\x11", "\x40", "\x40xxxxxxx", "\x50", "\x50x", "\x20x", "\xFF"}) {
    EXPECT_FALSE(read_key_form(bytes, scratch)) << hex_upper(bytes);
  }
  EXPECT_FALSE(read_key_form(std::string_view("\x50\x00\x03\x00\x01", 5), scratch));
}

TEST(KeyForm, StringsWithAPrefixBeginWithItsBytes) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_string(random);
    const std::string prefix = random_string(random);
    std::string key;
    append_key_form_string(key, text);
    std::string beginning;
    append_key_form_prefix(beginning, prefix);
    EXPECT_EQ(key.starts_with(beginning), text.starts_with(prefix));
  }
}

TEST(KeyForm, SaysWhereItEnds) {
  const auto bytes = [](std::string_view form) { return first_key_form_bytes(form).value_or(0); };
  std::string all;
  append_key_form_string(all, std::string_view("a\0b", 3));
  const size_t string_bytes = all.size();
  append_key_form_number(all, -1.5);
  EXPECT_EQ(bytes(all), string_bytes);
  EXPECT_EQ(bytes(all.substr(string_bytes)), 9u);
  EXPECT_EQ(bytes(all.substr(string_bytes, 8)), 0u);
  EXPECT_EQ(bytes(all.substr(0, string_bytes - 1)), 0u);
  EXPECT_EQ(bytes("\x20\x20"), 1u);
  EXPECT_EQ(bytes("\x21"), 0u);
  EXPECT_EQ(bytes(""), 0u);
  EXPECT_EQ(bytes(std::string_view("\x50"
                                   "a\0",
                                   3)),
            0u);
  EXPECT_EQ(bytes(std::string_view("\x50"
                                   "a\0\x03",
                                   4)),
            0u);
  EXPECT_EQ(bytes("\x40\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), 0u);  // not a number
}

}  // namespace partita
