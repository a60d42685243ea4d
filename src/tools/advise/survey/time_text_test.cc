#include "tools/advise/survey/time_text.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita::tools::advise {
namespace {

std::optional<int64_t> seconds_in(std::string_view text) {
  const std::optional<Moment> moment = moment_in(text);
  return moment ? std::optional(moment->seconds) : std::nullopt;
}

std::optional<int64_t> seconds_of(std::string_view json) {
  const std::string stored = stored_from_json(json).value();
  const std::optional<Moment> moment = moment_of(Value::view(stored));
  return moment ? std::optional(moment->seconds) : std::nullopt;
}

}  // namespace

TEST(TimeText, ReadsWhatPeopleWrite) {
  EXPECT_EQ(seconds_in("1970-01-02"), 86'400);
  EXPECT_EQ(seconds_in("2018-08-09T10:11:12.345Z"), 1'533'809'472);
  EXPECT_EQ(seconds_in("2018-08-09 10:11:12+02:00"), 1'533'809'472);
  EXPECT_EQ(seconds_in("2001/01/01 00:01"), 978'307'260);
  EXPECT_EQ(seconds_in("2018-08"), seconds_in("2018-08-01"));
  EXPECT_EQ(moment_in("2018-08-09")->resolution, 86'400);
  EXPECT_EQ(moment_in("2018-08-09T10")->resolution, 3'600);
}

TEST(TimeText, LeavesOtherTextsAlone) {
  for (const std::string_view text :
       {"", "12", "20188", "2018-13-01", "2018-02-30", "2018-08-09x", "2018-08-09T", "2018-08-09T25", "2018-08-09T10:61",
        "1234-56-78", "2018-08-09T10:11:12 rubbish", "abcd-ef-gh"}) {
    EXPECT_EQ(seconds_in(text), std::nullopt) << text;
  }
}

TEST(TimeText, TakesNumbersOfOurTime) {
  EXPECT_EQ(seconds_of("1533809472"), 1'533'809'472);
  EXPECT_EQ(seconds_of("1533809472345"), 1'533'809'472);
  EXPECT_EQ(seconds_of("17"), std::nullopt);
  EXPECT_EQ(seconds_of("true"), std::nullopt);
}

}  // namespace partita::tools::advise
