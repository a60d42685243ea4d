#include "base/bytes.h"
#include "base/encodings.h"
#include "document/key/murmur3.h"
#include "document/key/partition_key.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>

namespace partita {

namespace {

PartitionKeyDefinition definition_of(int version, PartitionKeyDefinition::Kind kind = PartitionKeyDefinition::Kind::kHash,
                                     size_t paths = 1) {
  PartitionKeyDefinition definition{.paths = {}, .kind = kind, .version = version};
  for (size_t i = 0; i < paths; ++i) definition.paths.push_back({{"p" + std::to_string(i)}});
  return definition;
}

PartitionKeyDefinition multi_hash(size_t paths) { return definition_of(2, PartitionKeyDefinition::Kind::kMultiHash, paths); }

std::string hash_text(std::string_view header, const PartitionKeyDefinition& definition) {
  const auto key = PartitionKey::parse(header);
  return key ? hex_upper(effective_partition_key(*key, definition)) : key.error().message;
}

std::string encoded_number(double value) {
  std::string out("\x05");
  append_little_endian(out, std::bit_cast<uint64_t>(value));
  return out;
}

// The notation of testdata/partition-key-hashes.txt.
std::string encoded_component(std::string_view text, size_t string_bytes_max) {
  if (text == "undefined") return std::string(1, '\0');
  if (text == "null") return "\x01";
  if (text == "false") return "\x02";
  if (text == "true") return "\x03";
  if (text == "NaN") return encoded_number(std::bit_cast<double>(0xFFF8000000000000u));
  if (text == "Infinity") return encoded_number(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return encoded_number(-std::numeric_limits<double>::infinity());
  if (text.front() == '"') return "\x08" + std::string(text.substr(1, text.size() - 2));
  if (text.starts_with("a*")) {
    size_t count = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), count);
    return "\x08" + std::string(std::min(count, string_bytes_max), 'a');
  }
  return encoded_number(std::strtod(std::string(text).c_str(), nullptr));
}

std::string hex_of(const Hash128& hash) {
  std::string bytes;
  append_big_endian(bytes, hash.high);
  append_big_endian(bytes, hash.low);
  return hex_upper(bytes);
}

std::string hex_of(uint32_t hash) {
  std::string bytes;
  append_big_endian(bytes, hash);
  return hex_upper(bytes);
}

}  // namespace

TEST(Murmur3, MatchesTheHashesOfTheService) {
  std::ifstream file(TEST_DATA_DIR "/partition-key-hashes.txt");
  size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const size_t first = line.find(" | ");
    const size_t second = line.find(" | ", first + 3);
    ASSERT_NE(second, std::string::npos) << line;
    const std::string component = line.substr(0, first);
    EXPECT_EQ(hex_of(murmur3_x86_32(encoded_component(component, 100))), line.substr(first + 3, second - first - 3)) << line;
    EXPECT_EQ(hex_of(murmur3_x64_128(encoded_component(component, std::string::npos))), line.substr(second + 3)) << line;
    ++cases;
  }
  EXPECT_EQ(cases, 29u);
}

TEST(EffectivePartitionKey, Version1MatchesTheService) {
  const std::map<std::string, std::string> goldens = {
      {R"(["partitionKey"])", "05C1E1B3D9CD2608716273756A756A706F4C667A00"},
      {R"(["redmond"])", "05C1EFE313830C087366656E706F6500"},
      {R"([""])", "05C1CF33970FF80800"},
      {R"(["aa"])", "05C1C7B7270FE008626200"},
      {"[null]", "05C1ED45D7475601"},
      {"[true]", "05C1D7C5A903D803"},
      {"[false]", "05C1DB857D857C02"},
      {"[{}]", "05C1D529E345DC00"},
      {"[5]", "05C1D9C1C5517C05C014"},
      {"[5.0]", "05C1D9C1C5517C05C014"},
      {"[5.5]", "05C1D7A771716C05C016"},
      {"[12313.1221]", "05C1ED154D592E05C0C90723F50FC925D8"},
      {"[123456789]", "05C1D9E1A5311C05C19DB7CD8B40"},
  };
  for (const auto& [header, golden] : goldens) EXPECT_EQ(hash_text(header, definition_of(1)), golden) << header;
}

