#include "cluster/records/records.h"

#include "base/golden_file.h"
#include "cluster/records/key_definition.h"
#include "document/json/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace partita {
namespace {

std::string refusal(const auto& result) {
  return result ? "accepted" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
}

constexpr std::string_view kDamaged = "Corruption: a catalog record cannot be decoded: ";

}  // namespace

TEST(Records, KeysHaveTheirLayout) {
  EXPECT_EQ(database_key(1), std::string("d\0\0\0\1", 5));
  EXPECT_EQ(container_key(1, 2), std::string("c\0\0\0\1\0\0\0\2", 9));
  EXPECT_EQ(offer_key(0x010203), std::string("o\0\1\2\3", 5));
  EXPECT_EQ(counter_key("partition"), "npartition");
  EXPECT_EQ(reshape_key(1, 2), std::string("r\0\0\0\1\0\0\0\2", 9));
}

TEST(Records, DatabasesComeBack) {
  const Database database{.number = 7, .id = "a \"b\"", .revision = {.unix_seconds = 5, .etag = "\"e\""}};
  const std::string json = encode_database(database);
  EXPECT_EQ(json, R"({"format":1,"number":7,"id":"a \"b\"","ts":5,"etag":"\"e\""})");
  const Result<Database> again = decode_database(json);
  ASSERT_TRUE(again);
  EXPECT_EQ(encode_database(*again), json);
}

TEST(Records, OffersComeBack) {
  Offer offer{.number = 1,
              .database = 2,
              .container = 3,
              .throughput = {},
              .provisioned_max_ever = 900,
              .revision = {.unix_seconds = 5, .etag = "e"}};
  EXPECT_EQ(encode_offer(offer),
            R"({"format":1,"number":1,"database":2,"container":3,"provisioned":400,"provisionedMaxEver":900,"ts":5,"etag":"e"})");
  EXPECT_EQ(decode_offer(encode_offer(offer))->throughput, offer.throughput);
  for (const std::optional<int64_t> percent : {std::optional<int64_t>(), std::optional<int64_t>(0), std::optional<int64_t>(11)}) {
    offer.throughput = {.provisioned = 400, .autoscale_max = 4000, .increment_percent = percent};
    EXPECT_EQ(decode_offer(encode_offer(offer))->throughput, offer.throughput);
  }
  for (const PerformanceLevel level : {PerformanceLevel::kS1, PerformanceLevel::kS2, PerformanceLevel::kS3}) {
    offer.throughput = {.provisioned = units_per_second(level), .autoscale_max = std::nullopt, .level = level};
    EXPECT_EQ(decode_offer(encode_offer(offer))->throughput, offer.throughput);
  }
  EXPECT_EQ(
      encode_offer(offer),
      R"({"format":1,"number":1,"database":2,"container":3,"provisioned":2500,"level":"S3","provisionedMaxEver":900,"ts":5,"etag":"e"})");
  EXPECT_FALSE(decode_offer(
      R"({"format":1,"number":1,"database":2,"container":3,"provisioned":2500,"level":"S4","provisionedMaxEver":900,"ts":5,"etag":"e"})"));
}

TEST(Records, ReshapesComeBack) {
  constexpr std::string_view kSplit =
      R"({"format":1,"kind":"split","state":"copying","database":1,"container":2,"parents":["0"],)"
      R"("children":[{"partition":4,"index":5,"rangeId":"3","min":"","max":"10","parents":["0"]},)"
      R"({"partition":6,"index":7,"rangeId":"4","min":"10","max":"FF","parents":["0"]}]})";
  constexpr std::string_view kRekey =
      R"({"format":1,"kind":"rekey","state":"published","database":1,"container":2,"parents":["0","1"],)"
      R"("partitionKey":{"paths":["/a"],"kind":"Hash","version":2},)"
      R"("children":[{"partition":4,"index":5,"rangeId":"3","min":"","max":"FF","parents":["0","1"]}]})";
  constexpr std::string_view kClosed =
      R"({"format":1,"kind":"merge","state":"prepared","database":1,"container":2,"parents":["0","1"],"mode":"readOnly",)"
      R"("children":[{"partition":4,"index":5,"rangeId":"3","min":"","max":"FF","parents":["0","1"]}]})";
  for (std::string_view json : {kSplit, kRekey, kClosed}) {
    const Result<Reshape> reshape = decode_reshape(json);
    ASSERT_TRUE(reshape) << reshape.error().message;
    EXPECT_EQ(encode_reshape(*reshape), json);
  }
  EXPECT_EQ(refusal(decode_reshape(R"({"format":1,"kind":"split","state":"asleep"})")),
            std::string(kDamaged) + "'asleep' is not known");
}

