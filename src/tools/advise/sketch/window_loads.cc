#include "tools/advise/sketch/window_loads.h"

#include "tools/advise/sketch/pair_share.h"

namespace partita::tools::advise {

void WindowLoads::add(size_t window, size_t partition, double load) {
  const size_t at = window * partitions_ + partition;
  if (at >= cells_.size()) cells_.resize((window + 1) * partitions_);
  cells_[at].sum += static_cast<float>(load);
  cells_[at].squares += static_cast<float>(load * load);
}

void WindowLoads::merge(std::span<const size_t> moved, size_t windows) {
  std::vector<Cell> merged(windows * partitions_);
  for (size_t window = 0; window < moved.size() && (window + 1) * partitions_ <= cells_.size(); ++window) {
    for (size_t i = 0; i < partitions_; ++i) {
      Cell& cell = merged[moved[window] * partitions_ + i];
      cell.sum += cells_[window * partitions_ + i].sum;
      cell.squares += cells_[window * partitions_ + i].squares;
    }
  }
  cells_ = std::move(merged);
}

double WindowLoads::skew() const {
  PairShare share;
  for (size_t at = 0; at < cells_.size(); at += partitions_) {
    for (const Cell& cell : std::span(cells_).subspan(at, partitions_)) share.add(cell.sum, cell.squares);
    share.end_window();
  }
  return share.skew(static_cast<double>(partitions_));
}

}  // namespace partita::tools::advise