TEST(EffectivePartitionKey, Version2MatchesTheService) {
  const std::map<std::string, std::string> goldens = {
      {R"(["redmond"])", "22E342F38A486A088463DFF7838A5963"}, {R"([""])", "32E9366E637A71B4E710384B2F4970A0"},
      {R"(["aa"])", "05033626483AE80D00E44FBD35362B19"},      {"[null]", "378867E4430E67857ACE5C908374FE16"},
      {"[true]", "0E711127C5B5A8E4726AC6DD306A3E59"},         {"[false]", "2FE1BE91E90A3439635E0E9E37361EF2"},
      {"[{}]", "11622DAA78F835834610ABE56EFF5CB5"},           {"[5]", "19C08621B135968252FB34B4CF66F811"},
      {"[5.5]", "0E2EE47829D1AF775EEFB6540FD1D0ED"},          {"[12313.1221]", "27E7ECA8F2EE3E53424DE8D5220631C6"},
      {"[123456789]", "1F56D2538088EBA82CCF988F36E16760"},
  };
  for (const auto& [header, golden] : goldens) EXPECT_EQ(hash_text(header, definition_of(2)), golden) << header;
}

TEST(EffectivePartitionKey, MultiHashIsTheHashOfEachComponent) {
  const std::string redmond = "22E342F38A486A088463DFF7838A5963";
  const std::string five = "19C08621B135968252FB34B4CF66F811";
  const std::string undefined = "11622DAA78F835834610ABE56EFF5CB5";
  EXPECT_EQ(hash_text(R"(["redmond"])", multi_hash(3)), redmond);
  EXPECT_EQ(hash_text(R"(["redmond",5])", multi_hash(3)), redmond + five);
  EXPECT_EQ(hash_text(R"(["redmond",5,{}])", multi_hash(3)), redmond + five + undefined);
}

TEST(EffectivePartitionKey, OfNoComponentsIsTheBeginningOfTheSpace) {
  EXPECT_EQ(hash_text("[]", definition_of(1)), "");
  EXPECT_EQ(hash_text("[]", definition_of(2)), "");
}

TEST(EffectivePartitionKey, Version1SeesOnlyTheFirstHundredUnits) {
  const std::string hundred(100, 'x');
  EXPECT_EQ(hash_text("[\"" + hundred + "\"]", definition_of(1)), hash_text("[\"" + hundred + "y\"]", definition_of(1)));
  EXPECT_NE(hash_text("[\"" + hundred + "\"]", definition_of(2)), hash_text("[\"" + hundred + "y\"]", definition_of(2)));
  // An emoji is two units: at the cut its half becomes U+FFFD, as in SDKs that cut UTF-16 strings.
  const std::string ninety_nine(99, 'x');
  EXPECT_EQ(hash_text("[\"" + ninety_nine + "\\ud83d\\ude00\"]", definition_of(1)),
            hash_text("[\"" + ninety_nine + "\\ufffd\"]", definition_of(1)));
}

TEST(EffectivePartitionKey, UnpairedSurrogatesHashAsReplacementCharacters) {
  EXPECT_EQ(hash_text(R"(["a\ud800b"])", definition_of(2)), hash_text(R"(["a\ufffdb"])", definition_of(2)));
  EXPECT_NE(*PartitionKey::parse(R"(["a\ud800b"])"), *PartitionKey::parse(R"(["a\ufffdb"])"));
}

TEST(EffectivePartitionKey, NegativeZeroIsZero) {
  for (const int version : {1, 2})
    EXPECT_EQ(hash_text("[-0.0]", definition_of(version)), hash_text("[0]", definition_of(version)));
}

