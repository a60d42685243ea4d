#include "tools/advise/score/candidate_tally.h"

#include "document/key/murmur3.h"
#include "tools/advise/sketch/pair_share.h"

#include <algorithm>
#include <cmath>

namespace partita::tools::advise {
namespace {

constexpr size_t kHeavyValues = 512;

template <typename Measure>
double largest_over_mean(const std::vector<PartitionLoadSum>& partitions, const Measure& measure) {
  double most = 0;
  double sum = 0;
  for (const PartitionLoadSum& partition : partitions) {
    most = std::max(most, measure(partition));
    sum += measure(partition);
  }
  return sum == 0 ? 1 : most * static_cast<double>(partitions.size()) / sum;
}

double skew_of_windows(const std::vector<uint32_t>& counts, size_t partitions) {
  PairShare share;
  for (size_t at = 0; at + partitions <= counts.size(); at += partitions) {
    for (const uint32_t count : std::span(counts).subspan(at, partitions)) share.add(count, count);
    share.end_window();
  }
  return share.skew(static_cast<double>(partitions));
}

}  // namespace

CandidateTally::CandidateTally(Candidate candidate, size_t partitions)
    : candidate_(std::move(candidate)),
      definition_(candidate_.definition()),
      partitions_(partitions),
      uses_(partitions),
      heavy_(kHeavyValues) {
  for (const EffectiveKeyRange& range : even_ranges(partitions, definition_)) begins_.push_back(range.min);
}

void CandidateTally::add(std::span<const PartitionKeyComponent* const> values, const DocumentLoad& load, const DocumentUse* use) {
  ++documents_;
  const PartitionKey key = candidate_.key_of(values, load.draw);
  const bool is_undefined =
      std::ranges::all_of(key.components, [](const auto& component) { return std::holds_alternative<UndefinedKey>(component); });
  if (is_undefined) ++undefined_;
  const EffectivePartitionKey place = effective_partition_key(key, definition_);
  const uint64_t hash = murmur3_x64_128(place).low;
  const auto at = static_cast<size_t>(std::ranges::upper_bound(begins_, place) - begins_.begin()) - 1;
  PartitionLoadSum& partition = partitions_[at];
  ++partition.documents;
  partition.bytes += load.bytes;
  partition.units += load.units;
  distinct_.add(hash);
  if ((load.draw >> 32 & 1) != 0) half_.add(hash);
  heavy_.add(hash, static_cast<double>(load.bytes), [&] { return key.to_json(); });
  if (load.seconds) lifetimes_.add(hash, *load.seconds);
  if (use != nullptr) {
    for (const uint32_t transaction : use->transactions) {
      const auto [first, is_new] = transaction_keys_.try_emplace(transaction, hash);
      if (first->second != hash) first->second = 0;
    }
  }
  for (const WindowUse& asked : load.uses) uses_.add(asked.window, at, asked.units);
  if (!load.window) return;
  const size_t cell = *load.window * partitions_.size() + at;
  if (cell >= windows_.size()) windows_.resize((*load.window + 1) * partitions_.size());
  ++windows_[cell];
}

void CandidateTally::merge_windows(std::span<const size_t> moved, size_t windows) {
  const size_t width = partitions_.size();
  std::vector<uint32_t> merged(windows * width);
  for (size_t window = 0; window < moved.size() && (window + 1) * width <= windows_.size(); ++window) {
    for (size_t i = 0; i < width; ++i) merged[moved[window] * width + i] += windows_[window * width + i];
  }
  windows_ = std::move(merged);
}

double CandidateTally::distinct() const { return std::min(distinct_.estimate(), static_cast<double>(documents_)); }

double CandidateTally::undefined_share() const {
  return documents_ == 0 ? 0 : static_cast<double>(undefined_) / static_cast<double>(documents_);
}

std::optional<TransactionFigures> CandidateTally::transactions() const {
  if (transaction_keys_.empty()) return std::nullopt;
  const auto cut = std::ranges::count(transaction_keys_, uint64_t{0}, [](const auto& entry) { return entry.second; });
  return TransactionFigures{.seen = transaction_keys_.size(), .cut = static_cast<uint64_t>(cut)};
}

std::vector<uint32_t> CandidateTally::counts_in_order(std::span<const size_t> windows) const {
  const size_t width = partitions_.size();
  std::vector<uint32_t> counts(windows.size() * width);
  for (size_t i = 0; i < windows.size(); ++i) {
    for (size_t at = 0; at < width; ++at) {
      const size_t cell = windows[i] * width + at;
      if (cell < windows_.size()) counts[i * width + at] = windows_[cell];
    }
  }
  return counts;
}

Skew CandidateTally::skew() const {
  return {.storage = largest_over_mean(partitions_, [](const PartitionLoadSum& sum) { return static_cast<double>(sum.bytes); }),
          .requests = largest_over_mean(partitions_, [](const PartitionLoadSum& sum) { return sum.units; }),
          .over_time = skew_of_windows(windows_, partitions_.size())};
}

}  // namespace partita::tools::advise
