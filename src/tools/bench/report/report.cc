#include "tools/bench/report/report.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace partita::tools::bench {
namespace {

template <typename T>
T total(const std::vector<OperationReport>& kinds, T OperationReport::* member) {
  return std::transform_reduce(kinds.begin(), kinds.end(), T{}, std::plus<>(), std::mem_fn(member));
}

double per_operation_us(const Report& report, double seconds) {
  const auto operations = static_cast<double>(report.operations() + report.errors());
  return seconds < 0 || operations == 0 ? -1 : seconds * 1e6 / operations;
}

}  // namespace

double LatencyReport::at(double percent) const {
  const auto found = std::ranges::find(kPercentiles, percent);
  return found == kPercentiles.end() ? 0 : percentiles_us[static_cast<size_t>(found - kPercentiles.begin())];
}

uint64_t Report::operations() const { return total(kinds, &OperationReport::operations); }
uint64_t Report::errors() const { return total(kinds, &OperationReport::errors); }
uint64_t Report::throttles() const { return total(kinds, &OperationReport::throttles); }
uint64_t Report::requests() const { return total(kinds, &OperationReport::requests); }
double Report::request_units() const { return total(kinds, &OperationReport::request_units); }
double Report::client_cpu_us() const { return per_operation_us(*this, client_cpu_seconds); }
double Report::server_cpu_us() const { return per_operation_us(*this, server_cpu_seconds); }

}  // namespace partita::tools::bench