TEST(Records, DamagedOnesAreRefused) {
  EXPECT_TRUE(refusal(decode_database("{")).starts_with(kDamaged)) << refusal(decode_database("{"));
  EXPECT_EQ(refusal(decode_database("{}")), std::string(kDamaged) + "'format' is not an integer");
  EXPECT_EQ(refusal(decode_database(R"({"format":2})")), std::string(kDamaged) + "it has format 2");
  EXPECT_EQ(refusal(decode_database(R"({"format":1,"number":"x"})")), std::string(kDamaged) + "'number' is not an integer");
  EXPECT_EQ(refusal(decode_offer(R"({"format":1,"number":1,"database":1,"container":1})")),
            std::string(kDamaged) + "'provisioned' is not an integer");
  constexpr std::string_view kContainer =
      R"({{"format":1,"number":1,"database":1,"id":"c","ts":1,"etag":"e","partitionKey":{{"paths":["/a"]}},"properties":{},"places":{}}})";
  EXPECT_EQ(refusal(decode_container(fmt::format(kContainer, "1", "[]"))),
            std::string(kDamaged) + "'properties' is not an object");
  EXPECT_EQ(refusal(decode_container(fmt::format(kContainer, "{}", "[]"))),
            std::string(kDamaged) + "'places' is not a list of partitions");
  EXPECT_EQ(refusal(decode_container(fmt::format(kContainer, "{}", "[{}]"))), std::string(kDamaged) + "a partition's place");
  EXPECT_EQ(refusal(decode_container(
                fmt::format(kContainer, "{}", R"([{"partition":1,"index":1,"rangeId":"0","min":"0","max":"FF","parents":[]}])"))),
            std::string(kDamaged) + "a partition's range");
  const auto with_places = [&](std::string_view places) {
    return refusal(decode_container(fmt::format(kContainer, "{}", places)));
  };
  EXPECT_EQ(with_places(R"([{"partition":1e30,"index":1,"rangeId":"0","min":"","max":"FF","parents":[]}])"),
            std::string(kDamaged) + "a partition's place");
  EXPECT_EQ(with_places(R"([{"partition":1,"index":1,"rangeId":"0","min":"","max":"FF","parents":[]}])"), "accepted");
  constexpr std::string_view kTwo =
      R"([{{"partition":1,"index":1,"rangeId":"0","min":"{}","max":"{}","parents":[]}},{{"partition":2,"index":2,"rangeId":"1","min":"{}","max":"{}","parents":[]}}])";
  EXPECT_EQ(with_places(fmt::format(kTwo, "", "10", "10", "FF")), "accepted");
  for (const auto& [min, cut, from, max] : {std::array{"", "10", "11", "FF"}, std::array{"", "11", "10", "FF"},
                                            std::array{"01", "10", "10", "FF"}, std::array{"", "10", "10", "FE"}}) {
    EXPECT_EQ(with_places(fmt::format(kTwo, min, cut, from, max)),
              std::string(kDamaged) + "the partitions leave a gap or overlap");
  }
}

TEST(PartitionKeyDefinition, IsReadAndWrittenBack) {
  run_golden_file(TEST_DATA_DIR "/partition_key_definition.txt", [](const std::vector<std::string>& input) {
    std::string out;
    for (const std::string& line : input) {
      const std::string stored = *stored_from_json(line);
      const Result<PartitionKeyDefinition> definition = parse_partition_key_definition(Value::view(stored));
      StoredWriter written;
      if (definition) write_partition_key_definition(written, *definition);
      out += (definition ? to_json(written.view()) : refusal(definition)) + "\n";
    }
    return out;
  });
}

}  // namespace partita
