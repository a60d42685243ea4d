#include "observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <mutex>
#include <sstream>
#include <vector>

namespace partita::observe {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"};
// Status classes 1xx to 5xx, and 429 apart because it is a normal answer that people watch.
constexpr std::array<std::string_view, 7> kStatuses = {"other", "1xx", "2xx", "3xx", "4xx", "5xx", "429"};
constexpr std::array<double, 12> kSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5};

size_t method_index(std::string_view method) {
  for (size_t i = 0; i + 1 < kMethods.size(); ++i) {
    if (kMethods[i] == method) return i;
  }
  return kMethods.size() - 1;
}

size_t status_index(int status) {
  if (status == 429) return kStatuses.size() - 1;
  const int hundreds = status / 100;
  return hundreds >= 1 && hundreds <= 5 ? static_cast<size_t>(hundreds) : 0;
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  std::array<std::array<prometheus::Counter*, kStatuses.size()>, kMethods.size()> requests;
  std::array<prometheus::Histogram*, kMethods.size()> durations;

  struct LazyGauge {
    prometheus::Gauge* gauge;
    std::function<double()> read;
  };
  struct LazyGauges {
    std::string name;
    std::string help;
    std::function<Samples()> read;
  };
  struct LazyCounter {
    std::string name;
    std::string help;
    std::function<double()> read;
  };
  std::mutex gauges_mutex;
  std::vector<LazyGauge> gauges;
  std::vector<LazyGauges> labelled_gauges;
  std::vector<LazyCounter> counters;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {
  auto& requests =
      prometheus::BuildCounter().Name("partita_requests_total").Help("Requests answered.").Register(state_->registry);
  auto& durations = prometheus::BuildHistogram()
                        .Name("partita_request_duration_seconds")
                        .Help("From the end of a request to the end of its answer.")
                        .Register(state_->registry);
  const prometheus::Histogram::BucketBoundaries buckets(kSeconds.begin(), kSeconds.end());
  for (size_t m = 0; m < kMethods.size(); ++m) {
    const std::string method(kMethods[m]);
    state_->durations[m] = &durations.Add({{"method", method}}, buckets);
    for (size_t s = 0; s < kStatuses.size(); ++s) {
      state_->requests[m][s] = &requests.Add({{"method", method}, {"status", std::string(kStatuses[s])}});
    }
  }
}

Metrics::~Metrics() = default;

void Metrics::count_request(std::string_view method, int status, double seconds) {
  const size_t index = method_index(method);
  state_->requests[index][status_index(status)]->Increment();
  state_->durations[index]->Observe(seconds);
}

void Metrics::add_gauge(const std::string& name, const std::string& help, std::function<double()> read) {
  auto& gauge = prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry).Add({});
  std::lock_guard lock(state_->gauges_mutex);
  state_->gauges.push_back({&gauge, std::move(read)});
}

void Metrics::add_counter(std::string name, std::string help, std::function<double()> read) {
  std::lock_guard lock(state_->gauges_mutex);
  state_->counters.push_back({std::move(name), std::move(help), std::move(read)});
}

void Metrics::add_gauges(std::string name, std::string help, std::function<Samples()> read) {
  std::lock_guard lock(state_->gauges_mutex);
  state_->labelled_gauges.push_back({std::move(name), std::move(help), std::move(read)});
}

namespace {

prometheus::MetricFamily family_of(std::string_view name, std::string_view help, const Metrics::Samples& samples) {
  prometheus::MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = prometheus::MetricType::Gauge;
  for (const auto& [labels, value] : samples) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    for (const auto& [label, text] : labels) metric.label.push_back({label, text});
    metric.gauge.value = value;
  }
  return family;
}

prometheus::MetricFamily counter_of(std::string_view name, std::string_view help, double value) {
  prometheus::MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = prometheus::MetricType::Counter;
  family.metric.emplace_back().counter.value = value;
  return family;
}

}  // namespace

std::string Metrics::text() const {
  std::vector<prometheus::MetricFamily> families;
  {
    std::lock_guard lock(state_->gauges_mutex);
    for (const State::LazyGauge& lazy : state_->gauges) lazy.gauge->Set(lazy.read());
    families = state_->registry.Collect();
    for (const State::LazyGauges& lazy : state_->labelled_gauges)
      families.push_back(family_of(lazy.name, lazy.help, lazy.read()));
    for (const State::LazyCounter& lazy : state_->counters) families.push_back(counter_of(lazy.name, lazy.help, lazy.read()));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace partita::observe
