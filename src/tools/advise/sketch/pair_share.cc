#include "tools/advise/sketch/pair_share.h"

#include <algorithm>
#include <cmath>

namespace partita::tools::advise {

void PairShare::add(double sum, double squares) {
  together_ += sum * sum - squares;
  sum_ += sum;
  squares_ += squares;
}

void PairShare::end_window() {
  pairs_ += sum_ * sum_ - squares_;
  if (squares_ > 0) {
    const double alike = sum_ * sum_ / squares_;
    chances_ += alike * (alike - 1);
  }
  sum_ = 0;
  squares_ = 0;
}

double PairShare::skew(double partitions) const {
  constexpr double kDeviations = 2;  // so much may be chance
  if (pairs_ <= 0 || chances_ <= 0) return 1;
  const double share = std::clamp(together_ / pairs_, 0.0, 1.0);
  const double certain = share - kDeviations * std::sqrt(share * (1 - share) / (chances_ / 2));
  return 1 + std::sqrt(std::max(0.0, (partitions - 1) * (certain * partitions - 1)));
}

}  // namespace partita::tools::advise
