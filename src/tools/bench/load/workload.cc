#include "tools/bench/load/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita::tools::bench {
namespace {

constexpr std::array<std::string_view, kOperationKinds> kKindNames = {"insert", "read", "update",
                                                                      "query",  "scan", "read-modify-write"};

struct Standard {
  std::string_view name;
  KeyOrder keys;
  std::array<double, kOperationKinds> shares;  // insert, read, update, query, scan, read-modify-write
};

constexpr std::array<Standard, 11> kStandards = {{
    {"insert", KeyOrder::kUniform, {1, 0, 0, 0, 0, 0}},
    {"read", KeyOrder::kUniform, {0, 1, 0, 0, 0, 0}},
    {"update", KeyOrder::kUniform, {0, 0, 1, 0, 0, 0}},
    {"query", KeyOrder::kUniform, {0, 0, 0, 1, 0, 0}},
    {"scan", KeyOrder::kUniform, {0, 0, 0, 0, 1, 0}},
    {"a", KeyOrder::kZipfian, {0, 0.5, 0.5, 0, 0, 0}},
    {"b", KeyOrder::kZipfian, {0, 0.95, 0.05, 0, 0, 0}},
    {"c", KeyOrder::kZipfian, {0, 1, 0, 0, 0, 0}},
    {"d", KeyOrder::kLatest, {0.05, 0.95, 0, 0, 0, 0}},
    {"e", KeyOrder::kZipfian, {0.05, 0, 0, 0, 0.95, 0}},
    {"f", KeyOrder::kZipfian, {0, 0.5, 0, 0, 0, 0.5}},
}};

Status add_share(std::string_view part, Workload& workload) {
  const size_t equals = part.find('=');
  const auto kind = std::ranges::find(kKindNames, part.substr(0, equals));
  if (equals == std::string_view::npos || kind == kKindNames.end()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("'{}' in the mix is not OPERATION=SHARE; operations are {}", part, fmt::join(kKindNames, ", ")));
  }
  const std::string_view number = part.substr(equals + 1);
  double share = 0;
  const auto [stop, problem] = std::from_chars(number.data(), number.data() + number.size(), share);
  if (problem != std::errc() || stop != number.data() + number.size() || !std::isfinite(share) || share < 0) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' in the mix needs a share such as 50 behind the equals sign", part));
  }
  workload.shares[static_cast<size_t>(kind - kKindNames.begin())] += share;
  return {};
}

}  // namespace

std::string_view name_of(OperationKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::string_view name_of(KeyOrder order) {
  switch (order) {
    case KeyOrder::kUniform: return "uniform";
    case KeyOrder::kZipfian: return "zipfian";
    case KeyOrder::kLatest: return "latest";
    case KeyOrder::kSequential: return "sequential";
  }
  return {};
}

std::vector<std::string> Workload::names() {
  std::vector<std::string> names;
  for (const Standard& standard : kStandards) names.emplace_back(standard.name);
  return names;
}

Result<Workload> Workload::find(std::string_view name) {
  const auto found = std::ranges::find(kStandards, name, &Standard::name);
  if (found == kStandards.end()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("there is no workload '{}'; use one of {}", name, fmt::join(names(), ", ")));
  }
  return Workload{.name = std::string(name), .shares = found->shares, .keys = found->keys};
}

Result<Workload> Workload::parse_mix(std::string_view text) {
  Workload workload{.name = std::string(text), .shares = {}, .keys = KeyOrder::kUniform};
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    TRY(add_share(rest.substr(0, comma), workload));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  double sum = 0;
  for (const double share : workload.shares) sum += share;
  if (!(sum > 0) || !std::isfinite(sum)) return fail(ErrorCode::kInvalidInput, "the mix has no operation; try read=95,insert=5");
  for (double& share : workload.shares) share /= sum;
  return workload;
}

}  // namespace partita::tools::bench
