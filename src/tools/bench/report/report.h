#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::tools::bench {

// Percentages of which reports have the latency.
inline constexpr std::array<double, 12> kPercentiles = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};

// Durations in microseconds.
struct LatencyReport {
  double mean_us = 0;
  double min_us = 0;
  std::array<double, kPercentiles.size()> percentiles_us{};

  // Of one of kPercentiles.
  double at(double percent) const;
};

// What operations of one kind did. Latencies are those of operations that succeeded.
struct OperationReport {
  std::string name = {};
  uint64_t operations = 0;  // that succeeded
  uint64_t errors = 0;
  uint64_t requests = 0;  // an operation may need several
  uint64_t throttles = 0;
  double request_units = 0;
  LatencyReport latency = {};
};

struct PartitionReport {
  std::string range = {};  // id of the partition key range
  uint64_t requests = 0;
  uint64_t throttles = 0;
  double request_units = 0;
};

// A part of the time. Long runs have longer parts.
struct IntervalReport {
  double at_seconds = 0;  // when it ended
  double seconds = 0;
  uint64_t operations = 0;
  uint64_t errors = 0;
  uint64_t throttles = 0;
  double request_units = 0;
  double p50_us = 0;
  double p99_us = 0;
};

// Report: what a run was told to do and what happened in its measured part.
struct Report {
  std::string version;
  std::string started_at;                                     // RFC 3339, UTC
  std::vector<std::pair<std::string, std::string>> settings;  // in the order in which they are shown
  double seconds = 0;
  bool is_interrupted = false;
  uint64_t missed = 0;  // operations of an open loop that were due and never began
  std::vector<OperationReport> kinds;
  std::map<std::string, uint64_t> statuses;  // of answers: "200"; "lost" for those that never came
  std::string first_error;
  std::vector<PartitionReport> partitions;
  std::vector<IntervalReport> timeline;
  double client_cpu_seconds = 0;
  double server_cpu_seconds = -1;  // negative: unknown

  uint64_t operations() const;
  uint64_t errors() const;
  uint64_t throttles() const;
  uint64_t requests() const;
  double request_units() const;
  double per_second(double count) const { return seconds > 0 ? count / seconds : 0; }
  // Microseconds for each operation, failed ones included; negative: unknown.
  double client_cpu_us() const;
  double server_cpu_us() const;
};

std::string report_json(const Report& report);
// kInvalidInput: not what report_json() writes.
Result<Report> parse_report(std::string_view json);

}  // namespace partita::tools::bench
