#include "protocols/cosmos/codec/throughput.h"

#include "document/json/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

net::HttpRequest request(std::vector<net::HttpHeader> headers) {
  net::HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

std::string text(const Throughput& throughput) {
  std::string out = fmt::format("{}", throughput.provisioned);
  if (throughput.autoscale_max) out += fmt::format(" up to {}", *throughput.autoscale_max);
  if (throughput.level != PerformanceLevel::kNone) out += fmt::format(" as {}", name_of(throughput.level));
  if (throughput.increment_percent) out += fmt::format(" by {} %", *throughput.increment_percent);
  return out;
}

std::string from_headers(std::vector<net::HttpHeader> headers) {
  const auto throughput = throughput_from_headers(request(std::move(headers)));
  if (!throughput) return std::string(name_of(throughput.error().code));
  return *throughput ? text(**throughput) : "none";
}

Offer offer(Throughput throughput) {
  return {.number = 1,
          .database = 1,
          .container = 2,
          .throughput = throughput,
          .provisioned_max_ever = throughput.planned(),
          .revision = {.unix_seconds = 5, .etag = "\"e\""}};
}
const Offer kManual = offer({.provisioned = 500, .autoscale_max = std::nullopt});
const Offer kLevel = offer({.provisioned = 1000, .autoscale_max = std::nullopt, .level = PerformanceLevel::kS2});
const Offer kAutoscale = offer({.provisioned = 400, .autoscale_max = 4000});

std::string from_offer(std::string_view body, const Offer& current, std::vector<net::HttpHeader> headers = {}) {
  const std::string stored = *stored_from_json(body);
  const auto throughput = throughput_from_offer(Value::view(stored), current, request(std::move(headers)));
  return throughput ? text(*throughput) : std::string(name_of(throughput.error().code));
}

}  // namespace

TEST(Throughput, IsReadFromHeaders) {
  EXPECT_EQ(from_headers({}), "none");
  EXPECT_EQ(from_headers({{"x-ms-offer-throughput", "10000"}}), "10000");
  EXPECT_EQ(from_headers({{"X-MS-Offer-Throughput", "400"}}), "400");
  EXPECT_EQ(from_headers({{"x-ms-cosmos-offer-autopilot-settings", R"({"maxThroughput":4000})"}}), "400 up to 4000");
  for (const char* value : {"x", "4e3", "400.0", " 400", "400 ", "99999999999999999999"}) {
    EXPECT_EQ(from_headers({{"x-ms-offer-throughput", value}}), "InvalidInput") << value;
  }
  const auto with_policy = [](std::string_view percent) {
    return from_headers(
        {{"x-ms-cosmos-offer-autopilot-settings",
          fmt::format(R"({{"maxThroughput":4000,"autoUpgradePolicy":{{"throughputPolicy":{{"incrementPercent":{}}}}}}})",
                      percent)}});
  };
  EXPECT_EQ(with_policy("0"), "400 up to 4000 by 0 %");
  EXPECT_EQ(with_policy("11"), "400 up to 4000 by 11 %");
  for (const char* percent : {"-1", "1.5", "1001", "\"5\"", "null"}) EXPECT_EQ(with_policy(percent), "InvalidInput") << percent;
  for (const char* value : {"x", "{}", "4000", R"({"maxThroughput":"4000"})", R"({"maxThroughput":4000.5})"}) {
    EXPECT_EQ(from_headers({{"x-ms-cosmos-offer-autopilot-settings", value}}), "InvalidInput") << value;
  }
  EXPECT_EQ(
      from_headers({{"x-ms-offer-throughput", "400"}, {"x-ms-cosmos-offer-autopilot-settings", R"({"maxThroughput":4000})"}}),
      "InvalidInput");
}

TEST(Throughput, IsReadFromTheBodyOfAnOffer) {
  EXPECT_EQ(from_offer(R"({"content":{"offerThroughput":600}})", kManual), "600");
  EXPECT_EQ(from_offer(R"({"content":{"offerThroughput":400,"offerAutopilotSettings":{"maxThroughput":5000}}})", kAutoscale),
            "500 up to 5000");
  for (const char* body : {"{}", "[]", R"({"content":7})", R"({"content":{}})", R"({"content":{"offerThroughput":"600"}})",
                           R"({"content":{"offerAutopilotSettings":{}}})"}) {
    EXPECT_EQ(from_offer(body, kManual), "InvalidInput") << body;
  }
}

