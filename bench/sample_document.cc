#include "sample_document.h"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace partita::bench {
namespace {

constexpr std::uint64_t kPartitionKeys = 1000;
constexpr std::size_t kNoteBytes = 600;

// splitmix64: neighbouring numbers give unrelated documents.
std::uint64_t scramble(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

template <std::size_t Size>
std::string_view pick(const std::array<std::string_view, Size>& choices, std::uint64_t random) {
  return choices[random % Size];
}

constexpr std::array<std::string_view, 4> kStatuses = {"new", "accepted", "delivered", "archived"};
constexpr std::array<std::string_view, 5> kRegions = {"north", "east", "south", "west", "centre"};
constexpr std::array<std::string_view, 6> kCities = {"Lisbon", "Oslo", "Utrecht", "Nairobi", "Quito", "Osaka"};
constexpr std::array<std::string_view, 6> kCountries = {"PT", "NO", "NL", "KE", "EC", "JP"};
constexpr std::array<std::string_view, 8> kTags = {"indoor",  "outdoor", "calibrated", "mains",
                                                   "battery", "spare",   "rented",     "leased"};
constexpr std::array<std::string_view, 16> kWords = {"valve",  "report", "steady", "within",  "limit", "after",
                                                     "the",    "night",  "shift",  "checked", "by",    "hand",
                                                     "filter", "pump",   "normal", "again"};

std::string note(std::uint64_t random) {
  std::string text;
  text.reserve(kNoteBytes + 16);
  while (text.size() < kNoteBytes) {
    random = scramble(random);
    for (std::uint64_t bits = random, word = 0; word < 8; ++word, bits >>= 8) {
      text += kWords[bits % kWords.size()];
      text += ' ';
    }
  }
  text.resize(kNoteBytes - 1);
  return text + '.';
}

struct Members {
  std::vector<std::string> before;    // each "name":value
  std::vector<std::string> location;  // members of the nested object
  std::vector<std::string> after;
};

Members members(std::uint64_t number) {
  const std::uint64_t random = scramble(number);
  Members result;
  result.before = {
      fmt::format(R"("id":"{}")", document_id(number)),
      fmt::format(R"("pk":"{}")", document_partition_key(number)),
      R"("type":"reading")",
      fmt::format(R"("sequence":{})", number),
      fmt::format(R"("customer":"customer-{:05}")", random % 20000),
      fmt::format(R"("region":"{}")", pick(kRegions, random >> 3)),
      fmt::format(R"("status":"{}")", pick(kStatuses, random >> 5)),
      fmt::format(R"("priority":{})", (random >> 7) % 5),
      fmt::format(R"("temperature":{})", static_cast<double>((random >> 9) % 400) / 8),
      fmt::format(R"("humidity":{})", static_cast<double>((random >> 11) % 200) / 2),
      fmt::format(R"("active":{})", (random & 1) != 0),
      fmt::format(R"("firmware":"{}.{}.{}")", random % 4, (random >> 13) % 10, (random >> 17) % 20),
      fmt::format(R"("createdAt":"2026-{:02}-{:02}T{:02}:{:02}:{:02}Z")", 1 + (random >> 19) % 12, 1 + (random >> 23) % 28,
                  (random >> 29) % 24, (random >> 31) % 60, (random >> 37) % 60),
      fmt::format(R"("serial":"{:016x}")", random),
  };
  const std::uint64_t city = random >> 41;
  result.location = {
      fmt::format(R"("city":"{}")", pick(kCities, city)),
      fmt::format(R"("country":"{}")", pick(kCountries, city)),
      fmt::format(R"("latitude":{})", static_cast<double>((random >> 43) % 5000) / 64),
      fmt::format(R"("longitude":{})", static_cast<double>((random >> 47) % 5000) / 64 - 39),
  };
  result.after = {
      fmt::format(R"("tags":["{}","{}"])", pick(kTags, random >> 53), pick(kTags, random >> 57)),
      fmt::format(R"("note":"{}")", note(random)),
  };
  return result;
}

// Without the white space that stands outside strings. Sample documents have no escapes, but what a server adds may.
std::string compact(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      result.append(json, i, 2);
      ++i;
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) result += c;
  }
  return result;
}

}  // namespace

std::string document_id(std::uint64_t number) { return fmt::format("reading-{:010}", number); }

std::string document_partition_key(std::uint64_t number) {
  return fmt::format("device-{:04}", scramble(number ^ 0x5bd1e995) % kPartitionKeys);
}

std::string sample_document(std::uint64_t number) {
  const Members all = members(number);
  return fmt::format(R"({{{},"location":{{{}}},{}}})", fmt::join(all.before, ","), fmt::join(all.location, ","),
                     fmt::join(all.after, ","));
}

bool holds_document(std::string_view answer, std::uint64_t number) {
  const std::string text = compact(answer);
  const Members all = members(number);
  for (const auto* group : {&all.before, &all.location, &all.after}) {
    for (const std::string& member : *group) {
      if (text.find(member) == std::string::npos) return false;
    }
  }
  return true;
}

}  // namespace partita::bench
