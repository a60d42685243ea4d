#include "engine/time_to_live.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

std::string stored_json(std::string_view json) { return *stored_from_json(json); }

std::optional<int64_t> expiry(const TimeToLive& ttl, std::string_view json) {
  const std::string document = stored_json(json);
  return ttl.expiry_of(Value::view(document));
}

bool accepts(std::string_view json) {
  const std::string document = stored_json(json);
  return check_time_to_live(Value::view(document)).has_value();
}

}  // namespace

TEST(TimeToLive, IsOffWithoutADefault) { EXPECT_FALSE(expiry(TimeToLive(), R"({"_ts":100,"ttl":5})")); }

TEST(TimeToLive, ADocumentsOwnTimeWins) {
  EXPECT_EQ(expiry(TimeToLive(10), R"({"_ts":100})"), 110);
  EXPECT_EQ(expiry(TimeToLive(10), R"({"_ts":100,"ttl":5})"), 105);
  EXPECT_EQ(expiry(TimeToLive(10), R"({"_ts":100,"ttl":-1})"), std::nullopt);
  EXPECT_EQ(expiry(TimeToLive(kNeverExpires), R"({"_ts":100})"), std::nullopt);
  EXPECT_EQ(expiry(TimeToLive(kNeverExpires), R"({"_ts":100,"ttl":5})"), 105);
}

TEST(TimeToLive, RefusesOtherValues) {
  for (const char* good : {"1", "2147483647", "-1", "5.0"}) {
    EXPECT_TRUE(accepts(std::string(R"({"ttl":)") + good + "}")) << good;
  }
  for (const char* bad : {"null", "0", "-2", "2147483648", "1.5", "\"5\"", "true", "[]", "{}"}) {
    EXPECT_FALSE(accepts(std::string(R"({"ttl":)") + bad + "}")) << bad;
    EXPECT_FALSE(TimeToLive::parse(Value::view(stored_json(bad)))) << bad;
  }
}

TEST(TimeToLive, KnowsDocumentsThatExpireOnTheirOwn) {
  const std::string with = stored_json(R"({"_ts":100,"ttl":5})");
  const std::string forever = stored_json(R"({"_ts":100,"ttl":-1})");
  const std::string without = stored_json(R"({"_ts":100})");
  EXPECT_EQ(own_expiry_of(Value::view(with)), 105);
  EXPECT_EQ(own_expiry_of(Value::view(forever)), std::nullopt);
  EXPECT_EQ(own_expiry_of(Value::view(without)), std::nullopt);
}

}  // namespace partita