// The performance levels of the service's first years, which old clients ask for.
TEST(Throughput, MayBeAPerformanceLevel) {
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "S1"}}), "250 as S1");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "S2"}}), "1000 as S2");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "S3"}}), "2500 as S3");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "Invalid"}}), "none");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "Invalid"}, {"x-ms-offer-throughput", "500"}}), "500");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "S4"}}), "InvalidInput");
  EXPECT_EQ(from_headers({{"x-ms-offer-type", "S1"}, {"x-ms-offer-throughput", "500"}}), "InvalidInput");

  const auto replaced = [](std::string_view version, std::string_view type, int64_t units, const Offer& current) {
    return from_offer(
        fmt::format(R"({{"offerVersion":"{}","offerType":"{}","content":{{"offerThroughput":{}}}}})", version, type, units),
        current);
  };
  EXPECT_EQ(replaced("V1", "S3", 1000, kLevel), "2500 as S3");
  EXPECT_EQ(replaced("V1", "S1", 500, kManual), "250 as S1");
  EXPECT_EQ(replaced("V1", "S2", 1000, kLevel), "1000 as S2");
  EXPECT_EQ(replaced("V1", "S2", 700, kLevel), "700");  // by a client that does not know levels
  EXPECT_EQ(replaced("V2", "Invalid", 700, kLevel), "700");
  EXPECT_EQ(replaced("V1", "S9", 700, kLevel), "InvalidInput");
  EXPECT_EQ(from_offer(R"({"offerVersion":"V1","offerType":"S1"})", kLevel), "250 as S1");
  EXPECT_EQ(from_offer(R"({"offerVersion":"V1","offerType":"S2","content":{"offerThroughput":1000}})", kLevel,
                       {{"x-ms-cosmos-migrate-offer-to-autopilot", "true"}}),
            "100 up to 1000");

  StoredWriter written;
  write_offer(written, kLevel, {});
  EXPECT_EQ(written.view().find("offerType").string(), "S2");
  EXPECT_EQ(written.view().find("offerVersion").string(), "V1");
  EXPECT_EQ(written.view().find("content").find("offerThroughput").number(), 1000);
}

TEST(Throughput, ChangesBetweenManualAndAutoscaleByHeader) {
  EXPECT_EQ(from_offer(R"({"content":{"offerThroughput":-1}})", kManual, {{"x-ms-cosmos-migrate-offer-to-autopilot", "true"}}),
            "100 up to 1000");
  EXPECT_EQ(from_offer(R"({"content":{"offerThroughput":-1}})", kAutoscale,
                       {{"x-ms-cosmos-migrate-offer-to-manual-throughput", "True"}}),
            "4000");
}

TEST(Throughput, OffersAreWrittenAsClientsReadThem) {
  StoredWriter manual;
  write_offer(manual, kManual, {.stored_bytes = 5000});
  EXPECT_EQ(
      to_json(manual.view()),
      R"({"resource":"dbs/AAAAAQ==/colls/AAAAAYAAAAI=/","offerType":"Invalid","offerResourceId":"AAAAAYAAAAI=","offerVersion":"V2",)"
      R"("content":{"offerThroughput":500,"offerIsRUPerMinuteThroughputEnabled":false,)"
      R"("offerMinimumThroughputParameters":{"maxThroughputEverProvisioned":500,"maxConsumedStorageEverInKB":4}},)"
      R"("id":"AQAA","_rid":"AQAA","_self":"offers/AQAA/","_etag":"\"e\"","_ts":5})");
  Offer of_database = kAutoscale;
  of_database.container = 0;
  StoredWriter autoscale;
  write_offer(autoscale, of_database, {.peak_units_per_second = 1234});
  EXPECT_EQ(autoscale.view().find("content").find("offerThroughput").number(), 1300);
  EXPECT_EQ(to_json(autoscale.view().find("content").find("offerAutopilotSettings")),
            R"({"tier":0,"maximumTierThroughput":4000,"autoUpgrade":false,"maxThroughput":4000})");
  of_database.throughput.increment_percent = 11;
  StoredWriter with_policy;
  write_offer(with_policy, of_database, {});
  EXPECT_EQ(to_json(with_policy.view().find("content").find("offerAutopilotSettings").find("autoUpgradePolicy")),
            R"({"throughputPolicy":{"incrementPercent":11}})");
  EXPECT_EQ(autoscale.view().find("resource").string(), "dbs/AAAAAQ==/");
  EXPECT_EQ(autoscale.view().find("offerResourceId").string(), "AAAAAQ==");
}

}  // namespace partita::cosmos