TEST(EffectiveKeyRange, OfAPrefixHoldsExactlyTheKeysThatBeginWithIt) {
  const auto definition = multi_hash(3);
  const auto range = range_of_prefix(*PartitionKey::parse(R"(["a"])"), definition);
  for (const char* inside : {R"(["a"])", R"(["a","b"])", R"(["a",{},null])", R"(["a",7,true])"}) {
    EXPECT_TRUE(range.contains(effective_partition_key(*PartitionKey::parse(inside), definition))) << inside;
  }
  for (const char* outside : {R"(["b"])", R"(["b","a"])", R"([null,"a"])"}) {
    EXPECT_FALSE(range.contains(effective_partition_key(*PartitionKey::parse(outside), definition))) << outside;
  }
  EXPECT_EQ(range_of_prefix({}, definition), EffectiveKeyRange{});
}

TEST(EffectiveKeyRange, OfAWholeKeyHoldsNoOtherKey) {
  for (const int version : {1, 2}) {
    const auto definition = definition_of(version);
    const auto range = range_of_prefix(*PartitionKey::parse(R"(["a"])"), definition);
    for (int i = 0; i < 2000; ++i) {
      const PartitionKey other{{static_cast<double>(i)}};
      EXPECT_FALSE(range.contains(effective_partition_key(other, definition)));
    }
    EXPECT_TRUE(range.contains(effective_partition_key(*PartitionKey::parse(R"(["a"])"), definition)));
  }
}

TEST(EvenRanges, TileTheKeySpace) {
  for (const auto& definition : {definition_of(1), definition_of(2), multi_hash(2)}) {
    for (const size_t count : {1u, 2u, 3u, 5u, 7u, 25u, 100u}) {
      const auto ranges = even_ranges(count, definition);
      ASSERT_EQ(ranges.size(), count);
      EXPECT_EQ(ranges.front().min, kEffectiveKeyMin);
      EXPECT_EQ(ranges.back().max, kEffectiveKeyMax);
      for (size_t i = 0; i < count; ++i) {
        EXPECT_LT(ranges[i].min, ranges[i].max);
        if (i > 0) EXPECT_EQ(ranges[i].min, ranges[i - 1].max);
      }
    }
  }
}

TEST(EvenRanges, HaveTheBoundariesOfTheService) {
  EXPECT_EQ(hex_upper(even_ranges(2, definition_of(1))[0].max), "05C1DFFFFFFFFC");
  EXPECT_EQ(hex_upper(even_ranges(2, definition_of(2))[0].max), "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
  EXPECT_EQ(hex_upper(even_ranges(2, multi_hash(2))[0].max), "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
  EXPECT_EQ(hex_upper(even_ranges(4, definition_of(2))[0].max), "0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
  // As the Python client's suite has them of the service's emulator.
  EXPECT_EQ(hex_upper(even_ranges(5, definition_of(2))[0].max), "0CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC");
  EXPECT_EQ(hex_upper(even_ranges(5, definition_of(2))[3].min), "26666666666666666666666666666664");
  EXPECT_EQ(hex_upper(even_ranges(5, definition_of(2))[3].max), "33333333333333333333333333333330");
}

TEST(EvenRanges, ShareKeysEvenly) {
  constexpr size_t kRanges = 8;
  constexpr int kKeys = 16000;
  for (const auto& definition : {definition_of(1), definition_of(2), multi_hash(1)}) {
    const auto ranges = even_ranges(kRanges, definition);
    std::vector<int> keys(kRanges);
    for (int i = 0; i < kKeys; ++i) {
      const auto hash = effective_partition_key({{"key-" + std::to_string(i)}}, definition);
      for (size_t range = 0; range < kRanges; ++range) keys[range] += ranges[range].contains(hash);
    }
    for (const int share : keys) EXPECT_NEAR(share, kKeys / static_cast<int>(kRanges), 200);
  }
}

}  // namespace partita
