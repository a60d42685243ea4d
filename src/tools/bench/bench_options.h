#pragma once

#include "client/options.h"
#include "tools/bench/load/arrivals.h"
#include "tools/bench/load/workload.h"
#include "tools/bench/load/zipf.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita::tools::bench {

inline constexpr uint64_t kConnectionsMax = 10'000;
inline constexpr uint64_t kDocumentsMax = 1'000'000'000;
inline constexpr double kRateMax = 10'000'000;
inline constexpr double kSecondsMax = 7 * 24 * 3600;

// What `partita bench` is told to do.
struct BenchOptions {
  client::Options client;  // endpoint, key, certificates; the rest follows from what is below
  std::string version;     // of this program, for reports

  std::string database = "bench";
  std::string container = "bench";
  std::string partition_key = "/pk";
  int64_t throughput = 10'000;  // RU/s of a container that is made
  bool is_reusing = false;      // a container that is there already
  bool cleans_up = false;

  std::string workload = "b";
  std::string mix = {};  // instead of a workload
  std::optional<KeyOrder> keys = {};
  double exponent = kZipfExponent;
  uint64_t documents = 10'000;
  uint64_t documents_per_key = 0;  // 0: 100 for scans, else 1
  uint64_t document_bytes = 1024;
  std::string template_file = {};
  std::string query = "SELECT * FROM c WHERE c.id = {{id}}";
  bool is_across_partitions = false;

  uint64_t connections = 16;
  uint64_t threads = 1;
  double rate = 0;  // operations a second; 0: as many as there can be
  Arrivals::Spacing spacing = Arrivals::Spacing::kPoisson;
  double seconds = 10;
  uint64_t count = 0;  // instead of seconds
  double warm_up_seconds = 2;
  bool retries_throttled = true;
  uint64_t seed = 1;

  bool is_json = false;
  std::string html_file = {};
  std::string json_file = {};
};

}  // namespace partita::tools::bench
