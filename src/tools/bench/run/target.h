#pragma once

#include "base/result.h"
#include "client/client.h"
#include "client/resources/containers.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/run/driver.h"

#include <memory>
#include <optional>
#include <vector>

namespace partita::tools::bench {

// Target: the container that is measured, and what was made for it. Not thread-safe but for find_range().
class Target {
 public:
  explicit Target(client::Client client) : client_(std::move(client)) {}

  // Makes what is missing. kAlreadyExists when the container is there and is not to be reused.
  Status prepare(const BenchOptions& options);
  // Removes what prepare() made.
  Status clean_up() const;
  // By the ranges that the container had when it was prepared.
  FindRange find_range() const;
  // Processor time that the server has taken until now; nothing where it does not tell.
  std::optional<double> server_cpu_seconds() const;

  const client::Client& client() const { return client_; }

 private:
  Status make_container(const BenchOptions& options);

  client::Client client_;
  client::ContainerName name_;
  client::ContainerDefinition definition_;
  std::vector<client::PartitionRange> ranges_;
  bool made_database_ = false;
  bool made_container_ = false;
};

// The value of a metric without labels in Prometheus's text format.
std::optional<double> metric_in(std::string_view text, std::string_view name);

}  // namespace partita::tools::bench
