#include "document/order.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

#include <vector>

namespace partita {

namespace {

std::strong_ordering compare_json(const char* left, const char* right) {
  const std::string left_stored = *stored_from_json(left);
  const std::string right_stored = *stored_from_json(right);
  const auto order = compare(Value::view(left_stored), Value::view(right_stored));
  EXPECT_EQ(equal(Value::view(left_stored), Value::view(right_stored)), order == 0) << left << " " << right;
  return order;
}

}  // namespace

TEST(Order, IsTotalAcrossTypes) {
  // Each before the next.
  const char* ascending[] = {"null",
                             "false",
                             "true",
                             "-1e308",
                             "-2.5",
                             "-1",
                             "0",
                             "5e-324",
                             "1",
                             "1.5",
                             "9007199254740992",
                             "18446744073709551616",
                             "1e300",
                             R"("")",
                             R"("\u0000")",
                             R"("A")",
                             R"("a")",
                             R"("a\u0000")",
                             R"("aa")",
                             R"("b")",
                             R"("\u00e9")",
                             R"("\uffff")",
                             R"("\ud83d\ude00")",
                             "[]",
                             "[null]",
                             "[1]",
                             "[1,0]",
                             "[2]",
                             R"(["a"])",
                             "[[]]",
                             "[{}]",
                             "{}",
                             R"({"a":1})",
                             R"({"a":1,"b":0})",
                             R"({"a":2})",
                             R"({"b":1})"};
  for (size_t left = 0; left < std::size(ascending); ++left) {
    for (size_t right = 0; right < std::size(ascending); ++right) {
      EXPECT_EQ(compare_json(ascending[left], ascending[right]), left <=> right) << ascending[left] << " " << ascending[right];
    }
  }
}

TEST(Order, UndefinedIsLeast) {
  EXPECT_EQ(compare(Value(), Value::view(*stored_from_json("null"))), std::strong_ordering::less);
  EXPECT_EQ(compare(Value(), Value()), std::strong_ordering::equal);
  EXPECT_TRUE(equal(Value(), Value()));
}

TEST(Order, SeesValuesAndNotTheirRepresentation) {
  EXPECT_TRUE(std::is_eq(compare_json("1", "1.0")));
  EXPECT_TRUE(std::is_eq(compare_json("0", "-0")));
  EXPECT_TRUE(std::is_eq(compare_json("18446744073709551616", "1.8446744073709552e19")));
  // Numbers are doubles to queries, also where the document keeps more digits.
  EXPECT_TRUE(std::is_eq(compare_json("9007199254740993", "9007199254740992")));
  EXPECT_TRUE(std::is_eq(compare_json(R"({"a":1,"b":[2,{"c":3,"d":4}]})", R"({"b":[2,{"d":4,"c":3}],"a":1})")));
  EXPECT_TRUE(std::is_eq(compare_json(R"({"a":1,"a":2})", R"({"a":2})")));
  EXPECT_TRUE(std::is_neq(compare_json(R"({"a":1,"a":2})", R"({"a":1})")));
}

}  // namespace partita
