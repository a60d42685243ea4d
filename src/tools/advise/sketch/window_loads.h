#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace partita::tools::advise {

// WindowLoads: what each partition got in each window of TimeWindows, where what comes counts more or less. Not thread-safe.
class WindowLoads {
 public:
  explicit WindowLoads(size_t partitions) : partitions_(partitions) {}

  void add(size_t window, size_t partition, double load);
  // Windows were put together: what became of each number, and how many there are now.
  void merge(std::span<const size_t> moved, size_t windows);
  bool is_empty() const { return cells_.empty(); }
  // What the fullest partition has over the mean at any one time.
  double skew() const;

 private:
  struct Cell {
    float sum = 0;
    float squares = 0;
  };

  size_t partitions_;
  std::vector<Cell> cells_;  // by window, then by partition
};

}  // namespace partita::tools::advise
