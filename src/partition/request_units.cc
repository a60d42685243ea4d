#include "partition/request_units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita {
namespace {

struct Row {
  double kilobytes;
  double read;
  double write;
};

// Published for documents of these sizes with the default indexing policy.
constexpr std::array<Row, 12> kPublished = {{{1, 1.00, 4.95},
                                             {2, 1.04, 6.29},
                                             {4, 1.14, 6.67},
                                             {8, 1.33, 7.04},
                                             {16, 1.67, 9.52},
                                             {32, 2.19, 11.23},
                                             {64, 4.76, 22.67},
                                             {128, 9.95, 48.19},
                                             {256, 20.28, 98.29},
                                             {512, 40.95, 184.57},
                                             {1024, 145.90, 625},
                                             {2048, 291.80, 1250}}};

// Index entries of the published 1 KB document, and what each one more or less costs.
constexpr double kPublishedTerms = 20;
constexpr double kTermCharge = 0.12;
constexpr double kWriteFloor = 1.0;

double interpolate(size_t bytes, double Row::* column) {
  const double kilobytes = static_cast<double>(bytes) / 1024;
  if (kilobytes <= kPublished.front().kilobytes) return kPublished.front().*column;
  const auto above = std::ranges::lower_bound(kPublished, kilobytes, {}, &Row::kilobytes);
  if (above == kPublished.end()) return kPublished.back().*column;
  const Row& high = *above;
  const Row& low = *(above - 1);
  const double share = (kilobytes - low.kilobytes) / (high.kilobytes - low.kilobytes);
  return low.*column + share * (high.*column - low.*column);
}

double rounded(double charge) { return std::round(charge * 100) / 100; }

}  // namespace

double read_charge(size_t document_bytes) { return rounded(interpolate(document_bytes, &Row::read)); }

double write_charge(size_t document_bytes, size_t index_terms_changed) {
  const double by_size = interpolate(document_bytes, &Row::write);
  const double by_terms = (static_cast<double>(index_terms_changed) - kPublishedTerms) * kTermCharge;
  // Larger documents have more entries than the published base already: only a deficit counts there.
  const bool is_small = document_bytes <= 2048;
  return rounded(std::max(kWriteFloor, by_size + (is_small ? by_terms : std::min(0.0, by_terms))));
}

double feed_charge(size_t documents, size_t document_bytes) {
  constexpr double kPageCharge = 1.0;
  constexpr double kDocumentCharge = 0.05;
  return rounded(kPageCharge + static_cast<double>(documents) * kDocumentCharge +
                 static_cast<double>(document_bytes) / 1024 * kDocumentCharge);
}

}  // namespace partita
