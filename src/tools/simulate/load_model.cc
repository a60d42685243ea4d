#include "tools/simulate/load_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace partita::tools {
namespace {

// Of a time series' load, this share goes to the newest stretch, the rest to the last tenth of all before it.
constexpr double kNewestShare = 0.8;
constexpr double kNewestPart = 0.01;
constexpr double kRecentPart = 0.1;

constexpr size_t kWeightsMax = 1'000'000;
constexpr double kWeightMax = 1e15;
constexpr size_t kShareBytesMax = 16 << 20;

void spread(std::vector<double>& shares, size_t first, size_t last, double share) {
  for (size_t i = first; i < last; ++i) shares[i] += share / static_cast<double>(last - first);
}

}  // namespace

std::vector<double> load_shares(LoadKind kind, size_t key_values, double time) {
  std::vector<double> shares(key_values, 0);
  if (kind == LoadKind::kEven) {
    spread(shares, 0, key_values, 1);
  } else if (kind == LoadKind::kZipf) {
    double sum = 0;
    for (size_t i = 0; i < key_values; ++i) sum += shares[i] = 1 / static_cast<double>(i + 1);
    for (double& share : shares) share /= sum;
  } else {
    const auto count = static_cast<double>(key_values);
    const auto newest_count = std::max<size_t>(1, static_cast<size_t>(kNewestPart * count));
    const auto end = std::clamp<size_t>(static_cast<size_t>(time * count), newest_count, key_values);
    const size_t recent = end - std::min(end, std::max<size_t>(1, static_cast<size_t>(kRecentPart * count)));
    spread(shares, end - newest_count, end, kNewestShare);
    spread(shares, recent, end, 1 - kNewestShare);
  }
  return shares;
}

std::vector<double> load_shares(const std::vector<double>& weights, size_t key_values) {
  std::vector<double> shares(key_values, 0);
  double sum = 0;
  for (size_t i = 0; i < key_values; ++i) sum += shares[i] = weights[i % weights.size()];
  for (double& share : shares) share /= sum;
  return shares;
}

Result<std::vector<double>> parse_shares(std::string_view text, std::string_view path) {
  std::vector<double> weights;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view number = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!number.empty() && (number.back() == '\r' || number.back() == ' ')) number.remove_suffix(1);
    if (number.empty() || number.front() == '#') continue;
    double weight = 0;
    const auto [stop, problem] = std::from_chars(number.data(), number.data() + number.size(), weight);
    if (problem != std::errc() || stop != number.data() + number.size() || !(weight >= 0 && weight <= kWeightMax)) {
      return fail(ErrorCode::kInvalidInput, fmt::format("{}:{} is no number from 0 to {:.0e}", path, line, kWeightMax));
    }
    weights.push_back(weight);
    if (weights.size() > kWeightsMax) {
      return fail(ErrorCode::kTooLarge, fmt::format("{} has more than {} lines", path, kWeightsMax));
    }
  }
  if (std::ranges::none_of(weights, [](double weight) { return weight > 0; })) {
    return fail(ErrorCode::kInvalidInput, fmt::format("{} has no positive number; it needs one per line", path));
  }
  return weights;
}

Result<std::vector<double>> read_shares(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  text.resize(kShareBytesMax);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return fail(ErrorCode::kInvalidInput, fmt::format("cannot read {}", path));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() == kShareBytesMax) return fail(ErrorCode::kTooLarge, fmt::format("{} is larger than 16 MB", path));
  return parse_shares(text, path);
}

}  // namespace partita::tools
