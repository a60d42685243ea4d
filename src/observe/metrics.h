#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::observe {

// Metrics: what the server counts, for Prometheus. Thread-safe; counting a request costs a few atomic additions.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  void count_request(std::string_view method, int status, double seconds);
  // A value that is asked for when somebody reads the metrics.
  void add_gauge(const std::string& name, const std::string& help, std::function<double()> read);
  // The same for a sum that only grows.
  void add_counter(std::string name, std::string help, std::function<double()> read);
  // Values that differ in their labels, asked for when somebody reads the metrics.
  using Labels = std::map<std::string, std::string>;
  using Samples = std::vector<std::pair<Labels, double>>;
  void add_gauges(std::string name, std::string help, std::function<Samples()> read);
  // The text exposition format.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace partita::observe
