#pragma once

#include "tools/bench/load/workload.h"
#include "tools/bench/report/report.h"
#include "tools/bench/run/latency_histogram.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::bench {

// What became of one operation.
struct OperationOutcome {
  OperationKind kind = OperationKind::kRead;
  bool is_success = false;
  int64_t latency_ns = 0;  // from when it was to begin
  uint32_t throttles = 0;
};

// What became of one request of an operation.
struct RequestOutcome {
  int status = 0;          // 0: no answer came
  std::string_view range;  // of the partition that answered; empty: unknown
  double request_units = 0;
  uint32_t throttles = 0;
};

// Recorder: counts what operations did while it is open. Thread-safe.
class Recorder {
 public:
  // Counts from now on, from zero.
  void open(int64_t now_ns);
  // Counts no longer. Idempotent.
  void close(int64_t now_ns);

  void record(const OperationOutcome& outcome);
  void record(OperationKind kind, const RequestOutcome& outcome);
  // The first one is kept.
  void note_error(std::string_view message);
  // Ends a part of the timeline; called about once a second.
  void end_interval(int64_t now_ns);

  // All that it knows: seconds, kinds, statuses, partitions, timeline and the first error.
  void fill(Report& report, int64_t now_ns) const;

 private:
  // More parts than this are joined in pairs.
  static constexpr size_t kIntervalsMax = 1200;
  static constexpr size_t kRangesMax = 10'000;  // those beyond are counted together

  struct Tally {
    uint64_t operations = 0;
    uint64_t errors = 0;
    uint64_t requests = 0;
    uint64_t throttles = 0;
    double request_units = 0;
    LatencyHistogram latency;
  };

  // Unless it is shorter.
  void end_interval(int64_t now_ns, double seconds_min);
  void join_intervals();

  mutable std::mutex mutex_;  // guards everything
  bool is_open_ = false;
  int64_t opened_ns_ = 0;
  int64_t closed_ns_ = 0;
  std::array<Tally, kOperationKinds> tallies_;
  std::map<int, uint64_t> statuses_;
  std::map<std::string, PartitionReport, std::less<>> partitions_;
  std::string first_error_;
  IntervalReport interval_;
  int64_t interval_start_ns_ = 0;
  LatencyHistogram interval_latency_;
  double interval_seconds_min_ = 0;  // of the thread that ends intervals; grows when parts are joined
  std::vector<IntervalReport> timeline_;
};

// The percentiles of a histogram.
LatencyReport latency_report(const LatencyHistogram& latency);

}  // namespace partita::tools::bench
