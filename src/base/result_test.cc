#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace partita {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(ErrorCode::kInvalidInput, "odd");
  return value / 2;
}

Result<std::unique_ptr<int>> quarter(int value) {
  TRY(half(value));
  TRY_ASSIGN(const int once, half(value));
  TRY_ASSIGN(const int twice, half(once));
  return std::make_unique<int>(twice);
}

}  // namespace

TEST(Result, TryPassesErrorsUpAndBindsValues) {
  EXPECT_EQ(**quarter(8), 2);
  EXPECT_EQ(quarter(7).error().message, "odd");
  EXPECT_EQ(quarter(6).error().code, ErrorCode::kInvalidInput);
}

TEST(ErrorCode, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (int code = 0; name_of(static_cast<ErrorCode>(code)) != "Unknown"; ++code) {
    EXPECT_TRUE(names.insert(name_of(static_cast<ErrorCode>(code))).second);
  }
  EXPECT_EQ(names.size(), 24u);
}

}  // namespace partita
