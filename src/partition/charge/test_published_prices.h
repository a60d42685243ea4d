#pragma once

#include <array>
#include <cstddef>

namespace partita {

// For tests: what the service publishes for documents of these sizes with the default indexing policy. Apart from the model's own
// numbers, so that those can be wrong.
struct PublishedPrice {
  size_t kilobytes;
  double read;
  double write;
};

inline constexpr std::array<PublishedPrice, 12> kPublishedPrices = {{{1, 1.00, 4.95},
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

}  // namespace partita
