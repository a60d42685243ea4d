#pragma once

namespace partita::tools::advise {

// PairShare: how uneven partitions are within windows of time, from how often two things of one window are in one partition. That
// is known without bias however few a window has; where it is more than chance would make it, one partition is taken to be hot
// and the others alike. Not thread-safe.
class PairShare {
 public:
  // What one partition got in the present window: the sum of its loads, and of their squares. Of a number of things that count
  // alike both are that number.
  void add(double sum, double squares);
  void end_window();
  // What the fullest of so many partitions has over the mean at any one time; 1 when nothing is known.
  double skew(double partitions) const;

 private:
  double together_ = 0;  // weight of the pairs that are in one partition
  double pairs_ = 0;     // of all
  double chances_ = 0;   // how many pairs of equal weight tell as much
  double sum_ = 0;       // of the present window
  double squares_ = 0;
};

}  // namespace partita::tools::advise
