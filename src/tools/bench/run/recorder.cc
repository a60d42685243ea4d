#include "tools/bench/run/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace partita::tools::bench {
namespace {

// The rest of a run is no part of its timeline when it is so short that chance decides what it shows.
constexpr double kIntervalSecondsMin = 0.2;

double seconds_between(int64_t from_ns, int64_t to_ns) { return static_cast<double>(to_ns - from_ns) / 1e9; }

}  // namespace

LatencyReport latency_report(const LatencyHistogram& latency) {
  LatencyReport report{.mean_us = latency.mean_us(), .min_us = latency.min_us(), .percentiles_us = {}};
  for (size_t i = 0; i < kPercentiles.size(); ++i) report.percentiles_us[i] = latency.percentile_us(kPercentiles[i]);
  return report;
}

void Recorder::open(int64_t now_ns) {
  std::lock_guard lock(mutex_);
  is_open_ = true;
  opened_ns_ = interval_start_ns_ = now_ns;
}

void Recorder::close(int64_t now_ns) {
  end_interval(now_ns, kIntervalSecondsMin);
  std::lock_guard lock(mutex_);
  if (!is_open_) return;
  is_open_ = false;
  closed_ns_ = now_ns;
}

void Recorder::record(const OperationOutcome& outcome) {
  std::lock_guard lock(mutex_);
  if (!is_open_) return;
  Tally& tally = tallies_[static_cast<size_t>(outcome.kind)];
  tally.throttles += outcome.throttles;
  interval_.throttles += outcome.throttles;
  if (!outcome.is_success) {
    ++tally.errors;
    ++interval_.errors;
    return;
  }
  ++tally.operations;
  ++interval_.operations;
  tally.latency.record(outcome.latency_ns);
  interval_latency_.record(outcome.latency_ns);
}

void Recorder::record(OperationKind kind, const RequestOutcome& outcome) {
  std::lock_guard lock(mutex_);
  if (!is_open_) return;
  Tally& tally = tallies_[static_cast<size_t>(kind)];
  ++tally.requests;
  tally.request_units += outcome.request_units;
  interval_.request_units += outcome.request_units;
  ++statuses_[outcome.status];
  if (outcome.range.empty()) return;
  auto found = partitions_.find(outcome.range);
  if (found == partitions_.end()) {
    const std::string name = partitions_.size() < kRangesMax ? std::string(outcome.range) : "others";
    found = partitions_.try_emplace(name).first;
    found->second.range = name;
  }
  PartitionReport& partition = found->second;
  ++partition.requests;
  partition.request_units += outcome.request_units;
  partition.throttles += outcome.throttles;
}

void Recorder::note_error(std::string_view message) {
  std::lock_guard lock(mutex_);
  if (is_open_ && first_error_.empty()) first_error_ = message;
}

void Recorder::end_interval(int64_t now_ns) { end_interval(now_ns, interval_seconds_min_); }

// Percentiles are computed while others go on recording.
void Recorder::end_interval(int64_t now_ns, double seconds_min) {
  LatencyHistogram latency;
  IntervalReport ended;
  {
    std::lock_guard lock(mutex_);
    if (!is_open_) return;
    const double seconds = seconds_between(interval_start_ns_, now_ns);
    if (seconds <= 0 || (seconds < seconds_min && !timeline_.empty())) return;
    interval_.at_seconds = seconds_between(opened_ns_, now_ns);
    interval_.seconds = seconds;
    ended = std::exchange(interval_, {});
    interval_start_ns_ = now_ns;
    std::swap(latency, interval_latency_);
  }
  ended.p50_us = latency.percentile_us(50);
  ended.p99_us = latency.percentile_us(99);
  std::lock_guard lock(mutex_);
  timeline_.push_back(ended);
  if (timeline_.size() > kIntervalsMax) join_intervals();
}

// Percentiles of two parts are not known; the median is put between theirs, and the higher one of them at its worst.
void Recorder::join_intervals() {
  std::vector<IntervalReport> joined;
  for (size_t i = 0; i + 1 < timeline_.size(); i += 2) {
    IntervalReport whole = timeline_[i + 1];
    const IntervalReport& first = timeline_[i];
    whole.seconds += first.seconds;
    whole.operations += first.operations;
    whole.errors += first.errors;
    whole.throttles += first.throttles;
    whole.request_units += first.request_units;
    whole.p50_us = (whole.p50_us + first.p50_us) / 2;
    whole.p99_us = std::max(whole.p99_us, first.p99_us);
    joined.push_back(whole);
  }
  if (timeline_.size() % 2 == 1) joined.push_back(timeline_.back());
  interval_seconds_min_ = joined.front().seconds * 0.99;
  timeline_ = std::move(joined);
}

void Recorder::fill(Report& report, int64_t now_ns) const {
  std::vector<std::pair<OperationKind, Tally>> tallies;
  {
    std::lock_guard lock(mutex_);
    report.seconds = seconds_between(opened_ns_, is_open_ ? now_ns : closed_ns_);
    for (size_t kind = 0; kind < kOperationKinds; ++kind) {
      const Tally& tally = tallies_[kind];
      if (tally.operations + tally.errors > 0) tallies.emplace_back(static_cast<OperationKind>(kind), tally);
    }
    report.statuses.clear();
    for (const auto& [status, times] : statuses_) report.statuses[status == 0 ? "lost" : fmt::format("{}", status)] = times;
    report.partitions.clear();
    for (const auto& [range, partition] : partitions_) report.partitions.push_back(partition);
    report.first_error = first_error_;
    report.timeline = timeline_;
  }
  report.kinds.clear();
  for (const auto& [kind, tally] : tallies) {
    report.kinds.push_back({.name = std::string(name_of(kind)),
                            .operations = tally.operations,
                            .errors = tally.errors,
                            .requests = tally.requests,
                            .throttles = tally.throttles,
                            .request_units = tally.request_units,
                            .latency = latency_report(tally.latency)});
  }
}

}  // namespace partita::tools::bench
