#include "tools/transfer/progress/in_flight_window.h"

#include <algorithm>

namespace partita::tools::transfer {

InFlightWindow::InFlightWindow(size_t first, size_t most)
    : most_(std::max<size_t>(most, 1)), size_(std::clamp<size_t>(first, 1, most_)) {}

void InFlightWindow::note_success(size_t documents) {
  answered_ += documents;
  if (answered_ < size_) return;
  answered_ = 0;
  size_ = std::min(most_, size_ + kStep);
}

void InFlightWindow::note_throttle(Time now) {
  answered_ = 0;
  if (now - shrunk_ < kPause) return;
  shrunk_ = now;
  size_ = std::max(std::min(kMin, most_), size_ - size_ / 4);
}

size_t first_window(double units_per_second) {
  constexpr double kUnitsPerDocument = 10;
  constexpr double kSeconds = 0.1;
  constexpr size_t kBatch = 100;
  constexpr size_t kUnknown = 2'000;
  constexpr size_t kMost = 5'000;
  if (units_per_second <= 0) return kUnknown;
  return std::clamp(static_cast<size_t>(std::min(units_per_second / kUnitsPerDocument * kSeconds, double{kMost})), kBatch, kMost);
}

}  // namespace partita::tools::transfer
