#include "tools/bench/load/arrivals.h"

#include "base/check.h"

#include <cmath>

namespace partita::tools::bench {

Arrivals::Arrivals(double rate, Spacing spacing, int64_t start_ns, uint64_t seed)
    : mean_ns_(1e9 / rate), spacing_(spacing), random_(seed), next_ns_(static_cast<double>(start_ns)) {
  CHECK(rate > 0);
  advance();
}

void Arrivals::advance() { next_ns_ += spacing_ == Spacing::kFixed ? mean_ns_ : -std::log1p(-random_.unit()) * mean_ns_; }

}  // namespace partita::tools::bench
